//! The arguments of `advise`.

use std::path::PathBuf;

use clap::Args;

use super::LookArgs;

pub const EXAMPLES: &str = "\
Examples:
  ioalign check /dev/sda --json >check.json
  ioalign watch sda --duration 10m --json >profile.json
  ioalign measure matrix /dev/sda --offsets 0,32256 --json >cost.json
  ioalign advise --stack check.json --profile profile.json --cost cost.json
  ioalign advise --stack check.json --array raid5:6x64k:md    the cost is simulated
  ioalign advise --stack check.json          says what it assumes, and how to know

Exit codes: 0 nothing to fix or leave it, 1 something to fix now or at the next outage,
64 wrong usage, 65 a document cannot be read, or is of another device than the stack.";

#[derive(Debug, Args)]
pub struct AdviseArgs {
    /// Layers and their grids: a document of `check --json`
    #[arg(long, value_name = "CHECK.json")]
    pub stack: PathBuf,

    /// The workload: a document of `watch --json`, `trace summarize --json` or `measure run --profile-out`
    #[arg(long, value_name = "PROFILE.json")]
    pub profile: Option<PathBuf>,

    /// The cost of crossing: a document of `measure compare --json` or `measure matrix --json`
    #[arg(long, value_name = "COMPARISON.json")]
    pub cost: Option<PathBuf>,

    /// An array in place of a measurement (as in `simulate`): what crossing costs is simulated, and the advice says so
    #[arg(long, value_name = "ARRAY", conflicts_with = "cost")]
    pub array: Option<String>,

    /// The profile and the measurement speak for the stack, though they name no device of it: the advice says so
    #[arg(long)]
    pub assume_same: bool,

    #[command(flatten)]
    pub look: LookArgs,
}
