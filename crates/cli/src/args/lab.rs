//! The arguments of `lab`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use ioalign_core::tear_document::{TestedEngine, UNITS};
use ioalign_measure::jobs::values::{millis, size};

use super::{LookArgs, ReplaceArgs};

#[derive(Debug, Args)]
pub struct LabArgs {
    #[command(subcommand)]
    pub verb: LabVerb,
}

#[derive(Debug, Subcommand)]
pub enum LabVerb {
    /// The experiments, a line each
    List(LabListArgs),
    /// One experiment: a kernel, disks and ioalign in a virtual machine; the published figures beside
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Box<LabRunArgs>),
    /// All experiments, one after the other, each with a page of its own
    #[command(after_long_help = ALL_EXAMPLES)]
    All(Box<LabAllArgs>),
    /// Torn pages, proved: MariaDB, PostgreSQL and SQLite on a disk that loses power in the middle of a write
    #[command(after_long_help = TEAR_EXAMPLES)]
    Tear(Box<LabTearArgs>),
    /// A shell in a virtual machine with the layers of an experiment
    #[command(after_long_help = SHELL_EXAMPLES)]
    Shell(LabShellArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  ioalign lab run raid10-six-scenarios --quick           in a minute
  ioalign lab run raid10-six-scenarios -o page.html      the full size, as a page too
  ioalign lab run raid5-small-writes --json > raid5.json
  ioalign lab run my-experiment.toml                     one of your own

It needs QEMU, a Debian kernel in /boot (or unpacked in the folder that IOALIGN_VM_KERNEL names), busybox, kmod and the
programs of the experiment; no root, no network, and it touches no disk of this machine. Time is that of the guest
alone, so a busy machine measures the same. Finished cells are kept: an interrupted run goes on where it ended.

Exit codes: 0 done, and all that was predicted is so; 1 something differs; 64 wrong usage; 65 something is missing, or a
guest failed; 130 interrupted: finished cells are kept.";

const ALL_EXAMPLES: &str = "\
Examples:
  ioalign lab all --quick
  ioalign lab all --folder pages                         NAME.html and NAME.json of each

Exit codes: 0 done, and all that was predicted is so; 1 something differs; 64 wrong usage; 65 something is missing, or a
guest failed; 130 interrupted: finished cells are kept.";

const TEAR_EXAMPLES: &str = "\
Examples:
  ioalign lab tear --quick                               every database, a few minutes
  ioalign lab tear --database mariadb --unit 16k         a disk that writes a page of InnoDB in one piece
  ioalign lab tear --points 100 --every-point --json > tear.json

Each arrangement is a database with its protection on or off, a partition at sector 63 or 2048, and the unit that the disk
writes in one piece. The database is loaded, the disk loses power while it writes a page and forgets what was not
flushed, the database recovers, every page is read, and what was acknowledged has to be there.

It needs root, FUSE, loop devices, ext4 and the servers of the databases; they run on a file in memory, and on no disk of
this machine.

Exit codes: 0 all came as predicted; 1 something differs; 64 wrong usage; 65 something is missing; 130 interrupted.";

const SHELL_EXAMPLES: &str = "\
Examples:
  ioalign lab shell                                      the first stack of the first experiment
  ioalign lab shell raid5-small-writes --arm 2048

The end of the shell ends the virtual machine. Time is real there.

Exit codes: 0 done, 64 wrong usage, 65 something is missing.";

#[derive(Debug, Args)]
pub struct LabListArgs {
    #[command(flatten)]
    pub look: LookArgs,
}

/// How experiments are run.
#[derive(Debug, Args)]
pub struct LabSizeArgs {
    /// The small size, in less than two minutes
    #[arg(long)]
    pub quick: bool,

    /// Real time instead of virtual time: it varies with the load of this machine
    #[arg(long)]
    pub real_time: bool,

    /// Rows of the table of a database (default: as the experiment says)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..=100_000_000))]
    pub rows: Option<u64>,

    /// Run again what was finished before
    #[arg(long)]
    pub fresh: bool,

    /// Kill a guest after this time (default: by its loads)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,
}

#[derive(Debug, Args)]
pub struct LabRunArgs {
    /// A name of `lab list`, or a file that ends in .toml
    #[arg(value_name = "NAME|FILE.toml")]
    pub experiment: PathBuf,

    #[command(flatten)]
    pub size: LabSizeArgs,

    /// Write a page (html) or a document (json) too
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct LabAllArgs {
    #[command(flatten)]
    pub size: LabSizeArgs,

    /// Write NAME.html and NAME.json of each into this folder
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct LabTearArgs {
    /// Only these databases
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub database: Vec<DatabaseArg>,

    /// Only disks that write this much in one piece: 512, 4k, 8k, 16k
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = torn_unit)]
    pub unit: Vec<u64>,

    /// Losses of power for each arrangement (default: 20; 3 with --quick); one that has to lose a page has up to eight times as
    /// many until it does
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub points: Option<u32>,

    /// Go on after the first damaged page of an arrangement that has to have one
    #[arg(long)]
    pub every_point: bool,

    /// Fewer: units of 4 and 16 KiB, three losses of power
    #[arg(long)]
    pub quick: bool,

    /// Of moments and cuts
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    #[command(flatten)]
    pub look: LookArgs,
}

/// A database of `lab tear`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum DatabaseArg {
    /// MariaDB with InnoDB
    Mariadb,
    /// PostgreSQL
    Postgresql,
    /// SQLite
    Sqlite,
}

impl From<DatabaseArg> for TestedEngine {
    fn from(argument: DatabaseArg) -> Self {
        match argument {
            DatabaseArg::Mariadb => Self::MariaDb,
            DatabaseArg::Postgresql => Self::PostgreSql,
            DatabaseArg::Sqlite => Self::Sqlite,
        }
    }
}

fn torn_unit(text: &str) -> Result<u64, String> {
    let unit = size(text)?;
    if UNITS.contains(&unit) {
        return Ok(unit);
    }
    Err("a disk writes 512, 4k, 8k or 16k in one piece".to_owned())
}

#[derive(Debug, Args)]
pub struct LabShellArgs {
    /// A name of `lab list`, or a file that ends in .toml
    #[arg(value_name = "NAME|FILE.toml")]
    pub experiment: Option<PathBuf>,

    /// A part of the name of the stack (default: the first)
    #[arg(long, value_name = "NAME")]
    pub arm: Option<String>,
}

fn time(text: &str) -> Result<Duration, String> {
    millis(text).map(Duration::from_millis)
}
