//! Small reads of pages that a large write overwrites later, in one table of bits: no list of reads, no clock.
//!
//! A region of 64 pages is a word of pages that were read, and one of pages that were written. The table is as large as
//! what a page cache holds back; a region that is forgotten makes the signature weaker, never stronger.

use ioalign_core::profile::ReadBeforeOverwrite;

use crate::record::{Io, Op};

/// A page, as a power of two.
const PAGE: u32 = 12;
/// Pages of a region, as a power of two.
const REGION: u32 = 6;
/// Regions of one write that are looked at: 16 MiB, more than a request has.
const MOST: u64 = 64;

/// Whether a read of this length may complete a page or a few.
pub const fn is_small(bytes: u64) -> bool {
    bytes > 0 && bytes <= 16 << 10
}

/// Whether a write of this length covers many pages.
pub const fn is_large(bytes: u64) -> bool {
    bytes > 32 << 10
}

#[derive(Copy, Clone, Default)]
struct PageRegion {
    /// Its number, plus one; 0 is none.
    number: u64,
    read: u64,
    written: u64,
}

/// The reads and writes of one device.
pub struct Overwrites {
    /// Made at the first small read.
    table: Vec<PageRegion>,
    regions: usize,
    counted: ReadBeforeOverwrite,
}

impl Overwrites {
    /// With a table of this many regions, a power of two.
    pub const fn new(regions: usize) -> Self {
        Self {
            table: Vec::new(),
            regions,
            counted: ReadBeforeOverwrite {
                small_reads: 0,
                read_pages: 0,
                large_writes: 0,
                overwritten_pages: 0,
                reread_pages: 0,
                overwriting_pages: 0,
                seen: false,
            },
        }
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        match io.op {
            Op::Read if is_small(io.len.into()) => self.read(io),
            Op::Write if is_large(io.len.into()) && !self.table.is_empty() => self.write(io),
            _ => {}
        }
    }

    #[inline]
    fn read(&mut self, io: &Io) {
        if self.table.is_empty() {
            self.table = vec![PageRegion::default(); self.regions.max(1)];
        }
        let counted = &mut self.counted;
        counted.small_reads += 1;
        for (number, pages) in regions(io) {
            let region = slot(&mut self.table, number);
            counted.read_pages += u64::from(pages.count_ones());
            counted.reread_pages += u64::from((region.written & pages).count_ones());
            region.written &= !pages;
            region.read |= pages;
        }
    }

    fn write(&mut self, io: &Io) {
        let (mut all, mut found) = (0, 0);
        for (number, pages) in regions(io) {
            let region = slot(&mut self.table, number);
            all += u64::from(pages.count_ones());
            found += u64::from((region.read & pages).count_ones());
            region.read &= !pages;
            region.written |= pages;
        }
        self.counted.large_writes += 1;
        self.counted.overwritten_pages += found;
        self.counted.overwriting_pages += if found > 0 { all } else { 0 };
    }

    /// Its part of the profile; `None` without such reads and writes.
    pub fn profile(&self) -> Option<ReadBeforeOverwrite> {
        let both = self.counted.small_reads > 0 && self.counted.large_writes > 0;
        both.then(|| self.counted.judged())
    }
}

/// The region with this number; what was in its place is forgotten.
#[inline]
fn slot(table: &mut [PageRegion], number: u64) -> &mut PageRegion {
    let places = table.len();
    // Below the length, of which there is one entry at least.
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
    let region = &mut table[number as usize % places];
    if region.number != number + 1 {
        *region = PageRegion {
            number: number + 1,
            ..PageRegion::default()
        };
    }
    region
}

/// The regions that an I/O touches, each with a bit for every page.
#[inline]
fn regions(io: &Io) -> impl Iterator<Item = (u64, u64)> + use<> {
    let first = io.offset >> PAGE;
    let last = io.offset.saturating_add(u64::from(io.len.max(1) - 1)) >> PAGE;
    let (from, to) = (first >> REGION, last >> REGION);
    (from..=to.min(from + MOST)).map(move |number| {
        let begin = first.saturating_sub(number << REGION).min(63);
        let end = last.saturating_sub(number << REGION).min(63);
        (number, u64::MAX << begin & u64::MAX >> (63 - end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(op: Op, offset: u64, len: u32) -> Io {
        Io {
            op,
            offset,
            len,
            ..Io::default()
        }
    }

    fn found(ios: impl IntoIterator<Item = Io>) -> ReadBeforeOverwrite {
        let mut all = Overwrites::new(16384);
        ios.into_iter().for_each(|io| all.add(&io));
        all.profile().unwrap_or_default()
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn pages_at_the_ends_of_large_writes_are_read_modify_write() {
        // 600 overwrites of 1 MiB at +1536: each ends in a page that is read; the writes are of whole pages.
        let reads = (0..=600).map(|n| io(Op::Read, n * MIB, 4096));
        let writes = (0..1200).map(|n| io(Op::Write, n * MIB / 2, 512 << 10));
        let all = found(reads.chain(writes));
        assert_eq!(
            (all.seen, all.small_reads, all.overwritten_pages),
            (true, 601, 600)
        );
        let mixed =
            (0..600).flat_map(|n| [io(Op::Read, n * MIB, 4096), io(Op::Write, n * MIB, 1 << 20)]);
        let all = found(mixed);
        assert_eq!(
            (all.seen, all.overwritten_pages, all.reread_pages),
            (true, 600, 0)
        );
    }

    #[test]
    fn what_happens_by_chance_or_to_all_pages_is_none() {
        // Random small reads while the same 64 MiB are rewritten again and again.
        let mut state = 7_u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % 16384 * 4096
        };
        let chance: Vec<_> = (0..4096_u64)
            .flat_map(|n| {
                [
                    io(Op::Read, random(), 4096),
                    io(Op::Write, n % 64 * MIB, 1 << 20),
                ]
            })
            .collect();
        assert!(!found(chance).seen);
        // A database reads pages of 8 KiB, and its checkpoint writes them merged.
        let pages = (0..1024).map(|n| io(Op::Read, n * 8192, 8192));
        let checkpoint = (0..64).map(|n| io(Op::Write, n * 131_072, 131_072));
        assert!(!found(pages.chain(checkpoint)).seen);
        // Nothing that was read is written.
        let apart = (0..600).flat_map(|n| {
            [
                io(Op::Read, n * 4096, 4096),
                io(Op::Write, (n + 600) * MIB, 1 << 20),
            ]
        });
        assert!(!found(apart).seen);
    }

    #[test]
    fn regions_have_the_pages_of_an_io() {
        let of = |offset, len| regions(&io(Op::Read, offset, len)).collect::<Vec<_>>();
        assert_eq!(of(0, 4096), [(0, 1)]);
        assert_eq!(of(4095, 2), [(0, 3)]);
        assert_eq!(of(63 * 4096, 8192), [(0, 1 << 63), (1, 1)]);
        assert_eq!(of(0, 1 << 20).len(), 4);
        assert!(of(u64::MAX - 4095, 8192).len() == 1);
        assert!(of(0, u32::MAX).len() <= 65);
    }
}
