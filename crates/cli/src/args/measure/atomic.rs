//! The arguments of `measure atomic`.

use std::path::PathBuf;

use clap::Args;
use ioalign_measure::jobs::values::{block, millis};

use super::HowArgs;
use super::cells::number;

pub const EXAMPLES: &str = "\
Examples:
  ioalign measure atomic /srv/db/scratch.dat --size 4G --write
  ioalign measure atomic /dev/nvme1n1 --write --destroy-data /dev/nvme1n1 --page 8k
  ioalign measure atomic scratch.dat --size 1G --write --batch 1      a page at a time
  ioalign measure atomic scratch.dat --size 4G --write --json -o pages.json

Three arms write the same batches of pages and flush them, in random order: twice, as a doublewrite buffer
does (InnoDB: all pages of the batch to an area of their own, a flush, then to their places, a flush);
atomic, marked RWF_ATOMIC; and once, by plain writes, which may be torn. An I/O of the table is a page,
a latency is that of a batch.

Exit codes: 0 done, 64 wrong usage, or the target takes no such atomic writes (`ioalign check PATH
--atomic SIZE` says why); 65 the target cannot be used; 130 interrupted: what was measured is shown.";

#[derive(Debug, Args)]
pub struct AtomicCostArgs {
    /// A block device or a file; a file that is not there is created with --size
    pub target: PathBuf,

    /// The page of the database
    #[arg(long, value_name = "SIZE", default_value = "16k", value_parser = block)]
    pub page: u64,

    /// Pages that are written at once and flushed
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = number())]
    pub batch: u32,

    /// Load before it counts
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = millis)]
    pub ramp: u64,

    /// The most time; it ends before when it is certain
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = millis)]
    pub time: u64,

    #[command(flatten)]
    pub how: HowArgs,
}
