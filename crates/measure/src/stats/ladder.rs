//! The same observations in coarser and coarser means, because neighbours in time are alike.
//!
//! An interval from single rounds is too narrow where rounds are autocorrelated. Means of 4 and of 16 rounds
//! are less so: the interval is made at each step that has enough means, and the widest one counts.

use super::{Boundary, Moments};

/// Rounds in a mean of the next step.
const FACTOR: u32 = 4;
/// Steps: of 1, 4 and 16 rounds.
const STEPS: usize = 3;
/// Means that a step needs before it says anything.
const FEWEST: u64 = 10;

/// Moments at every step.
#[derive(Copy, Clone, Debug, Default)]
pub struct Ladder<const N: usize> {
    steps: [LadderStep<N>; STEPS],
}

#[derive(Copy, Clone, Debug)]
struct LadderStep<const N: usize> {
    moments: Moments<N>,
    /// Sums of what waits to become one observation of the next step.
    sums: [f64; N],
    held: u32,
}

impl<const N: usize> Default for LadderStep<N> {
    fn default() -> Self {
        Self {
            moments: Moments::default(),
            sums: [0.0; N],
            held: 0,
        }
    }
}

impl<const N: usize> LadderStep<N> {
    /// Counts it, and returns the mean of the last four where they are complete.
    fn add(&mut self, values: [f64; N]) -> Option<[f64; N]> {
        self.moments.add(values);
        for (sum, value) in self.sums.iter_mut().zip(values) {
            *sum += value;
        }
        self.held += 1;
        if self.held < FACTOR {
            return None;
        }
        self.held = 0;
        let sums = std::mem::replace(&mut self.sums, [0.0; N]);
        Some(sums.map(|sum| sum / f64::from(FACTOR)))
    }
}

impl<const N: usize> Ladder<N> {
    /// Counts one round.
    pub fn add(&mut self, values: [f64; N]) {
        let mut values = values;
        for step in &mut self.steps {
            match step.add(values) {
                Some(means) => values = means,
                None => return,
            }
        }
    }

    /// How many rounds.
    pub fn count(&self) -> u64 {
        self.steps.first().map_or(0, |step| step.moments.count())
    }

    /// Means over all rounds.
    pub fn mean(&self) -> [f64; N] {
        self.steps
            .first()
            .map_or([0.0; N], |step| step.moments.mean())
    }

    /// Half the width of the interval of the sum with these weights: the widest of all steps; `None` before
    /// the tenth round.
    pub fn half_width(&self, weights: [f64; N], boundary: Boundary) -> Option<f64> {
        let mut boundary = boundary;
        let mut widest = None;
        for step in &self.steps {
            let count = step.moments.count();
            if count < FEWEST {
                break;
            }
            let width = step.moments.deviation(weights) * boundary.radius(count);
            widest = Some(width.max(widest.unwrap_or(0.0)));
            boundary = boundary.of_means(FACTOR);
        }
        widest
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::Random;

    use super::*;

    fn ladder(values: impl Iterator<Item = f64>) -> Ladder<1> {
        let mut ladder = Ladder::default();
        values.for_each(|value| ladder.add([value]));
        ladder
    }

    fn noise() -> impl Iterator<Item = f64> {
        let mut random = Random::new(5);
        std::iter::repeat_with(move || f64::from(random.below_u32(1000)))
    }

    fn width(ladder: &Ladder<1>) -> f64 {
        let boundary = Boundary::tightest_at(200.0, 0.05);
        ladder.half_width([1.0], boundary).unwrap()
    }

    #[test]
    fn nothing_is_said_before_the_tenth_round() {
        let boundary = Boundary::tightest_at(200.0, 0.05);
        let nine = ladder(noise().take(9));
        assert_eq!(nine.half_width([1.0], boundary), None);
        let ten = ladder(noise().take(10));
        assert!(ten.half_width([1.0], boundary).is_some());
    }

    #[test]
    fn rounds_that_are_alike_widen_the_interval() {
        let free = width(&ladder(noise().take(4000)));
        let fours = noise().flat_map(|value| [value; 4]);
        let alike = width(&ladder(fours.take(4000)));
        let sixteens = noise().flat_map(|value| [value; 16]);
        let more = width(&ladder(sixteens.take(4000)));
        // Repeating each value k times is having a k-th of the rounds.
        assert!((1.8..2.3).contains(&(alike / free)), "{}", alike / free);
        assert!((3.3..4.8).contains(&(more / free)), "{}", more / free);
    }

    #[test]
    fn the_mean_is_that_of_all_rounds() {
        let values = || (1..=101).map(f64::from);
        let ladder = ladder(values());
        assert_eq!(ladder.count(), 101);
        let [mean] = ladder.mean();
        assert!((mean - 51.0).abs() < 1e-9);
    }
}
