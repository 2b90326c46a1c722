//! Latencies in a histogram of logarithmic octaves with 32 linear steps each: within 1.6 %.

use std::collections::BTreeMap;

use ioalign_core::profile::Latency;
use ioalign_core::units::ratio;

const STEP_BITS: u32 = 5;
const STEPS: usize = 1 << STEP_BITS;

/// Counts of nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// From class `base` on: devices are many, and latencies of one device are near each other.
    counts: Vec<u64>,
    base: usize,
    ios: u64,
    sum: u128,
    max: u64,
}

#[inline(always)]
fn index_of(value: u64) -> usize {
    let octave = (value | 1).ilog2();
    let shift = octave.saturating_sub(STEP_BITS);
    // The leading bits, of which the first one adds a whole octave. Below 64: any width of `usize`
    // holds them.
    #[allow(clippy::cast_possible_truncation)]
    let lead = (value >> shift) as usize;
    ((shift as usize) << STEP_BITS) + lead
}

/// The middle of what is counted at `index`.
#[allow(clippy::cast_precision_loss)] // steps, below 64
fn value_of(index: usize) -> f64 {
    let (octave, step) = (index >> STEP_BITS, index & (STEPS - 1));
    match i32::try_from(octave) {
        Ok(0) | Err(_) => step as f64,
        Ok(octave) => ((step + STEPS) as f64 + 0.5) * f64::powi(2.0, octave - 1),
    }
}

/// The least that is counted at `index`.
const fn least_of(index: usize) -> u64 {
    let (octave, step) = (index >> STEP_BITS, index & (STEPS - 1));
    match octave {
        0 => step as u64,
        _ => ((step + STEPS) as u64) << (octave - 1),
    }
}

/// The greatest value that is counted at `index`.
const fn greatest_of(index: usize) -> u64 {
    least_of(index + 1).wrapping_sub(1)
}

impl Histogram {
    /// The start of each class, in nanoseconds, and its count.
    pub fn classes(&self) -> BTreeMap<u64, u64> {
        let counted = (self.base..).zip(&self.counts);
        let counted = counted.filter(|(_, ios)| **ios > 0);
        counted
            .map(|(index, ios)| (least_of(index), *ios))
            .collect()
    }

