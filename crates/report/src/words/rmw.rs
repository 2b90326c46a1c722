//! Read-modify-write in a sentence, and what it does to iostat's columns.

use ioalign_core::profile::ReadBeforeOverwrite;

use super::numbers::{share, thousands, time};

/// Small reads beside large writes.
pub fn overwrites(found: &ReadBeforeOverwrite) -> String {
    format!(
        "{} small reads beside {} large writes, and {} of the pages read are overwritten by a large write later. \
         Something above writes pieces that begin or end inside a 4 KiB page (buffered overwrites, a partition or file \
         that starts off it), and reads those pages first",
        thousands(found.small_reads),
        thousands(found.large_writes),
        share(found.overwritten_pages, found.read_pages)
    )
}

/// Which column misleads: the read that a write waits for is another I/O. Mean microseconds of both.
pub fn misleading_await(read: f64, write: f64) -> String {
    format!(
        "iostat's w_await misleads here: it has the writes alone, {} from issue to completion, and not the read of {} \
         that comes before such a write, which is in r_await.",
        time(write),
        time(read)
    )
}
