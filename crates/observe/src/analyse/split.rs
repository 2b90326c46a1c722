//! Whether straddling I/O is slower than clean I/O: a ratio with an interval that can be trusted.
//!
//! Three things spoil a plain comparison of means. Sizes differ between the two, so each I/O is compared
//! with the running geometric mean of clean I/Os of its own power-of-two size that fit into one cell as
//! well. Latencies have long tails, so logarithms are averaged. I/Os that follow each other are alike, so the
//! interval comes from the means of consecutive batches, which are nearly independent once batches are long
//! (Schmeiser, "Batch size effects in the analysis of simulation output", Operations Research 30, 1982:
//! 10 to 30 batches), by Student's t.

use ioalign_core::profile::LatencyRatio;
use ioalign_core::units::ratio;

/// The batches kept; each has this many I/Os at first.
const BATCHES: usize = 64;
const FIRST_BATCH: u64 = 32;
/// Clean I/Os of a size before others are compared with them.
const REFERENCES: i64 = 16;
/// I/Os of each kind that a batch needs.
const FEWEST_IN_BATCH: u64 = 8;
/// Batches for an interval, at least and at most.
const FEWEST_BATCHES: usize = 10;
const MOST_BATCHES: usize = 32;
/// Logarithms are counted in units of 2^-16.
const UNIT: u32 = 16;

#[derive(Copy, Clone, Debug, Default)]
struct SplitSide {
    ios: u64,
    sum: i64,
}

impl SplitSide {
    const fn add(&mut self, other: &Self) {
        self.ios += other.ios;
        self.sum += other.sum;
    }

    fn mean(&self) -> f64 {
        let size = ratio(self.sum.unsigned_abs(), self.ios.max(1)) / f64::from(1 << UNIT);
        if self.sum < 0 { -size } else { size }
    }
}

#[derive(Copy, Clone, Debug, Default)]
struct SplitBatch {
    straddling: SplitSide,
    clean: SplitSide,
}

impl SplitBatch {
    const fn add(&mut self, other: &Self) {
        self.straddling.add(&other.straddling);
        self.clean.add(&other.clean);
    }

    const fn enough(&self) -> bool {
        self.straddling.ios >= FEWEST_IN_BATCH && self.clean.ios >= FEWEST_IN_BATCH
    }

    /// How much slower, as a power of two.
    fn difference(&self) -> f64 {
        self.straddling.mean() - self.clean.mean()
    }
}

/// The running mean of clean I/Os of one size.
#[derive(Copy, Clone, Debug, Default)]
struct CleanMean {
    ios: i64,
    mean: i64,
}

/// The comparison on one grid.
#[derive(Clone, Debug)]
pub struct Split {
    references: [CleanMean; 33],
    batches: Vec<SplitBatch>,
    now: SplitBatch,
    filled: u64,
    batch: u64,
}

impl Default for Split {
    fn default() -> Self {
        Self {
            references: [CleanMean::default(); 33],
            batches: Vec::new(),
            now: SplitBatch::default(),
            filled: 0,
            batch: FIRST_BATCH,
        }
    }
}

/// log2 in units of 2^-16, by a cubic between powers of two: within 0.004. All of it in 32 bits, of which
/// a vector has many.
#[inline(always)]
pub fn log2(nanos: u64) -> i32 {
    let value = nanos | 1;
    let octave = value.ilog2();
    // The bits after the leading one, as a fraction.
    #[allow(clippy::cast_possible_truncation)]
    let f = ((value << (63 - octave)) << 1 >> (64 - UNIT)) as u32;
    // f + f (1 - f) (0.427 - 0.155 f)
    let bow = (f * ((1 << UNIT) - f)) >> UNIT;
    let f = f + ((bow * (27_984 - ((10_158 * f) >> UNIT))) >> UNIT);
    // Both are small: an octave below 64, and 16 bits.
    ((octave << UNIT) + f).cast_signed()
}

