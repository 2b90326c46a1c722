//! The arguments of `simulate`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use ioalign_core::array::RaidLevel;
use ioalign_measure::jobs::values::{millis, share, size};

use super::measure::{CellArgs, HowArgs};
use super::trace::SourceArgs;
use super::{LookArgs, ReplaceArgs};

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
    /// The same from several starts of the partition, and on several arrays
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Box<SimulateCompareArgs>),
    /// The array as a block device that takes as long as the array would
    #[command(after_long_help = SERVE_EXAMPLES)]
    Serve(Box<SimulateServeArgs>),
    /// Predict what an offset costs on a device from its aligned I/O alone, then measure it: hit or miss
    #[command(after_long_help = CALIBRATE_EXAMPLES)]
    Calibrate(Box<SimulateCalibrateArgs>),
    /// Published measurements of misalignment beside the model's: hits and misses
    #[command(after_long_help = PUBLISHED_EXAMPLES)]
    Published(SimulatePublishedArgs),
    /// RAID groups against one pool: several tenants, each with its own load
    #[command(after_long_help = PROVISION_EXAMPLES)]
    Provision(SimulateProvisionArgs),
    /// Where clusters of nodes keep data: hops, locality, balance, what a lost node costs
    #[command(after_long_help = PLACEMENT_EXAMPLES)]
    Placement(SimulatePlacementArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  ioalign simulate run raid10:4x64k randread:16k:qd8 --start 63s
  ioalign simulate run raid5:5x32k:md randwrite:4k:qd32
  ioalign simulate run array.toml blender-70-30 --ios 1000000 --json
  ioalign simulate run --raid 5 --disks 6 --element 64k randwrite:16k:qd8
  ioalign simulate run --from check.json randread:16k:qd8        the array and the partition of a checked stack
  ioalign simulate run raid10:4x64k --replay trace.csv --as msr  as many in flight as --depth says
  ioalign simulate run raid10:4x64k --replay trace.bin --open    at the times of the trace

ARRAY: LEVEL:DISKSxELEMENT[:md|controller] with raid0, raid1, raid10, raid5 or raid6; single; a name of
simulate list; FILE.toml. WORKLOAD: [rand]read|[rand]write:SIZE:qdN; a named job of measure; JOB.toml.

Exit codes: 0 done, 64 wrong usage, also an array that cannot be; 65 a file cannot be read.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  ioalign simulate compare raid10:4x64k randread:16k:qd8 --starts 63s,2048s
  ioalign simulate compare raid5:4x64k:md randwrite:16k:qd8 --starts 63s,64s,2048s
  ioalign simulate compare raid10:4x64k randread:16k:qd8 --element 32k,64k,256k
  ioalign simulate compare --raid 5,10 --disks 4,6 randwrite:16k:qd8
  ioalign simulate compare mysql-raid10 randwrite:16k:qd8 --cache through,back:96M --runs 5
  ioalign simulate compare vmfs-raid5 iometer-vmfs --starts 128s,63s -o page.html

The first arm is the one that others are compared with. A page, a drawing or a table (html, svg, csv) compares
starts on one array.

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

const CALIBRATE_EXAMPLES: &str = "\
Examples:
  ioalign simulate calibrate /dev/md0 --array raid5:4x64k:md
  ioalign simulate calibrate /dev/md0 --array array.toml --offset 63s --sizes 16k,64k --depth 8,32 -o record.json

Only reads are sent without --write. First the aligned I/O is measured, then the cost of the offset is predicted and
shown, then it is measured. A prediction is a hit within --tolerance of the measured ratio.

Exit codes: 0 done, 1 at least one miss, 64 wrong usage, 65 the target cannot be used, 130 interrupted.";

const PUBLISHED_EXAMPLES: &str = "\
Examples:
  ioalign simulate published
  ioalign simulate published --json

Parameters come from data sheets and from the documents, none from the figure that a row is compared with;
simulate list prints all of them.

Exit codes: 0 done, 64 wrong usage.";

const PROVISION_EXAMPLES: &str = "\
Examples:
  ioalign simulate provision
  ioalign simulate provision --tiles 1,7,13 --disk ssd-group,hdd-group --filled 50,100

A tile is a mail server, a database and a web server; each kind has a volume of its own.

Exit codes: 0 done, 64 wrong usage.";

const PLACEMENT_EXAMPLES: &str = "\
Examples:
  ioalign simulate placement
  ioalign simulate placement --nodes 16 --json

Exit codes: 0 done, 64 wrong usage.";

/// The array.
#[derive(Debug, Args)]
pub struct SimulatedArrayArgs {
    /// RAID level, instead of ARRAY or of its own; compare takes several
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',', value_parser = level())]
    pub raid: Vec<RaidLevel>,

    /// How many disks; compare takes several
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=512))]
    pub disks: Vec<u32>,

    /// Bytes on one disk before the next one's turn (default: 64 KiB); compare takes several
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub element: Vec<u64>,

    /// Behind --raid: the array is a controller's, not Linux md's
    #[arg(long)]
    pub controller: bool,

    /// The array and the partition of a stack that was checked: a document of `check --json`
    #[arg(long, value_name = "CHECK.json", conflicts_with = "raid")]
    pub from: Option<PathBuf>,

    /// The cache of the controller: none, through, back:SIZE; compare takes several
    #[arg(long, value_name = "CACHE,…", value_delimiter = ',', value_parser = cache)]
    pub cache: Vec<CacheArg>,

    /// LVM on the partition: where its extents begin in it
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub lvm: Option<u64>,

    /// Thin chunks of this size, each one anywhere
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub thin: Option<u64>,

    /// A file system that reads and writes blocks of this size as a whole
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub fs_block: Option<u64>,

    /// The time of a disk for an I/O, instead of that of the array: 5ms, 200us
    #[arg(long, value_name = "TIME", value_parser = ioalign_simulate::description::nanoseconds)]
    pub service: Option<u64>,
}

