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
