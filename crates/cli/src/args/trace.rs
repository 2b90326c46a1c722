//! The arguments of `trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use ioalign_core::GridSpec;

#[derive(Debug, Args)]
pub struct TraceArgs {
    #[command(subcommand)]
    pub verb: TraceVerb,
}

#[derive(Debug, Subcommand)]
pub enum TraceVerb {
    /// Which I/O crosses which grid, by device, operation and process
    #[command(after_long_help = SUMMARIZE_EXAMPLES)]
    Summarize(SummarizeArgs),
}

const SUMMARIZE_EXAMPLES: &str = "\
Examples:
  ioalign trace summarize sda.blktrace.*           the per-CPU files of one blktrace
  blkparse -i sda | ioalign trace summarize -      its text, from standard input
  ioalign trace summarize trace.csv.gz --as msr --grid 64k:raid-chunk:rmw --json";

#[derive(Debug, Args)]
pub struct SummarizeArgs {
    /// Trace files of one machine and time, `-` for standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// The format, where it is not recognised by itself
    #[arg(long = "as", value_name = "FORMAT")]
    pub format: Option<String>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "Judge against this grid beside all powers of two: SIZE[@PHASE][:KIND][:TIER]"
    )]
    pub grid: Vec<GridSpec>,

    /// Parsing threads (default: all processors)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// One JSON document instead of text
    #[arg(long)]
    pub json: bool,
}
