//! The ratio of two means: what a user of the device pays in all, stalls included.
//!
//! The mean of log-ratios would not be it, since one stall of a second counts there as little as a few per cent
//! elsewhere. So both means are taken over all rounds, and the deviation of the logarithm of their ratio
//! is that of its linear part: arm/mean(arm) - baseline/mean(baseline), round by round (delta method). It is
//! far wider than the interval of medians, as it has to be.

use std::cmp::Ordering;

use super::interval::guarded;
use super::{Boundary, Contrast, Guard, Ladder, LogInterval, Series};

/// Means of an arm and of the baseline, over the same rounds.
#[derive(Copy, Clone, Debug, Default)]
pub struct MeanRatio {
    ladder: Ladder<2>,
    guard: Guard,
}

impl MeanRatio {
    /// One round, by its means.
    pub fn add(&mut self, arm: f64, baseline: f64, duplicate: f64) {
        self.ladder.add([arm, f64::midpoint(baseline, duplicate)]);
        self.guard
            .see(Contrast::of(arm, baseline, duplicate).rank());
    }
}

impl Series for MeanRatio {
    fn rounds(&self) -> u64 {
        self.ladder.count()
    }

    fn interval(&self, boundary: Boundary) -> Option<LogInterval> {
        let [arm, baseline] = self.ladder.mean();
        if arm <= 0.0 || baseline <= 0.0 {
            return None;
        }
        let weights = [arm.recip(), -baseline.recip()];
        let half = self.ladder.half_width(weights, boundary)?;
        let at = (arm / baseline).ln();
        Some(LogInterval { at, half })
    }

    fn side(&self, boundary: Boundary, rope: f64) -> Ordering {
        guarded(self.interval(boundary), &self.guard, boundary, rope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_agree_say_which_is_slower() {
        for (arm, wanted) in [(120.0, Ordering::Greater), (80.0, Ordering::Less)] {
            let mut means = MeanRatio::default();
            for _ in 0..20 {
                means.add(arm, 100.0, 100.0);
            }
            let boundary = Boundary::tightest_at(200.0, 0.05);
            assert_eq!(means.side(boundary, 0.005), wanted);
        }
    }
}
