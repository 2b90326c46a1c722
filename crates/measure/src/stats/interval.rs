//! An interval of a logarithm of a ratio, and the word that follows from it.

use std::cmp::Ordering;

use ioalign_core::comparison::EstimateVerdict;

use super::{Boundary, Guard, real};

/// Symmetric, in logarithms.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LogInterval {
    /// The estimate.
    pub at: f64,
    /// Half the width.
    pub half: f64,
}

impl LogInterval {
    /// Lower end.
    pub fn low(&self) -> f64 {
        self.at - self.half
    }

    /// Upper end.
    pub fn high(&self) -> f64 {
        self.at + self.half
    }

    /// Whether it lies wholly on one side of the region `±rope`, and on which.
    pub fn side(&self, rope: f64) -> Ordering {
        if self.low() > rope {
            Ordering::Greater
        } else if self.high() < -rope {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }

    /// Whether it lies wholly in the region `±rope`.
    pub fn within(&self, rope: f64) -> bool {
        self.low() > -rope && self.high() < rope
    }

    /// Whether they have nothing in common.
    pub fn apart(&self, other: &Self) -> bool {
        (self.at - other.at).abs() > self.half + other.half
    }
}

/// Something that is estimated round by round.
pub trait Series {
    /// Rounds that it rests on.
    fn rounds(&self) -> u64;
    /// The interval so far; `None` while there are too few rounds.
    fn interval(&self, boundary: Boundary) -> Option<LogInterval>;

    /// On which side the arm certainly is: the interval leaves the region out, *and* the guard agrees.
    fn side(&self, boundary: Boundary, rope: f64) -> Ordering;
}

/// The side of an interval with its guard.
pub(super) fn guarded(
    interval: Option<LogInterval>,
    guard: &Guard,
    boundary: Boundary,
    rope: f64,
) -> Ordering {
    let side = interval.map_or(Ordering::Equal, |interval| interval.side(rope));
    let agreed = guard.differs(boundary.alpha()) && guard.leaning() == side;
    if agreed { side } else { Ordering::Equal }
}

/// The word for an arm: `rope` is the logarithm of the least ratio that matters.
pub fn decide(
    series: &dyn Series,
    boundary: Boundary,
    rope: f64,
    more_is_better: bool,
) -> EstimateVerdict {
    let side = series.side(boundary, rope);
    let better = if more_is_better { side } else { side.reverse() };
    let within = || {
        let interval = series.interval(boundary);
        interval.is_some_and(|interval| interval.within(rope))
    };
    match better {
        Ordering::Less => EstimateVerdict::Slower,
        Ordering::Greater => EstimateVerdict::Faster,
        Ordering::Equal if within() => EstimateVerdict::NoDifference,
        Ordering::Equal => EstimateVerdict::Undecided,
    }
}

/// About how many rounds it takes in all until there is a word, if the estimate stays: widths shrink with the
/// square root of rounds. `None`: the estimate lies on the edge of the region.
pub fn rounds_wanted(interval: LogInterval, rounds: u64, rope: f64) -> Option<f64> {
    let room = (interval.at.abs() - rope).abs();
    let wanted = real(rounds) * (interval.half / room).powi(2);
    wanted.is_finite().then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Contrast, LogRatios};

    const ROPE: f64 = 0.005;

    #[test]
    fn sides_of_the_region() {
        let at = |at, half| LogInterval { at, half };
        assert_eq!(at(0.02, 0.01).side(ROPE), Ordering::Greater);
        assert_eq!(at(-0.02, 0.01).side(ROPE), Ordering::Less);
        assert_eq!(at(0.01, 0.006).side(ROPE), Ordering::Equal);
        assert!(at(0.001, 0.003).within(ROPE) && !at(0.003, 0.003).within(ROPE));
        assert!(at(0.1, 0.02).apart(&at(0.2, 0.03)) && !at(0.1, 0.06).apart(&at(0.2, 0.05)));
    }

    #[test]
    fn half_the_width_takes_four_times_the_rounds() {
        let interval = LogInterval {
            at: 0.01,
            half: 0.01,
        };
        let wanted = rounds_wanted(interval, 100, ROPE).unwrap();
        assert!((wanted - 400.0).abs() < 1e-6);
        let edge = LogInterval {
            at: ROPE,
            half: 0.01,
        };
        assert_eq!(rounds_wanted(edge, 100, ROPE), None);
    }

    /// Arms of constant times: all that is left is the arithmetic.
    fn word(arm: f64, rounds: u32, more_is_better: bool) -> EstimateVerdict {
        let mut series = LogRatios::default();
        for _ in 0..rounds {
            series.add(&Contrast::of(arm, 100.0, 100.0));
        }
        let boundary = Boundary::tightest_at(200.0, 0.05);
        decide(&series, boundary, ROPE, more_is_better)
    }

    #[test]
    fn words_follow_the_metric() {
        assert_eq!(word(102.0, 20, false), EstimateVerdict::Slower);
        assert_eq!(word(102.0, 20, true), EstimateVerdict::Faster);
        assert_eq!(word(98.0, 20, false), EstimateVerdict::Faster);
        assert_eq!(word(100.2, 20, false), EstimateVerdict::NoDifference);
        assert_eq!(word(102.0, 9, false), EstimateVerdict::Undecided);
    }
}
