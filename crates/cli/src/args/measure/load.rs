//! The I/O of a plain load: what is typed wins over the job.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use ioalign_core::workload::{Pattern, SizeShare};
use ioalign_measure::jobs::values;

/// The I/O, how much at once, and for how long.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// Size of I/Os, or a mix with weights: 4k:70,64k:30 (default: as the job says)
    #[arg(long, value_name = "SIZE[:N],…", value_parser = sizes)]
    pub sizes: Option<BlockSizeMix>,

    /// Operation: read, write, read-70 (70 % reads)
    #[arg(long, value_name = "OP", value_parser = values::op)]
    pub op: Option<f64>,

    /// Order of places: random, sequential, zipf:1.2
    #[arg(long, value_name = "PATTERN", value_parser = values::pattern)]
    pub pattern: Option<Pattern>,

    /// Added to every place
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub offset: Option<u64>,

    /// Places are multiples of this before the offset is added (default: of each I/O's own size)
    #[arg(long, value_name = "SIZE", value_parser = values::block)]
    pub align: Option<u64>,

    /// I/Os in flight a worker
    #[arg(long, value_name = "N", value_parser = super::cells::number())]
    pub depth: Option<u32>,

    /// Threads, each with a queue of its own
    #[arg(long, value_name = "N", value_parser = super::cells::number())]
    pub workers: Option<u32>,

    /// A flush after this many writes of a worker; 0: none
    #[arg(long, value_name = "N")]
    pub fsync: Option<u32>,

    /// Mark each write `RWF_ATOMIC`: written in one piece, or refused before the first
    #[arg(long)]
    pub atomic: bool,

    /// The most I/Os a second, of all workers together
    #[arg(long, value_name = "IOPS", value_parser = rate())]
    pub rate: Option<u64>,

    /// Load before anything counts
    #[arg(long, value_name = "TIME", value_parser = values::millis)]
    pub ramp: Option<u64>,

    /// Load that counts, of every step
    #[arg(long, value_name = "TIME", value_parser = values::millis)]
    pub time: Option<u64>,
}

/// A mix of sizes: one argument for `clap`, which would take a list for several.
#[derive(Clone, Debug)]
pub struct BlockSizeMix(pub Vec<SizeShare>);

fn sizes(text: &str) -> Result<BlockSizeMix, String> {
    values::mix(text).map(BlockSizeMix)
}

fn rate() -> RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..=1_000_000_000)
}
