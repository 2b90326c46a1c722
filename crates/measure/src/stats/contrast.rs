//! How an arm, the baseline and the duplicate of the baseline differ in one round.
//!
//! Batches of one block stand side by side in time, so they are compared pair by pair: what the machine does for
//! longer than a block cancels. The median of the pairs is the estimate of Hodges and Lehmann for matched
//! pairs: no single stall moves it.

use std::cmp::Ordering;

use super::median;

/// Three logarithms of ratios.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Contrast {
    /// Arm over baseline.
    pub to_baseline: f64,
    /// Arm over duplicate.
    pub to_duplicate: f64,
    /// Duplicate over baseline: the placebo.
    pub placebo: f64,
}

impl Contrast {
    /// One number for each.
    pub fn of(arm: f64, baseline: f64, duplicate: f64) -> Self {
        Self {
            to_baseline: (arm / baseline).ln(),
            to_duplicate: (arm / duplicate).ln(),
            placebo: (duplicate / baseline).ln(),
        }
    }

    /// The arm against both baselines.
    pub const fn ratio(&self) -> f64 {
        f64::midpoint(self.to_baseline, self.to_duplicate)
    }

    /// The place of the arm among the three, each measured by its distance from the two others; `Equal` is
    /// between them. If the arm makes no difference the three are exchangeable, and both ends are equally likely.
    pub fn rank(&self) -> Ordering {
        let arm = self.to_baseline + self.to_duplicate;
        let baseline = -self.to_baseline - self.placebo;
        let duplicate = self.placebo - self.to_duplicate;
        if arm > baseline.max(duplicate) {
            Ordering::Greater
        } else if arm < baseline.min(duplicate) {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }
}

/// The median of `a - b`, pair by pair. `scratch` is overwritten.
pub fn paired(a: &[f64], b: &[f64], scratch: &mut Vec<f64>) -> f64 {
    scratch.clear();
    scratch.extend(a.iter().zip(b).map(|(a, b)| a - b));
    median(scratch)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// For single numbers the rank is that of the numbers, and the ratio is to their geometric
        /// mean.
        #[test]
        fn of_single_numbers_it_is_their_order(arm in 1.0..9.0, one in 1.0..9.0, two in 1.0..9.0) {
            let contrast = Contrast::of(arm, one, two);
            let expected = match (arm > one, arm > two) {
                (true, true) => Ordering::Greater,
                (false, false) => Ordering::Less,
                _ => Ordering::Equal,
            };
            prop_assert_eq!(contrast.rank(), expected);
            let ratio: f64 = arm / f64::sqrt(one * two);
            prop_assert!((contrast.ratio() - ratio.ln()).abs() < 1e-9);
        }

        /// Who is called what makes no difference: the guard rests on that.
        #[test]
        fn only_one_of_three_is_the_largest(rows in prop::collection::vec((0.0..9.0, 0.0..9.0, 0.0..9.0), 1..9)) {
            let mut scratch = Vec::new();
            let arms = [
                rows.iter().map(|row| row.0).collect::<Vec<_>>(),
                rows.iter().map(|row| row.1).collect(),
                rows.iter().map(|row| row.2).collect(),
            ];
            let mut rank = |arm: usize, baseline: usize, duplicate: usize| {
                let mut pair = |a: usize, b: usize| paired(&arms[a], &arms[b], &mut scratch);
                let contrast = Contrast {
                    to_baseline: pair(arm, baseline),
                    to_duplicate: pair(arm, duplicate),
                    placebo: pair(duplicate, baseline),
                };
                contrast.rank()
            };
            let ranks = [rank(0, 1, 2), rank(1, 2, 0), rank(2, 0, 1)];
            let count = |side| ranks.iter().filter(|rank| **rank == side).count();
            prop_assert!(count(Ordering::Greater) <= 1 && count(Ordering::Less) <= 1);
            // The names of the two baselines are exchangeable as well.
            prop_assert_eq!(rank(0, 1, 2), rank(0, 2, 1));
        }
    }

    #[test]
    fn pairs_cancel_what_they_have_in_common() {
        let machine = [1.0, 5.0, 2.0, 9.0, 7.0];
        let arm = machine.map(|time| time + 0.25);
        let mut scratch = Vec::new();
        assert!((paired(&arm, &machine, &mut scratch) - 0.25).abs() < 1e-12);
        assert!((paired(&machine, &arm, &mut scratch) + 0.25).abs() < 1e-12);
    }
}
