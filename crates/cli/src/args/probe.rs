//! The arguments of `probe`.

use std::path::PathBuf;

use clap::Args;
use ioalign_measure::jobs::values::{millis, target_size};

use super::LookArgs;

pub const EXAMPLES: &str = "\
Examples:
  ioalign probe /dev/sdb                     stripe unit, first boundary, columns: reads only
  ioalign probe /dev/sdb --json
  ioalign probe /dev/sdb --time 10m          on a slow or a busy device
  ioalign probe /dev/sdc --write --destroy-data /dev/sdc     the units of writes too
  ioalign check /dev/sdb --grid 65536@512:stripe-unit:preference

Times alone decide; what the device says of itself is shown beside them. Only reads are sent
without --write.

Exit codes: 0 found, 1 none visible, 64 wrong usage, or a refusal that an argument would lift; 65
the target cannot be used; 130 interrupted: what was found until then is shown.";

#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// A block device or a file
    pub target: PathBuf,

    /// Also look for the units of writes, and for copies and parity: refused where the target is in use, or holds
    /// data
    #[arg(long)]
    pub write: bool,

    /// The target named again: what it holds may be overwritten
    #[arg(long, value_name = "TARGET", requires = "write")]
    pub destroy_data: Option<PathBuf>,

    /// Use this much of the target; a missing file is created with this size and filled
    #[arg(long, value_name = "SIZE", value_parser = target_size)]
    pub size: Option<u64>,

    /// The most time; it ends before when it is certain
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = millis)]
    pub time: u64,

    /// Another seed gives other places and another order
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub look: LookArgs,
}