/// The array, the workload and how long it runs.
#[derive(Debug, Args)]
pub struct SimulatedLoadArgs {
    /// The array (LEVEL:DISKSxELEMENT[:md|controller], single, a name of `simulate list`, FILE.toml; none with --raid
    /// or --from), then the workload (randread:16k:qd8, a named job of measure, JOB.toml; none with --replay)
    #[arg(value_names = ["ARRAY", "WORKLOAD"], num_args = 0..=2)]
    pub words: Vec<String>,

    #[command(flatten)]
    pub array: SimulatedArrayArgs,

    /// Requests that count, of every arm
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub ios: u64,

    /// Requests before those (default: ten for each in flight, and what fills the cache)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub warm_up: Option<u64>,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// Runs with seeds S, S+1, …: an interval for the I/Os a second; all else is of the first run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,

    /// How much of the volume is used (default: what the job says, else all)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<u64>,

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

    /// Where the partition starts (default: 0; with --from where it does)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub start: Option<u64>,

    /// The requests of a trace instead of a workload
    #[arg(long, value_name = "TRACE", num_args = 1..)]
    pub replay: Vec<PathBuf>,

    /// Replay: so many in flight
    #[arg(long, value_name = "N", default_value_t = 8, conflicts_with = "open", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub depth: u32,

    /// Replay: at the times of the trace, however many are in flight
    #[arg(long, requires = "replay")]
    pub open: bool,

    #[command(flatten)]
    pub source: SourceArgs,
}

#[derive(Debug, Args)]
pub struct SimulateCompareArgs {
    #[command(flatten)]
    pub load: SimulatedLoadArgs,

    /// Where the partition starts: the first is compared with the others (default: 63s,2048s; with --from where it
    /// does, then 2048s)
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub starts: Vec<u64>,

    /// Write a page (html), a drawing (svg), a table (csv) or a document (json) with the gains by block size
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,
}

#[derive(Debug, Args)]
pub struct SimulateCalibrateArgs {
    /// A block device or a file that begins on the grids of its array
    pub target: PathBuf,

    /// The array below: as in `simulate run`
    #[arg(long, value_name = "ARRAY")]
    pub array: String,

    /// What is predicted: the cost of this offset
    #[arg(long, value_name = "SIZE", default_value = "63s", value_parser = size)]
    pub offset: u64,

    /// How far a prediction may be off the measured ratio
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = share)]
    pub tolerance: f64,

    #[command(flatten)]
    pub cells: CellArgs,

    /// Load before a cell counts
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = millis)]
    pub ramp: u64,

    /// The time for a cell's aligned I/O, and the most for the comparison
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = millis)]
    pub time: u64,

    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Debug, Args)]
pub struct SimulatePublishedArgs {
    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// Requests of each run
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    pub ios: u64,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulateProvisionArgs {
    /// Load points: so many tiles
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,7,13", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub tiles: Vec<u32>,

    /// The groups: arrays of `simulate list`
    #[arg(
        long,
        value_name = "ARRAY,…",
        value_delimiter = ',',
        default_value = "ssd-group,hdd-group"
    )]
    pub disk: Vec<String>,

    /// How much of the groups is allocated to volumes
    #[arg(long, value_name = "PERCENT,…", value_delimiter = ',', default_value = "50,100", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub filled: Vec<u32>,

    /// Requests of each run, of all tenants
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000_000))]
    pub ios: u64,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulatePlacementArgs {
    /// Nodes of the cluster
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=1024))]
    pub nodes: u32,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    #[command(flatten)]
    pub look: LookArgs,
}

/// A cache, as typed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CacheArg {
    /// Every request goes to the disks.
    None,
    /// Writes go to the disks.
    Through,
    /// So many bytes of writes wait in the cache.
    Back(u64),
}

fn cache(text: &str) -> Result<CacheArg, String> {
    match text.split_once(':') {
        None if text == "none" => Ok(CacheArg::None),
        None if text == "through" => Ok(CacheArg::Through),
        Some(("back", bytes)) => {
            let bytes = size(bytes)?;
            let fits = (65_536..=1 << 42).contains(&bytes);
            fits.then_some(CacheArg::Back(bytes))
                .ok_or_else(|| "a cache has 64 KiB to 4 TiB".to_owned())
        }
        _ => Err("a cache is none, through or back:SIZE".to_owned()),
    }
}

fn level() -> impl TypedValueParser<Value = RaidLevel> {
    let names = PossibleValuesParser::new(RaidLevel::ALL.map(|(name, _)| name));
    names.try_map(|typed| {
        let known = RaidLevel::ALL.iter().find(|(name, _)| *name == typed);
        known.map(|(_, level)| *level).ok_or("not known")
    })
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
