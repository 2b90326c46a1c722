//! The arguments of `measure`.

mod atomic;
mod cells;
mod gate;
mod io;
mod load;
mod shown;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use ioalign_measure::jobs::values::{millis, size, target_size};

pub use atomic::AtomicCostArgs;
pub use cells::CellArgs;
use cells::StatsArgs;
pub use gate::GateArgs;
pub use io::{DataArgs, EngineArgs, TargetArgs, TheApi};
pub use load::LoadArgs;
pub use shown::ShownArgs;

#[derive(Debug, Args)]
pub struct MeasureArgs {
    #[command(subcommand)]
    pub verb: MeasureVerb,
}

#[derive(Debug, Subcommand)]
pub enum MeasureVerb {
    /// The same I/O at several offsets, interleaved, until it is certain whether they differ
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Many sizes, operations and patterns in one run, aligned and not: the table of the VMFS paper
    #[command(after_long_help = MATRIX_EXAMPLES)]
    Matrix(Box<MatrixArgs>),
    /// A plain load with rates, latencies and percentiles; jobs of fio go in and out
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// What it costs that no page of a database is torn: atomic writes beside doublewrite
    #[command(after_long_help = atomic::EXAMPLES)]
    Atomic(Box<AtomicCostArgs>),
    /// The load of recorded sessions once more: is it slower than it was? For CI
    #[command(after_long_help = gate::EXAMPLES)]
    Gate(Box<GateArgs>),
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  ioalign measure compare /dev/sdb                       4 KiB random reads, one and 16 in flight
  ioalign measure compare /dev/sdb --quick               the same within 10 s
  ioalign measure compare /dev/sdb --offsets 0,512,1536,32256 --sizes 4k,64k
  ioalign measure compare /dev/sdb --layout-a old.sfdisk --layout-b new.sfdisk
  ioalign measure compare scratch.dat --size 1G --write --ops write --cold
  ioalign measure compare /dev/sdc --write --destroy-data /dev/sdc --workload fio-1m-writes --offsets 0,1536
  ioalign measure compare /dev/nvme1n1 --write --destroy-data /dev/nvme1n1 --offsets 0,512 --write-amplification 20G
  ioalign measure compare /dev/sdb --vs /mnt/vm/disk.raw  a device against a file
  ioalign measure compare /dev/sdb1 --json -o before.json; (fix the layout)
  ioalign measure compare /dev/sdb1 --before before.json  the gain, with its interval

Only reads are sent without --write. Intervals hold at whatever moment one looks.

Exit codes: 0 done, nothing differs for certain; 1 something differs; 64 wrong usage, or a refusal
that an argument would lift; 65 the target cannot be used; 130 interrupted: what was measured is shown.";

const MATRIX_EXAMPLES: &str = "\
Examples:
  ioalign measure matrix /dev/sdb --quick                random reads of 4 and 64 KiB, in 10 s
  ioalign measure matrix /dev/sdb --ramp 1s --time 10s   16 read points in at most 3 minutes
  ioalign measure matrix /dev/sdc --write --destroy-data /dev/sdc -o matrix.html --format html
  ioalign measure matrix /dev/sdb --sizes 4k,64k --patterns random --depth 1,16 --format csv
  ioalign measure matrix /dev/sdb --vs /mnt/vm/disk.raw --ops read,read-60

The defaults are those of the VMFS paper: 1, 4, 8, 16, 32, 64, 72 and 128 KiB, read and write, random and
sequential, 16 in flight, 1 worker, 60 s of ramp, at most 4 min a point, 20 GiB, sector 63 against
sector 0. Points of writes need --write. A point ends when it is certain; --full gives it all its time.

Exit codes: 0 done, 64 wrong usage, or a refusal that an argument would lift; 65 the target cannot be
used; 130 interrupted: the points so far are shown, and are in the output file.";

const RUN_EXAMPLES: &str = "\
Examples:
  ioalign measure run /dev/sdb                           4 KiB random reads for 10 s
  ioalign measure run blender-70-30 scratch.dat --size 4G --write --ramp 5s --time 30s
  ioalign measure run /dev/sdb --sizes 4k:70,64k:30 --pattern zipf:1.2 --depth 8 --rate 2000
  ioalign measure run log.dat --size 1G --write --op write --pattern sequential --depth 1 --fsync 1
  ioalign measure run job.toml /dev/sdb
  ioalign measure run fio-1m-writes /dev/sdc --emit-fio > job.fio; fio job.fio
  ioalign measure run --from-fio job.fio --write
  ioalign measure run --from-fio job.fio --emit-fio      what of it would run
  ioalign measure run blender-70-30 /dev/sdb --profile-out sent.json
  ioalign measure run job.toml /dev/sdb --record baseline.json   a session for `measure gate`

Named jobs: iometer-vmfs, fio-1m-writes, sysbench-fileio, blender-70-30, iops-16-workers.

Exit codes: 0 done, 64 wrong usage, or a refusal that an argument would lift; 65 the target cannot be
used, or failed; 130 interrupted: what was sent until then is shown.";

/// The compared arms.
#[derive(Debug, Args)]
pub struct ArmArgs {
    /// Added to every place: the first is the baseline (default: 0,512,1536,32256; of a matrix 0,32256)
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub offsets: Vec<u64>,

