//! The arguments of `simulate`.

use clap::{Args, Subcommand};
use ioalign_measure::jobs::values::size;

use super::LookArgs;

#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(subcommand)]
    pub verb: SimulateVerb,
}

#[derive(Debug, Subcommand)]
pub enum SimulateVerb {
    /// The arrays that are known by name, with their parameters and where those come from
    List(SimulateListArgs),
    /// An array under a workload: I/Os a second, latency, the I/Os of each disk
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Box<SimulateRunArgs>),
    /// The same from several starts of the partition
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Box<SimulateCompareArgs>),
    /// The array as a block device that takes as long as the array would
    #[command(after_long_help = SERVE_EXAMPLES)]
    Serve(Box<SimulateServeArgs>),
}

const RUN_EXAMPLES: &str = "\
Examples:
  ioalign simulate run raid10:4x64k randread:16k:qd8 --start 63s
  ioalign simulate run raid5:5x32k:md randwrite:4k:qd32
  ioalign simulate run array.toml blender-70-30 --ios 1000000 --json
  ioalign simulate run single read:64k:qd1 --service 2ms

ARRAY: LEVEL:DISKSxELEMENT[:md|controller] with raid0, raid1, raid10, raid5 or raid6; single; a name of
simulate list; FILE.toml. WORKLOAD: [rand]read|[rand]write:SIZE:qdN; a named job of measure; JOB.toml.

Exit codes: 0 done, 64 wrong usage, also an array that cannot be; 65 a file cannot be read.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  ioalign simulate compare raid10:4x64k randread:16k:qd8 --starts 63s,2048s
  ioalign simulate compare raid5:4x64k:md randwrite:16k:qd8 --starts 63s,64s,2048s
  ioalign simulate compare raid5:4x64k:md randwrite:192k:qd4 --starts 128s,2048s,384s --json

The first start is the one that others are compared with.

Exit codes: 0 done, 64 wrong usage, also an array that cannot be; 65 a file cannot be read.";

const SERVE_EXAMPLES: &str = "\
Examples:
  ioalign simulate serve raid10:4x64k --start 63s
  ioalign simulate serve raid5:4x64k:md --size 1G --json
  ioalign simulate serve array.toml --data /var/tmp/array.img
  ioalign simulate serve single --service 200us --tear 512 --lose-unflushed=some --seed 7

It stays until Ctrl-C or SIGTERM. SIGUSR1 cuts the power: I/Os fail from then on. SIGUSR2 switches it on again, with what
the loss has left.

Exit codes: 0 stopped, 64 wrong usage, also an array that cannot be; 65 it cannot be served.";

/// The array, its disks and how long it runs.
#[derive(Debug, Args)]
pub struct SimulatedLoadArgs {
    /// LEVEL:DISKSxELEMENT[:md|controller], single, a name of `simulate list`, or FILE.toml
    pub array: String,

    /// read, write, randread or randwrite with size and queue depth (randread:16k:qd8), a named job of measure, or JOB.toml
    pub workload: String,

    /// Requests that count, of every start
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub ios: u64,

    /// Requests before those (default: ten for each in flight)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub warm_up: Option<u64>,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// Runs with seeds S, S+1, …: an interval for the I/Os a second; all else is of the first run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,

    /// The time of a disk for an I/O, instead of that of the array: 5ms, 200us
    #[arg(long, value_name = "TIME", value_parser = ioalign_simulate::description::nanoseconds)]
    pub service: Option<u64>,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulateListArgs {
    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulateRunArgs {
    #[command(flatten)]
    pub load: SimulatedLoadArgs,

    /// Where the partition starts
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = size)]
    pub start: u64,
}

#[derive(Debug, Args)]
pub struct SimulateCompareArgs {
    #[command(flatten)]
    pub load: SimulatedLoadArgs,

    /// Where the partition starts: the first is compared with the others
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', default_value = "63s,2048s", value_parser = size)]
    pub starts: Vec<u64>,
}

#[derive(Debug, Args)]
pub struct SimulateServeArgs {
    /// LEVEL:DISKSxELEMENT[:md|controller], single, a name of `simulate list`, or FILE.toml
    pub array: String,

    /// Where in the array the device starts
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = size)]
    pub start: u64,

    /// The size of the device (default: that of the data file, or the rest of the array); larger disks are assumed where it needs them
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<u64>,

    /// The time of a disk for an I/O, instead of that of the array: 5ms, 200us, 0ms
    #[arg(long, value_name = "TIME", value_parser = ioalign_simulate::description::nanoseconds)]
    pub service: Option<u64>,

    /// Where the data are; an existing file is served as it is, and written (default: in memory)
    #[arg(long, value_name = "FILE")]
    pub data: Option<std::path::PathBuf>,

    /// The path of the NBD socket (default: in a new folder)
    #[arg(long, value_name = "PATH")]
    pub socket: Option<std::path::PathBuf>,

    /// No file and no block device: NBD alone
    #[arg(long)]
    pub no_fuse: bool,

    /// A loss of power cuts writes in flight at multiples of SIZE (default: each one is whole or not there)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub tear: Option<u64>,

    /// A loss of power takes writes that no flush has followed: all of them, or some by chance
    #[arg(long, value_name = "all|some", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub lose_unflushed: Option<LostWrites>,

    /// Of the chance in disks and losses
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// One line of JSON when it is ready
    #[arg(long)]
    pub json: bool,
}

/// Which writes are lost that were not flushed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LostWrites {
    /// All
    All,
    /// Some
    Some,
}
