//! Log-ratios of an arm to the baseline, one a round: winsorised, laddered, guarded.

use std::cmp::Ordering;

use super::interval::guarded;
use super::{Boundary, Clip, Contrast, Guard, Ladder, LogInterval, Series};

/// The mean log-ratio so far.
#[derive(Clone, Debug, Default)]
pub struct LogRatios {
    clip: Clip,
    ladder: Ladder<1>,
    guard: Guard,
}

impl LogRatios {
    /// One round. One with a value that has no logarithm is left out.
    pub fn add(&mut self, contrast: &Contrast) {
        self.count(contrast.ratio(), contrast.rank());
    }

    /// One round of the placebo: the logarithm of duplicate over baseline.
    pub fn add_placebo(&mut self, placebo: f64) {
        let side = placebo.partial_cmp(&0.0);
        self.count(placebo, side.unwrap_or(Ordering::Equal));
    }

    fn count(&mut self, ratio: f64, side: Ordering) {
        if !ratio.is_finite() {
            return;
        }
        self.guard.see(side);
        if self.clip.settled() {
            self.ladder.add([self.clip.clip(ratio)]);
            self.clip.see(ratio);
        } else {
            self.clip.see(ratio);
            self.again();
        }
        self.clip.turn();
    }

    /// The limits have moved under the first window: all of it once more.
    fn again(&mut self) {
        self.ladder = Ladder::default();
        for ratio in self.clip.first() {
            self.ladder.add([self.clip.clip(*ratio)]);
        }
    }
}

impl Series for LogRatios {
    fn rounds(&self) -> u64 {
        self.ladder.count()
    }

    fn interval(&self, boundary: Boundary) -> Option<LogInterval> {
        let [at] = self.ladder.mean();
        let half = self.ladder.half_width([1.0], boundary)?;
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
    fn every_round_counts_once_and_a_stall_as_the_limit() {
        let mut ratios = LogRatios::default();
        // Past the first window, whose limits are 4.
        for round in [-1.0, 0.0, 1.0].into_iter().cycle().take(99) {
            ratios.add_placebo(round);
        }
        assert_eq!(ratios.rounds(), 99);
        ratios.add_placebo(1000.0);
        assert_eq!(ratios.rounds(), 100);
        let [mean] = ratios.ladder.mean();
        assert!((mean - 0.04).abs() < 1e-12, "{mean}");
        // The next window has other limits.
        for round in [-10.0, 0.0, 10.0].into_iter().cycle().take(92) {
            ratios.add_placebo(round);
        }
        assert_eq!(ratios.clip.clip(1000.0), 40.0);
    }
}
