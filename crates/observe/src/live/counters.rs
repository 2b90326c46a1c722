//! The counters of one operation on one device, over all processors, and what follows from them.

use std::collections::BTreeMap;

use ioalign_core::profile::SizeCount;

use super::histogram::Steps;
use super::layout::{
    BYTES, COUNTS, GRID, GRIDS, IN_4K, IN_512, IN_LOG, IOS, LENGTHS, ON_GRIDS, PAST, SECTORS,
    SIZES_4K, SIZES_512, STARTS, STRADDLE,
};

/// Counters of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCounters {
    pub(super) words: Vec<u64>,
    /// All, then straddling on each grid.
    pub(super) latency: Vec<Steps>,
    /// Sizes that the table has no place for.
    pub(super) odd: BTreeMap<u32, u64>,
}

/// Counters on one grid.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct GridCounters {
    /// I/Os that begin off it.
    pub start_off: u64,
    /// I/Os whose length is no multiple.
    pub length_off: u64,
    /// I/Os that would fit into a cell and lie in two.
    pub straddling: u64,
    /// Cells touched.
    pub touched: u64,
    /// Cells that the same lengths need at best.
    pub minimum: u64,
    /// Sum of the bytes past the boundary, over all that begin off the grid.
    pub past: u64,
}

impl OpCounters {
    pub(super) fn new(classes: usize) -> Self {
        Self {
            words: vec![0; COUNTS],
            latency: vec![Steps::default(); classes],
            odd: BTreeMap::new(),
        }
    }

    pub(super) fn merge(&mut self, words: &[u64; COUNTS]) {
        for (mine, more) in self.words.iter_mut().zip(words) {
            // The difference array has steps down: they wrap.
            *mine = mine.wrapping_add(*more);
        }
    }

    /// What was added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let words = self.words.iter().zip(&earlier.words);
        let latency = self.latency.iter().zip(&earlier.latency);
        let odd = self.odd.iter().map(|(len, now)| {
            let then = earlier.odd.get(len).copied().unwrap_or(0);
            (*len, now.saturating_sub(then))
        });
        Self {
            words: words.map(|(now, then)| now.wrapping_sub(*then)).collect(),
            latency: latency.map(|(now, then)| now.since(then)).collect(),
            odd: odd.filter(|(_, ios)| *ios > 0).collect(),
        }
    }

    fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }

    fn part(&self, at: usize, len: usize) -> &[u64] {
        self.words.get(at..at + len).unwrap_or_default()
    }

    /// I/Os.
    pub fn ios(&self) -> u64 {
        self.word(IOS)
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.word(BYTES)
    }

    /// Index k: starts that are multiples of 2^k bytes and not of 2^(k+1).
    pub fn starts(&self) -> &[u64] {
        self.part(STARTS, 64)
    }

    /// The same for lengths.
    pub fn lengths(&self) -> &[u64] {
        self.part(LENGTHS, 64)
    }

    /// Index k: I/Os that would fit into 2^k bytes and lie in two such cells.
    pub fn straddling(&self) -> Vec<u64> {
        let mut sum = 0_u64;
        let steps = self.part(STRADDLE, 64).iter();
        steps
            .map(|step| {
                sum = sum.wrapping_add(*step);
                sum
            })
            .collect()
    }

    /// Starts by 512-byte sector in 4 KiB.
    pub fn sectors(&self) -> [u64; 8] {
        let mut all = [0; 8];
        for (slot, count) in all.iter_mut().zip(self.part(SECTORS, 8)) {
            *slot = *count;
        }
        all
    }

    /// Index k: starts past the unit's boundary by 2^(k−1) to 2^k − 1 bytes; none at 0.
    pub fn past(&self) -> &[u64] {
        self.part(PAST, 65)
    }

    /// Every size, smallest first.
    pub fn sizes(&self) -> Vec<SizeCount> {
        let mut all: BTreeMap<u64, u64> = BTreeMap::new();
        let mut put = |bytes: u64, ios: u64| *all.entry(bytes).or_default() += ios;
        let tables = [(IN_512, SIZES_512, 9), (IN_4K, SIZES_4K, 12)];
        for (at, len, shift) in tables {
            for (count, index) in self.part(at, len).iter().zip(0_u64..) {
                put(index << shift, *count);
            }
        }
        for (count, bits) in self.part(IN_LOG, 33).iter().zip(0_u32..) {
            put(
                1_u64.checked_shl(bits.saturating_sub(1)).unwrap_or(0),
                *count,
            );
        }
        for (len, count) in &self.odd {
            put(u64::from(*len), *count);
        }
        let some = all.into_iter().filter(|(_, ios)| *ios > 0);
        some.map(|(bytes, ios)| SizeCount { bytes, ios }).collect()
    }

    /// Counters on a grid of the device, by its place in the list.
    pub fn grid(&self, n: usize) -> GridCounters {
        let at = ON_GRIDS + n.min(GRIDS) * GRID;
        GridCounters {
            start_off: self.word(at),
            length_off: self.word(at + 1),
            straddling: self.word(at + 2),
            touched: self.word(at + 3),
            minimum: self.word(at + 4),
            past: self.word(at + 5),
        }
    }

    /// Latency from issue to completion, of all.
    pub fn latency(&self) -> Option<ioalign_core::profile::Latency> {
        self.latency.first()?.summary()
    }

    /// Latency of those that straddle on a grid, and of those that do not.
    pub fn latency_split(&self, n: usize) -> [Option<ioalign_core::profile::Latency>; 2] {
        let (Some(all), Some(slow)) = (self.latency.first(), self.latency.get(n + 1)) else {
            return [None, None];
        };
        [slow.summary(), all.without(slow).summary()]
    }
}
