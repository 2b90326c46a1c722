//! The arguments of `trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
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

    /// Columns of a table (time=0,op=1,offset=2,len=3[,latency=4,device=5,process=6,read=R,write=W],
    /// by number from 0 or by name), or the -f of blkparse (%T.%9t %p %a %d %S + %n)
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,

    /// Unit of times, where the format leaves it open: s, ms, us, ns
    #[arg(long, value_name = "UNIT", value_parser = time_unit)]
    pub time_unit: Option<u64>,

    /// Unit of offsets, where the format leaves it open: bytes in one of them (1, 512, 4096)
    #[arg(long, value_name = "BYTES", value_parser = offset_unit)]
    pub offset_unit: Option<u32>,

    /// Count I/Os as they arrive in the block layer, or as the driver gets them
    #[arg(long, value_enum, value_name = "STAGE")]
    pub stage: Option<StageArg>,

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

/// Where I/Os are counted.
#[derive(Copy, Clone, Debug, ValueEnum)]
pub enum StageArg {
    /// As they arrive (blktrace Q): before merging
    Queue,
    /// As the driver gets them (blktrace D): after merging
    Issue,
}

/// Nanoseconds of a unit of time.
fn time_unit(text: &str) -> Result<u64, String> {
    match text {
        "s" => Ok(1_000_000_000),
        "ms" => Ok(1_000_000),
        "us" => Ok(1_000),
        "ns" => Ok(1),
        _ => Err("s, ms, us or ns".to_owned()),
    }
}

/// Bytes of a unit of offsets.
fn offset_unit(text: &str) -> Result<u32, String> {
    let unit = text
        .parse()
        .ok()
        .filter(|unit: &u32| (1..=1 << 20).contains(unit));
    unit.ok_or_else(|| "bytes in one unit, 1 to 1048576: 512 where offsets are sectors".to_owned())
}
