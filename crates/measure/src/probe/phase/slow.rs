//! When a pair of reads counts as slow.

use super::super::confirm::CheckEnd;
use crate::stats::real;

/// The least probability of a misjudged pair.
const LEAST_ERROR: f64 = 0.02;

/// From which ratio on a pair counts as slow, and how often that is wrong.
#[derive(Copy, Clone, Debug)]
pub(super) struct SlowPair {
    from: f64,
    /// Of pairs apart, and of pairs together.
    wrong: (f64, f64),
}

impl SlowPair {
    /// The threshold with the fewest errors.
    pub(super) fn new(check: &CheckEnd) -> Self {
        let beyond = |all: &[f64], from: f64| {
            let count = all.iter().filter(|ratio| **ratio >= from).count();
            (real(count as u64) + 0.5) / (real(all.len() as u64) + 1.0)
        };
        let at = |from: f64| Self {
            from,
            wrong: (
                beyond(&check.apart, from).max(LEAST_ERROR),
                (1.0 - beyond(&check.together, from)).max(LEAST_ERROR),
            ),
        };
        let mut all: Vec<f64> = check.apart.iter().chain(&check.together).copied().collect();
        all.sort_unstable_by(f64::total_cmp);
        let middles = all.windows(2).map(|pair| pair.iter().sum::<f64>() / 2.0);
        let errors = |one: &Self| one.wrong.0 + one.wrong.1;
        let best = middles
            .map(at)
            .min_by(|a, b| errors(a).total_cmp(&errors(b)));
        best.unwrap_or_else(|| at(1.5))
    }

    /// What a pair says for "together" against "apart".
    pub(super) fn says(&self, ratio: f64) -> f64 {
        let (apart, together) = self.wrong;
        if ratio >= self.from {
            ((1.0 - together) / apart).ln()
        } else {
            (together / (1.0 - apart)).ln()
        }
    }
}