    /// Instead of offsets: where the first data partition starts in this layout, the baseline: the text of
    /// sfdisk, parted, fdisk…, `check --json`, or an image
    #[arg(
        long,
        value_name = "FILE",
        requires = "layout_b",
        conflicts_with = "offsets"
    )]
    pub layout_a: Option<PathBuf>,

    /// The same of the layout to compare it with
    #[arg(long, value_name = "FILE", requires = "layout_a")]
    pub layout_b: Option<PathBuf>,

    /// The partition of the layouts, instead of the first data partition
    #[arg(long, value_name = "N", requires = "layout_a")]
    pub partition: Option<u32>,

    /// Another target, compared with the first at the same offset
    #[arg(long, value_name = "TARGET", conflicts_with = "layout_a")]
    pub vs: Option<PathBuf>,
}

/// The options that `compare` and `matrix` share, besides the compared arms.
#[derive(Clone, Debug, Args)]
pub struct HowArgs {
    #[command(flatten)]
    pub stats: StatsArgs,
    #[command(flatten)]
    pub io: TargetArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub shown: ShownArgs,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A block device, a file, or a folder (64 files in it)
    pub target: PathBuf,

    #[command(flatten)]
    pub arms: ArmArgs,

    /// Compare with an earlier document of this verb: the same cells, and the layout of then as an arm
    /// where the target's start on its disk has changed
    #[arg(long, value_name = "SAVED.json", conflicts_with_all = ["offsets", "layout_a", "vs", "workload"])]
    pub before: Option<PathBuf>,

    /// The I/O of a named job or a job file instead of sizes, operations and patterns
    #[arg(long, value_name = "NAME|JOB.toml", conflicts_with_all = ["sizes", "ops", "patterns", "depth", "workers"])]
    pub workload: Option<String>,

    #[command(flatten)]
    pub cells: CellArgs,

    /// Load before a cell counts
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = millis)]
    pub ramp: u64,

    /// The most time for a cell; it ends before when it is certain
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = millis)]
    pub time: u64,

    /// An answer within 10 s: all cells share 8 s, on no more of the target than 1 GiB
    #[arg(long, conflicts_with_all = ["ramp", "time"])]
    pub quick: bool,

    /// Then let each arm write this much, and read from the drive's own counters (NVMe) what went to its media
    #[arg(long, value_name = "SIZE", value_parser = target_size, requires = "write", conflicts_with = "quick")]
    pub write_amplification: Option<u64>,

    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// A block device, a file, or a folder (64 files in it)
    pub target: PathBuf,

    #[command(flatten)]
    pub arms: ArmArgs,
    #[command(flatten)]
    pub cells: CellArgs,

    /// Load before a point counts
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = millis)]
    pub ramp: u64,

    /// The most time for a point; it ends before when it is certain
    #[arg(long, value_name = "TIME", default_value = "4m", value_parser = millis)]
    pub time: u64,

    /// An answer within 10 s: 4 and 64 KiB, random, where nothing else is typed; all points share 8 s, without a
    /// ramp, on no more of the target than 1 GiB
    #[arg(long, conflicts_with_all = ["ramp", "time", "full"])]
    pub quick: bool,

    /// Every point gets all its time, also when it is certain before
    #[arg(long)]
    pub full: bool,

    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A named job or a job file (*.toml) first, where it is not to be 4 KiB random reads; then devices,
    /// files or folders, one or several
    #[arg(value_name = "JOB|TARGET")]
    pub what: Vec<PathBuf>,

    /// Run a job file of fio; what has no place here is said, and refused where it makes another job
    #[arg(long, value_name = "JOB")]
    pub from_fio: Option<PathBuf>,

    /// Run what is left of a job of fio that would be refused
    #[arg(long, requires = "from_fio")]
    pub lenient: bool,

    /// Write the equivalent job file of fio instead of running anything
    #[arg(long)]
    pub emit_fio: bool,

    /// Write what was sent as a profile (`ioalign.profile/1`)
    #[arg(long, value_name = "FILE")]
    pub profile_out: Option<PathBuf>,

    /// Add this run to the sessions of a baseline, which `measure gate` compares with; a file that is not
    /// there is begun
    #[arg(long, value_name = "BASELINE.json", conflicts_with = "emit_fio")]
    pub record: Option<PathBuf>,

    #[command(flatten)]
    pub replace: super::ReplaceArgs,

    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub io: TargetArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub look: super::LookArgs,
}
