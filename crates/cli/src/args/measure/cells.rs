//! The compared I/O, and the required certainty.

use clap::Args;
use clap::builder::RangedI64ValueParser;
use ioalign_core::workload::Pattern;
use ioalign_measure::jobs::values;

/// The cells of a comparison: all combinations.
#[derive(Debug, Args)]
pub struct CellArgs {
    /// Sizes of I/Os
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = values::block)]
    pub sizes: Vec<u64>,

    /// Operations: read, write, read-70 (70 % reads)
    #[arg(long, value_name = "OP,…", value_delimiter = ',', value_parser = values::op)]
    pub ops: Vec<f64>,

    /// Orders of places: random, sequential, zipf:1.2
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',', value_parser = values::pattern)]
    pub patterns: Vec<Pattern>,

    /// I/Os in flight a worker
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = number())]
    pub depth: Vec<u32>,

    /// Threads, each with a queue of its own
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = number())]
    pub workers: Vec<u32>,
}

/// More in flight than this no device has.
pub fn number() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=4096)
}

/// When an answer is one.
#[derive(Clone, Debug, Args)]
pub struct StatsArgs {
    /// That all intervals of the run hold the truth
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = confidence)]
    pub confidence: f64,

    /// Differences up to this do not matter
    #[arg(long, value_name = "SHARE", default_value = "0.5%", value_parser = values::share)]
    pub rope: f64,

    /// Latency alone: no time with a full queue, for throughput and processor time
    #[arg(long)]
    pub no_saturate: bool,
}

pub fn confidence(text: &str) -> Result<f64, String> {
    let share = values::share(text)?;
    let sensible = (0.5..0.999_999).contains(&share);
    sensible
        .then_some(share)
        .ok_or_else(|| "from 50% to 99.9999%".to_owned())
}
