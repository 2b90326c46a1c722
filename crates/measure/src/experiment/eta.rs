//! How much longer it takes: a guess from how wide the intervals are and how wide they may be.

use std::time::Duration;

use crate::stats::{Boundary, Series, real, rounds_wanted};

/// Rounds before an interval.
pub(super) const FIRST_INTERVAL: u64 = 10;

/// A part so far.
pub(super) struct RoundPace {
    pub rounds: u64,
    pub round: Duration,
    /// That the part has left at most, and shall take at least.
    pub most: Duration,
    pub least: Duration,
}

impl RoundPace {
    /// Until every arm has a word.
    pub(super) fn left<'s>(
        &self,
        arms: impl Iterator<Item = &'s dyn Series>,
        boundary: Boundary,
        rope: f64,
    ) -> Duration {
        let wanted = |series: &dyn Series| {
            let interval = series.interval(boundary)?;
            rounds_wanted(interval, series.rounds(), rope)
        };
        let longest = arms
            .map(|series| match series.interval(boundary) {
                None => real(FIRST_INTERVAL),
                Some(_) => wanted(series).unwrap_or(f64::INFINITY),
            })
            .fold(0.0, f64::max);
        let seconds = (longest - real(self.rounds)).max(0.0) * self.round.as_secs_f64();
        let left = Duration::try_from_secs_f64(seconds).unwrap_or(self.most);
        left.max(self.least).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Contrast, LogRatios};

    const SECOND: Duration = Duration::from_secs(1);

    fn left(series: &LogRatios, rounds: u64) -> Duration {
        let pace = RoundPace {
            rounds,
            round: SECOND,
            most: 1000 * SECOND,
            least: SECOND,
        };
        let arms = [series as &dyn Series].into_iter();
        pace.left(arms, Boundary::tightest_at(200.0, 0.05), 0.005)
    }

    #[test]
    fn it_is_bounded_and_shrinks() {
        let mut series = LogRatios::default();
        assert_eq!(left(&series, 4), 6 * SECOND);
        for round in 0..10u32 {
            series.add(&Contrast::of(f64::from(100 + round % 2), 100.0, 100.0));
        }
        // The estimate lies on the edge of the region.
        let early = left(&series, 10);
        assert!(early > 900 * SECOND && early <= 1000 * SECOND);
        let mut slow = LogRatios::default();
        for round in 0..10u32 {
            slow.add(&Contrast::of(
                f64::from(110 + 10 * (round % 2)),
                100.0,
                100.0,
            ));
        }
        let late = left(&slow, 10);
        assert!(late < 100 * SECOND && late >= SECOND, "{late:?}");
    }
}
