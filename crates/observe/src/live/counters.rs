//! The counters of one operation on one device, over all processors, and what follows from them.

use std::collections::BTreeMap;

use ioalign_core::profile::{Latency, SizeCount};
use ioalign_core::units::ratio;

use super::cells;
use super::layout::{
    BYTES, COUNTS, CROSSED, FITS, IN_4K, IN_64K, IN_512, IN_LOG, IOS, LENGTHS, SECTORS, SEQUENTIAL,
    SIZES_4K, SIZES_512, STARTS,
};
use crate::analyse::latency::Histogram;
use crate::analyse::power_of;

/// Counters of one operation.
#[derive(Clone, Debug)]
pub struct OpCounters {
    pub(super) words: Vec<u64>,
    pub(super) latency: Histogram,
    /// Straddling on each grid.
    pub(super) slow: Vec<Histogram>,
    /// Sizes that the table has no place for.
    pub(super) odd: BTreeMap<(u32, bool), u64>,
}

impl OpCounters {
    pub(super) fn new(grids: usize) -> Self {
        Self {
            words: vec![0; COUNTS],
            latency: Histogram::default(),
            slow: vec![Histogram::default(); grids],
            odd: BTreeMap::new(),
        }
    }

    /// Adds one processor's; [`spread`](Self::spread) goes after the last.
    pub(super) fn merge(&mut self, words: &[u64; COUNTS]) {
        for (mine, more) in self.words.iter_mut().zip(words) {
            *mine += more;
        }
    }

    /// Makes the counters of what is counted by length and start.
    pub(super) fn spread(&mut self) {
        cells::spread(&mut self.words);
    }