impl Split {
    /// Counts an I/O that fits into a cell.
    #[inline]
    pub fn add(&mut self, straddles: bool, len: u32, nanos: u64) {
        let Some(reference) = self.references.get_mut(class(len)) else {
            return;
        };
        let value = i64::from(log2(nanos));
        let known = reference.ios >= REFERENCES;
        let past = value - reference.mean;
        // The processor cannot predict which of the two it is: no branch.
        let clean = i64::from(!straddles);
        reference.ios += clean;
        // In the long run without a division, which takes longer than all the rest.
        let step = match reference.ios {
            few @ ..256 => past / few.max(1),
            _ => past / 256,
        };
        reference.mean += step * clean;
        if !known {
            return;
        }
        let side = |is: i64| SplitSide {
            ios: is.unsigned_abs(),
            sum: past * is,
        };
        self.now.straddling.add(&side(1 - clean));
        self.now.clean.add(&side(clean));
        self.filled += 1;
        if self.filled >= self.batch {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.batches.len() == BATCHES {
            self.batches = joined(&self.batches, 2);
            self.batch *= 2;
        }
        self.batches.push(std::mem::take(&mut self.now));
        self.filled = 0;
    }

    /// Its part of the profile.
    pub fn profile(&self) -> LatencyRatio {
        let mut total = self.now;
        self.batches.iter().for_each(|batch| total.add(batch));
        let mut out = LatencyRatio {
            confidence: 0.95,
            straddling_ios: total.straddling.ios,
            clean_ios: total.clean.ios,
            verdict: "undecided".to_owned(),
            ..LatencyRatio::default()
        };
        if total.straddling.ios > 0 && total.clean.ios > 0 {
            out.ratio = Some(total.difference().exp2());
        }
        let batches = self.full_batches();
        out.batches = batches.len() as u64;
        if batches.len() >= FEWEST_BATCHES {
            interval(&batches, &mut out);
        }
        out
    }

    /// Neighbours joined until each holds enough of both kinds, and there are not too many.
    fn full_batches(&self) -> Vec<SplitBatch> {
        let mut full = Vec::new();
        let mut open = SplitBatch::default();
        for batch in &self.batches {
            open.add(batch);
            if open.enough() {
                full.push(std::mem::take(&mut open));
            }
        }
        open.add(&self.now);
        if let Some(last) = full.last_mut() {
            last.add(&open);
        }
        let many = full.len().div_ceil(MOST_BATCHES);
        if many > 1 { joined(&full, many) } else { full }
    }
}

fn joined(batches: &[SplitBatch], together: usize) -> Vec<SplitBatch> {
    let join = |some: &[SplitBatch]| {
        let mut sum = SplitBatch::default();
        some.iter().for_each(|one| sum.add(one));
        sum
    };
    batches.chunks(together).map(join).collect()
}

fn interval(batches: &[SplitBatch], out: &mut LatencyRatio) {
    let differences: Vec<_> = batches.iter().map(SplitBatch::difference).collect();
    #[allow(clippy::cast_precision_loss)] // a few dozen
    let count = batches.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let squares = differences
        .iter()
        .map(|one| (one - mean) * (one - mean))
        .sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt();
    let reach = student(count - 1.0) * error;
    let (low, high) = ((mean - reach).exp2(), (mean + reach).exp2());
    out.ratio = Some(mean.exp2());
    (out.ratio_low, out.ratio_high) = (Some(low), Some(high));
    out.verdict = match (low > 1.0, high < 1.0) {
        (true, _) => "slower",
        (_, true) => "faster",
        _ => "undecided",
    }
    .to_owned();
}

/// The 97.5 % quantile of Student's t, by its expansion around the normal one (Abramowitz and Stegun
/// 26.7.5): within 0.3 % from nine degrees of freedom on.
fn student(freedom: f64) -> f64 {
    let z: f64 = 1.959_964;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

/// The class of a size: the number of its bits.
const fn class(len: u32) -> usize {
    (32 - len.leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use ioalign_testkit::Random;

    use super::*;

    /// A number in 0..1.
    fn unit(random: &mut Random) -> f64 {
        ratio(random.next() >> 11, 1 << 53)
    }

    /// Latencies that depend on size, drift slowly and have a tail; straddling ones `factor` times.
    fn run(seed: u64, factor: f64, ios: u32) -> LatencyRatio {
        let mut random = Random(seed);
        let mut split = Split::default();
        let mut drift = 0.0;
        for _ in 0..ios {
            drift = 0.99 * drift + 0.1 * (unit(&mut random) - 0.5);
            let straddles = unit(&mut random) < 0.17;
            // Straddling ones are small, as they are in practice.
            let len = if straddles || unit(&mut random) < 0.5 {
                512
            } else {
                4096
            };
            let base = if len == 512 { 80_000.0 } else { 160_000.0 };
            let tail = (unit(&mut random) + unit(&mut random) + unit(&mut random) - 1.5).exp();
            let slow = if straddles { factor } else { 1.0 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let nanos = (base * f64::exp(drift) * tail * slow) as u64;
            split.add(straddles, len, nanos);
        }
        split.profile()
    }

    #[test]
    fn a_difference_is_found_and_its_size_too() {
        let found = run(1, 1.5, 20_000);
        assert_eq!(found.verdict, "slower", "{found:?}");
        let (low, high) = (found.ratio_low.unwrap(), found.ratio_high.unwrap());
        assert!(low < 1.5 && 1.5 < high && high < 1.8, "{found:?}");
    }

    #[test]
    fn no_difference_is_not_called_one() {
        // One in twenty may be wrong; sizes differ and would give a factor of 0.7.
        let wrong = (0..100).filter(|seed| run(*seed, 1.0, 4000).verdict != "undecided");
        assert!(wrong.count() <= 12);
    }

    #[test]
    fn few_are_undecided() {
        assert_eq!(run(1, 3.0, 100).verdict, "undecided");
        assert!(run(1, 3.0, 0).ratio.is_none());
        let alone = {
            let mut split = Split::default();
            (0..1000).for_each(|_| split.add(true, 4096, 1000));
            split.profile()
        };
        assert_eq!((alone.verdict.as_str(), alone.ratio), ("undecided", None));
    }

    #[test]
    fn logarithms() {
        for value in (1..100_000_u64).chain([u64::MAX, 1 << 40, 3 << 50]) {
            let found = ratio(u64::from(log2(value).unsigned_abs()), 1 << UNIT);
            #[allow(clippy::cast_precision_loss)]
            let wanted = ((value | 1) as f64).log2();
            assert!(
                (found - wanted).abs() < 0.004,
                "{value}: {found}, not {wanted}"
            );
        }
    }

    #[test]
    fn students_t() {
        for (freedom, wanted) in [(9.0, 2.262), (15.0, 2.131), (31.0, 2.040)] {
            assert!((student(freedom) - wanted).abs() < 0.006, "{freedom}");
        }
    }
}
