//! The arguments of `lab`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use ioalign_measure::jobs::values::millis;

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