    /// A histogram from written classes, with the largest value, which no class has exactly.
    pub fn of_classes<'a>(classes: impl IntoIterator<Item = (&'a u64, &'a u64)>, max: u64) -> Self {
        let mut all = Self {
            max,
            ..Self::default()
        };
        for (nanos, ios) in classes {
            let count = all.place(index_of(*nanos));
            *count = count.saturating_add(*ios);
            all.ios = all.ios.saturating_add(*ios);
            all.sum = all
                .sum
                .saturating_add(u128::from(*nanos).saturating_mul(u128::from(*ios)));
        }
        all
    }

    /// The same where the sum is known.
    pub fn restored(classes: &BTreeMap<u64, u64>, sum: u64, max: u64) -> Self {
        Self {
            sum: sum.into(),
            ..Self::of_classes(classes, max)
        }
    }

    /// Counts one.
    #[inline]
    pub fn add(&mut self, nanos: u64) {
        let index = index_of(nanos);
        let place = index.wrapping_sub(self.base);
        match self.counts.get_mut(place) {
            Some(count) => *count += 1,
            None => *self.place(index) += 1,
        }
        self.ios += 1;
        self.sum += u128::from(nanos);
        self.max = self.max.max(nanos);
    }

    /// Makes room for a class.
    #[cold]
    fn place(&mut self, index: usize) -> &mut u64 {
        let octave = index & !(STEPS - 1);
        if self.counts.is_empty() {
            self.base = octave;
        }
        if octave < self.base {
            let more = self.base - octave;
            self.counts.reserve_exact(more);
            self.counts.splice(0..0, std::iter::repeat_n(0, more));
            self.base = octave;
        }
        let end = octave + STEPS - self.base;
        if end > self.counts.len() {
            self.counts.reserve_exact(end - self.counts.len());
            self.counts.resize(end, 0);
        }
        // Both ends were just made to hold it.
        #[allow(clippy::indexing_slicing)]
        &mut self.counts[index - self.base]
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        self.add_classes(other.base, &other.counts);
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Adds counts by class from class 0 on, with their sum and their maximum in nanoseconds.
    pub fn add_counts(&mut self, counts: &[u64], sum: u64, max: u64) {
        self.add_classes(0, counts);
        self.sum += u128::from(sum);
        self.max = self.max.max(max);
    }

    fn add_classes(&mut self, first: usize, counts: &[u64]) {
        for (index, count) in (first..).zip(counts) {
            if *count > 0 {
                *self.place(index) += count;
                self.ios += count;
            }
        }
    }

    /// The values that are not in `part`, a part of these; `max` is their largest.
    #[must_use]
    pub fn without(&self, part: &Self, max: u64) -> Self {
        let mut rest = self.clone();
        for (index, count) in (part.base..).zip(&part.counts) {
            if *count > 0 {
                let slot = rest.place(index);
                *slot = slot.saturating_sub(*count);
            }
        }
        rest.ios = self.ios.saturating_sub(part.ios);
        rest.sum = self.sum.saturating_sub(part.sum);
        rest.max = max;
        rest
    }

    /// Those counted after `earlier`, which is a part of these. Their maximum is at most the end of the
    /// highest class that grew.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut rest = self.without(earlier, self.max);
        let highest = rest.counts.iter().rposition(|count| *count > 0);
        let end = highest.map_or(0, |class| greatest_of(rest.base + class));
        rest.max = rest.max.min(end);
        rest
    }

    /// How many were counted.
    pub const fn len(&self) -> u64 {
        self.ios
    }

    /// Whether nothing was counted.
    pub const fn is_empty(&self) -> bool {
        self.ios == 0
    }

    /// The latency that `part` of 1000 are not above, in nanoseconds.
    pub fn quantile(&self, part: u64) -> f64 {
        if self.ios == 1 {
            // The only one is the largest, which is known exactly.
            #[allow(clippy::cast_precision_loss)] // a display value
            return self.max as f64;
        }
        let wanted = u128::from(self.ios) * u128::from(part);
        let mut seen = 0_u128;
        for (index, count) in (self.base..).zip(&self.counts) {
            seen += u128::from(*count);
            if *count > 0 && seen * 1000 >= wanted {
                #[allow(clippy::cast_precision_loss)] // a display value
                return value_of(index).min(self.max as f64);
            }
        }
        0.0
    }

    /// The sum in nanoseconds.
    pub fn sum(&self) -> u64 {
        u64::try_from(self.sum).unwrap_or(u64::MAX)
    }

    /// The mean in nanoseconds.
    pub fn mean(&self) -> f64 {
        if self.ios == 0 {
            0.0
        } else {
            ratio(self.sum(), self.ios)
        }
    }

    /// Its part of the profile; `None` if it is empty.
    pub fn summary(&self) -> Option<Latency> {
        if self.ios == 0 {
            return None;
        }
        let us = |part| self.quantile(part) / 1000.0;
        #[allow(clippy::cast_precision_loss)] // a display value
        let max = self.max as f64 / 1000.0;
        Some(Latency {
            ios: self.ios,
            p50: us(500),
            p90: us(900),
            p99: us(990),
            p999: us(999),
            max,
            mean: self.mean() / 1000.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_is_found_within_its_step(value in 1..1_u64 << 50) {
            #[allow(clippy::cast_precision_loss)]
            let (found, value) = (value_of(index_of(value)), value as f64);
            prop_assert!((found - value).abs() <= value / 32.0 + 1.0, "{found} for {value}");
        }
    }

    proptest! {
        #[test]
        fn parts_add_up_and_come_off(all in proptest::collection::vec((1..1_u64 << 40, any::<bool>()), 1..200)) {
            let of = |which: Option<bool>| {
                let mut histogram = Histogram::default();
                let some = all.iter().filter(|(_, part)| which.is_none_or(|which| which == *part));
                some.for_each(|(nanos, _)| histogram.add(*nanos));
                histogram
            };
            let (whole, part, rest) = (of(None), of(Some(true)), of(Some(false)));
            let mut sum = part.clone();
            sum.merge(&rest);
            prop_assert_eq!(sum.summary(), whole.summary());
            prop_assert_eq!(whole.without(&part, rest.max).summary(), rest.summary());
        }
    }

    fn counted(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        for value in values {
            let mut counts = [0; 1088];
            counts[index_of(*value)] = 1;
            histogram.add_counts(&counts, *value, *value);
        }
        histogram
    }

    #[test]
    fn an_interval_has_a_maximum_of_its_own() {
        let now = counted(&[1_000_000, 2_000, 3_000]);
        let part = now.since(&counted(&[1_000_000])).summary().unwrap();
        assert_eq!(part.ios, 2);
        assert!((part.mean - 2.5).abs() < 1e-9);
        assert!(part.max < 3.2, "{part:?}");
        let rest = now.since(&counted(&[3_000])).summary().unwrap();
        assert!((rest.max - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn classes_are_read_back() {
        let mut histogram = Histogram::default();
        for i in 0..100_000_u64 {
            histogram.add(i * i);
        }
        let back = Histogram::of_classes(&histogram.classes(), histogram.max);
        assert_eq!(back.classes(), histogram.classes());
        assert_eq!(back.len(), 100_000);
        let bits =
            |histogram: &Histogram| [500, 900, 990, 999].map(|p| histogram.quantile(p).to_bits());
        assert_eq!(bits(&back), bits(&histogram));
    }

    #[test]
    fn a_single_one_is_exact() {
        let mut histogram = Histogram::default();
        histogram.add(100_000);
        assert!((histogram.summary().unwrap().p50 - 100.0).abs() < f64::EPSILON);
    }

    #[test]
    fn quantiles_of_a_line() {
        let mut histogram = Histogram::default();
        for i in 1..=1000 {
            histogram.add(i * 1000);
        }
        let summary = histogram.summary().unwrap();
        assert!((summary.p50 - 500.0).abs() < 10.0);
        assert!((summary.p99 - 990.0).abs() < 17.0);
        assert!((summary.mean - 500.5).abs() < 0.01);
        assert!((summary.max - 1000.0).abs() < f64::EPSILON);
    }
}
