//! The arguments of `measure gate`.

use std::path::PathBuf;

use clap::Args;
use ioalign_measure::jobs::values;

use super::cells::confidence;
use super::{EngineArgs, TargetArgs};
use crate::args::{LookArgs, ReplaceArgs};

pub const EXAMPLES: &str = "\
Examples:
  ioalign measure run job.toml /dev/sdb --record baseline.json   a session; at ten times or more
  ioalign measure gate baseline.json                             is it slower today?
  ioalign measure gate baseline.json --slower 5% --time 60s --junit gate.xml
  ioalign measure gate baseline.json --write                     where the load writes

A session of today is compared with what sessions of an unchanged machine do among themselves. Where two things can run side
by side, `measure compare --vs` needs no baseline and resolves far less than this.

Exit codes: 0 pass: a slowdown of --slower is excluded; 1 fail: it is slower; 3 undecided; 64 wrong usage, or a
refusal that an argument would lift; 65 the baseline is too small, or the target cannot be used; 130 interrupted.";

#[derive(Debug, Args)]
pub struct GateArgs {
    /// Sessions that `measure run --record` has written: at least five
    #[arg(value_name = "BASELINE.json")]
    pub baseline: PathBuf,

    /// The least slowdown that has to be found: of the mean time of an I/O
    #[arg(long, value_name = "SHARE", default_value = "2%", value_parser = slower)]
    pub slower: f64,

    /// That a fail, and a pass, is right
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = confidence)]
    pub confidence: f64,

    /// The most load that counts, of every step (default: that of the sessions); it ends before when it is certain
    #[arg(long, value_name = "TIME", value_parser = values::millis)]
    pub time: Option<u64>,

    /// Write the answer as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,
    #[command(flatten)]
    pub io: TargetArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub look: LookArgs,
}

fn slower(text: &str) -> Result<f64, String> {
    let share = values::share(text)?;
    (share > 0.0)
        .then_some(share)
        .ok_or_else(|| "a slowdown of more than 0".to_owned())
}
