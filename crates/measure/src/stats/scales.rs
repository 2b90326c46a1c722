//! The median of pairs at two scales: of rounds, and of long rounds of eight.
//!
//! Batches may have several modes. Then most pairs are of one mode and close together; the rest is far away on either
//! side. The median of few such pairs is often one of the distant ones, the median of many hardly ever: its error falls
//! faster than with the root of their number, and a mean of medians cannot make up for that. So all pairs of eight
//! rounds are combined as well. Short rounds detect a large difference first, long ones resolve a small one; each has
//! half of the error allowance, so that the narrower interval may be used.

use std::cmp::Ordering;

use super::{Boundary, Contrast, LogInterval, LogRatios, Series};

/// Rounds in a long one.
pub const LONG: u32 = 8;

/// The mean log-ratio so far, by both.
#[derive(Clone, Debug, Default)]
pub struct Scales {
    short: LogRatios,
    long: LogRatios,
}

impl Scales {
    /// One round.
    pub fn add(&mut self, contrast: &Contrast) {
        self.short.add(contrast);
    }

    /// All pairs of a long round.
    pub fn add_long(&mut self, contrast: &Contrast) {
        self.long.add(contrast);
    }

    /// One round of the placebo.
    pub fn add_placebo(&mut self, placebo: f64) {
        self.short.add_placebo(placebo);
    }

    /// All pairs of a long round of the placebo.
    pub fn add_long_placebo(&mut self, placebo: f64) {
        self.long.add_placebo(placebo);
    }

    fn each(&self, boundary: Boundary) -> [(&LogRatios, Boundary); 2] {
        let half = boundary.shared_by(2);
        [(&self.short, half), (&self.long, half.of_means(LONG))]
    }
}

impl Series for Scales {
    fn rounds(&self) -> u64 {
        self.short.rounds()
    }

    fn interval(&self, boundary: Boundary) -> Option<LogInterval> {
        let each = self.each(boundary).into_iter();
        let known = each.filter_map(|(series, boundary)| series.interval(boundary));
        known.min_by(|a, b| a.half.total_cmp(&b.half))
    }

    fn side(&self, boundary: Boundary, rope: f64) -> Ordering {
        match self
            .each(boundary)
            .map(|(series, boundary)| series.side(boundary, rope))
        {
            [one, Ordering::Equal] | [Ordering::Equal, one] => one,
            [one, other] if one == other => one,
            _ => Ordering::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::Random;

    use super::*;
    use crate::stats::median;

    /// Pairs of many modes: nearly alike in a fifth, anything up to a factor of two apart in the rest.
    fn pair(random: &mut Random) -> f64 {
        let even = f64::from(random.below_u32(1001)) / 500.0 - 1.0;
        even * if random.below(5) == 0 { 0.005 } else { 0.7 }
    }

    fn contrast(pairs: &mut [f64]) -> Contrast {
        let middle = median(pairs);
        Contrast {
            to_baseline: middle,
            to_duplicate: middle,
            placebo: 0.0,
        }
    }

    #[test]
    fn long_rounds_resolve_what_two_modes_hide() {
        let mut random = Random::new(7);
        let mut scales = Scales::default();
        let mut all = Vec::new();
        for round in 1..=800 {
            let mut pairs: Vec<f64> = (0..15).map(|_| pair(&mut random)).collect();
            all.extend_from_slice(&pairs);
            scales.add(&contrast(&mut pairs));
            if round % LONG == 0 {
                scales.add_long(&contrast(&mut all));
                all.clear();
            }
        }
        let boundary = Boundary::tightest_at(200.0, 0.05);
        let (both, short) = (
            scales.interval(boundary).unwrap(),
            scales.short.interval(boundary).unwrap(),
        );
        assert!(both.half < 0.75 * short.half, "{both:?} {short:?}");
        assert!(both.at.abs() < both.half);
    }

    #[test]
    fn short_rounds_speak_first() {
        let mut scales = Scales::default();
        for _ in 0..20 {
            scales.add(&Contrast::of(120.0, 100.0, 100.0));
        }
        let boundary = Boundary::tightest_at(200.0, 0.05);
        assert_eq!(scales.side(boundary, 0.005), Ordering::Greater);
        assert_eq!(scales.rounds(), 20);
    }

    #[test]
    fn scales_that_contradict_each_other_say_nothing() {
        let mut scales = Scales::default();
        for _ in 0..20 {
            scales.add(&Contrast::of(120.0, 100.0, 100.0));
            scales.add_long(&Contrast::of(80.0, 100.0, 100.0));
        }
        let boundary = Boundary::tightest_at(200.0, 0.05);
        assert_eq!(scales.side(boundary, 0.005), Ordering::Equal);
    }

    #[test]
    fn placebos_of_both_scales_count() {
        let side = |short: f64, long: f64| {
            let mut scales = Scales::default();
            for _ in 0..20 {
                scales.add_placebo(short);
                scales.add_long_placebo(long);
            }
            scales.side(Boundary::tightest_at(200.0, 0.05), 0.005)
        };
        assert_eq!(side(0.2, 0.2), Ordering::Greater);
        assert_eq!(side(0.2, -0.2), Ordering::Equal);
        assert_eq!(side(f64::NAN, -0.2), Ordering::Less);
    }
}
