//! Read-modify-write by a layer above the device: small reads of pages that a large write overwrites later.
//!
//! A file system or page cache that is given a piece which begins or ends inside a page reads that page, merges, and
//! writes much more at once, on whole pages: the writes look perfect, and only the small reads beside them tell.

use serde::{Deserialize, Serialize};

use crate::units::ratio;

/// Pages before anything is said.
const FEWEST: u64 = 30;

/// Small reads beside large writes, counted by pages of 4 KiB.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBeforeOverwrite {
    /// Reads of 16 KiB at most.
    pub small_reads: u64,
    /// Pages that they touched.
    pub read_pages: u64,
    /// Writes of more than 32 KiB.
    pub large_writes: u64,
    /// Pages that a small read touched, and a large write later.
    pub overwritten_pages: u64,
    /// Pages that a large write touched, and a small read later: the control, for both happen by chance alike.
    pub reread_pages: u64,
    /// Pages of the large writes that overwrote such a page.
    pub overwriting_pages: u64,
    /// Enough of them, more than by chance, and few of what is written: this is read-modify-write.
    pub seen: bool,
}

impl ReadBeforeOverwrite {
    /// With the verdict on its counters. A database that reads pages, changes them and writes them in larger pieces has
    /// read most of what it writes; who completes a page at either end has read little of it.
    #[must_use]
    pub fn judged(self) -> Self {
        let (found, read) = (self.overwritten_pages, self.read_pages.max(1));
        let ends = ratio(found, self.overwriting_pages.max(1)) <= 0.25;
        Self {
            seen: found >= FEWEST
                && ratio(found, read) >= 0.5
                && found >= self.reread_pages.saturating_mul(2)
                && ends,
            ..self
        }
    }

    /// The counters of both.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        let sum = u64::saturating_add;
        Self {
            small_reads: sum(self.small_reads, more.small_reads),
            read_pages: sum(self.read_pages, more.read_pages),
            large_writes: sum(self.large_writes, more.large_writes),
            overwritten_pages: sum(self.overwritten_pages, more.overwritten_pages),
            reread_pages: sum(self.reread_pages, more.reread_pages),
            overwriting_pages: sum(self.overwriting_pages, more.overwriting_pages),
            seen: false,
        }
        .judged()
    }
}