    /// The difference to `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let words = self.words.iter().zip(&earlier.words);
        let slow = self.slow.iter().zip(&earlier.slow);
        let odd = self.odd.iter().map(|(size, now)| {
            let then = earlier.odd.get(size).copied().unwrap_or(0);
            (*size, now.saturating_sub(then))
        });
        Self {
            words: words.map(|(now, then)| now.saturating_sub(*then)).collect(),
            latency: self.latency.since(&earlier.latency),
            slow: slow.map(|(now, then)| now.since(then)).collect(),
            odd: odd.filter(|(_, ios)| *ios > 0).collect(),
        }
    }

    pub(super) fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }

    pub(super) fn part(&self, at: usize, len: usize) -> &[u64] {
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

    /// The share that begins where one of the last eight ended on the same processor; `None` without I/O.
    pub fn sequential_ratio(&self) -> Option<f64> {
        (self.ios() > 0).then(|| ratio(self.word(SEQUENTIAL), self.ios()))
    }

    /// Starts by sector in 64 KiB: bytes past it, and I/Os.
    pub(super) fn places(&self) -> impl Iterator<Item = (u64, u64)> {
        let whole = self.part(SECTORS, IN_64K).iter();
        let others = self.part(SECTORS + IN_64K, IN_64K);
        let all = whole.zip(others).zip(0_u64..);
        all.map(|((whole, other), sector)| (sector * 512, whole + other))
    }

    /// Index k: starts that are multiples of 2^k bytes and not of 2^(k+1).
    pub fn starts(&self) -> Vec<u64> {
        let mut all = self.part(STARTS, 64).to_vec();
        for (past, ios) in self.places().skip(1) {
            if let Some(count) = all.get_mut(power_of(past)) {
                *count += ios;
            }
        }
        all
    }

    /// The same for lengths.
    pub fn lengths(&self) -> Vec<u64> {
        let mut all = self.part(LENGTHS, 64).to_vec();
        for (bytes, ios) in self.exact_sizes() {
            if let Some(count) = all.get_mut(power_of(bytes)) {
                *count += ios;
            }
        }
        all
    }

    /// Index k: I/Os that would fit into 2^k bytes and lie in two such cells: those that fit, less those
    /// that cross no boundary so high.
    pub fn straddling(&self) -> Vec<u64> {
        let mut fits = self.part(FITS, 64).to_vec();
        for (bytes, ios) in self.exact_sizes().filter(|(bytes, _)| *bytes > 1) {
            let bits = 64 - (bytes - 1).leading_zeros();
            if let Some(count) = fits.get_mut(bits as usize) {
                *count += ios;
            }
        }
        let mut sum = 0_u64;
        let steps = fits.iter().zip(self.part(CROSSED, 64));
        let steps = steps.map(|(fits, crossed)| {
            sum = sum.saturating_add(*fits).saturating_sub(*crossed);
            sum
        });
        steps.collect()
    }

    /// Starts by 512-byte sector in 4 KiB.
    pub fn sectors(&self) -> [u64; 8] {
        let (whole, others) = (self.whole_sectors(), self.folded(SECTORS + IN_64K));
        std::array::from_fn(|n| whole.get(n).unwrap_or(&0) + others.get(n).unwrap_or(&0))
    }

    /// The same, of lengths that are multiples of 4 KiB.
    pub fn whole_sectors(&self) -> [u64; 8] {
        self.folded(SECTORS)
    }

    fn folded(&self, at: usize) -> [u64; 8] {
        let mut all = [0; 8];
        for (count, slot) in self.part(at, IN_64K).iter().zip((0..8).cycle()) {
            if let Some(sum) = all.get_mut(slot) {
                *sum += count;
            }
        }
        all
    }

    /// Every size, smallest first. Past some thousand odd sizes they are counted by power of two.
    pub fn sizes(&self) -> Vec<SizeCount> {
        let mut all: BTreeMap<u64, SizeCount> = BTreeMap::new();
        for size in self
            .exact()
            .chain(self.rounded())
            .filter(|size| size.ios > 0)
        {
            let sum = all.entry(size.bytes).or_default();
            sum.bytes = size.bytes;
            sum.ios += size.ios;
            sum.off_4096_ios += size.off_4096_ios;
        }
        all.into_values().collect()
    }

    /// A table of sizes: first those that start at a multiple of 4 KiB, then the others.
    fn table(&self, at: usize, len: usize) -> impl Iterator<Item = (u64, u64, u64)> {
        let (on, off) = (self.part(at, len), self.part(at + len, len));
        let all = on.iter().zip(off).zip(0_u64..);
        all.map(|((on, off), index)| (index, on + off, *off))
    }

    fn exact(&self) -> impl Iterator<Item = SizeCount> {
        let odd = self.odd.iter().map(|((len, off), ios)| SizeCount {
            bytes: u64::from(*len),
            ios: *ios,
            off_4096_ios: if *off { *ios } else { 0 },
        });
        let scaled = |(index, ios, off_4096_ios): (u64, u64, u64), shift: u32| SizeCount {
            bytes: index << shift,
            ios,
            off_4096_ios,
        };
        let small = self.table(IN_512, SIZES_512).map(move |row| scaled(row, 9));
        let large = self.table(IN_4K, SIZES_4K).map(move |row| scaled(row, 12));
        small.chain(large).chain(odd)
    }

    fn rounded(&self) -> impl Iterator<Item = SizeCount> {
        let all = self.table(IN_LOG, 33);
        all.map(|(bits, ios, off_4096_ios)| SizeCount {
            bytes: match bits {
                0 => 0,
                bits => 1 << (bits - 1).min(32),
            },
            ios,
            off_4096_ios,
        })
    }

    pub(super) fn exact_sizes(&self) -> impl Iterator<Item = (u64, u64)> {
        let some = self.exact().filter(|size| size.ios > 0);
        some.map(|size| (size.bytes, size.ios))
    }

    /// I/Os whose latency is known.
    pub fn timed(&self) -> u64 {
        self.latency.len()
    }

    /// Nanoseconds that all of them took.
    pub fn time(&self) -> u64 {
        self.latency.sum()
    }

    /// Latency from issue to completion, of all.
    pub fn latency(&self) -> Option<Latency> {
        self.latency.summary()
    }

    /// The same by class.
    pub fn latency_classes(&self) -> BTreeMap<u64, u64> {
        self.latency.classes()
    }

    /// Latency of those that straddle on a grid, and of those that do not.
    pub fn latency_split(&self, n: usize) -> [Option<Latency>; 2] {
        let Some(slow) = self.slow.get(n) else {
            return [None, None];
        };
        [slow.summary(), self.latency.since(slow).summary()]
    }
}
