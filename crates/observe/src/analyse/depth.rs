//! The number of I/Os in flight: the area under the curve, exact for any order of completions.
//!
//! Each I/O adds the time of `[issue, completion)` to the steps of time that it overlaps. The sum is
//! that of the curve's area, needs no sorting, and adds up over parts of a trace.

use ioalign_core::profile::QueueDepth;
use ioalign_core::units::ratio;

use super::folded::Folded;

/// Steps of time begin at a millisecond.
const FIRST_STEP: u64 = 1_000_000;
/// In flight at once, as far as the most of them is looked for.
const MOST: usize = 4096;

/// The I/Os in flight on one device.
pub struct DepthCounter {
    area: Folded<u64>,
    ends: InFlightEnds,
    total: u128,
}

/// When those that are in flight end. Nothing is looked up in it until there could be more than ever
/// before: until then those that have ended may stay.
#[derive(Default)]
struct InFlightEnds {
    /// In no order.
    fresh: Vec<u64>,
    /// Older ones, latest first, where there are nearly as many as ever before.
    sorted: Vec<u64>,
    /// This many values in `fresh` can stay unsorted.
    room: usize,
    /// The issue of the last one.
    now: u64,
    max: usize,
}

impl InFlightEnds {
    /// Counts an I/O, in the order of issue.
    #[inline]
    fn add(&mut self, start: u64, end: u64) {
        if start < self.now {
            self.drop_ended();
        }
        self.now = start;
        if end > start {
            self.fresh.push(end);
            if self.fresh.len() > self.room {
                self.recount();
            }
        }
    }

    /// There may be more than ever before.
    #[cold]
    fn recount(&mut self) {
        while self.sorted.last().is_some_and(|end| *end <= self.now) {
            self.sorted.pop();
        }
        if self.sorted.len() + self.fresh.len() > self.max {
            self.drop_ended();
            let len = self.fresh.len();
            self.max = self.max.max(len);
            // So few ends to come would bring the next look at all of them.
            if self.max - len < self.max / 4 + 1 {
                self.fresh.sort_unstable_by(|a, b| b.cmp(a));
                std::mem::swap(&mut self.fresh, &mut self.sorted);
            }
        }
        self.room = if self.max < MOST {
            self.max - self.sorted.len()
        } else {
            self.forget()
        };
    }

    fn drop_ended(&mut self) {
        self.fresh.append(&mut self.sorted);
        self.fresh.retain(|end| *end > self.now);
        self.room = self.max.max(self.fresh.len());
    }

    /// More than this is not looked for.
    fn forget(&mut self) -> usize {
        self.max = MOST;
        self.fresh.clear();
        self.sorted.clear();
        MOST
    }
}

impl DepthCounter {
    /// With at most `steps` steps of time.
    pub fn new(steps: usize) -> Self {
        Self {
            area: Folded::new(FIRST_STEP, steps),
            ends: InFlightEnds::default(),
            total: 0,
        }
    }

    /// The time that all I/Os spent in flight.
    pub const fn total(&self) -> u128 {
        self.total
    }

    /// The most at one time.
    pub const fn most(&self) -> u64 {
        self.ends.max as u64
    }

    /// Counts an I/O, in the order of issue.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64) {
        self.add_area(start, end);
        self.ends.add(start, end);
    }

    /// Counts one out of order: the most at once does not see it.
    #[inline]
    pub fn add_area(&mut self, start: u64, end: u64) {
        self.total += u128::from(end.saturating_sub(start));
        self.area
            .spread(start, end, |row, time| *row = row.saturating_add(time));
    }

    /// Its part of the profile: `duration` and the busy part of it in nanoseconds.
    pub fn profile(&self, duration: u64, busy: u64) -> Option<QueueDepth> {
        if self.ends.max == 0 || duration == 0 {
            return None;
        }
        let area = u64::try_from(self.total).unwrap_or(u64::MAX);
        let most = self.ends.max as u64;
        Some(queue_depth(area, most, duration, busy, &self.area))
    }
}

/// `area` is nanoseconds times I/Os in flight, `over_time` the same row by row.
pub(crate) fn queue_depth(
    area: u64,
    max: u64,
    duration: u64,
    busy: u64,
    over_time: &Folded<u64>,
) -> QueueDepth {
    let rows = over_time.rows().iter();
    QueueDepth {
        mean: ratio(area, duration),
        mean_while_busy: ratio(area, busy.max(1)),
        max,
        busy_ratio: ratio(busy, duration).min(1.0),
        interval_us: ratio(over_time.width(), 1000),
        in_flight_us: rows.map(|row| ratio(*row, 1000)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_most_at_once_is_what_a_sweep_finds(spans in proptest::collection::vec((0..1000_u64, 1..300_u64), 1..80)) {
            let mut spans = spans;
            spans.sort_unstable();
            let mut depth = DepthCounter::new(128);
            spans.iter().for_each(|(start, len)| depth.add(*start, start + len));
            let at = |t: u64| spans.iter().filter(|(s, len)| *s <= t && t < s + len).count();
            let most = (0..1400).map(at).max().unwrap_or(0);
            prop_assert_eq!(depth.ends.max, most);
            let sum: u64 = spans.iter().map(|(_, len)| len).sum();
            prop_assert_eq!(depth.total, u128::from(sum));
            let found = depth.profile(1300, 1300).unwrap();
            #[allow(clippy::cast_precision_loss)]
            let wanted = sum as f64 / 1000.0;
            prop_assert!((found.in_flight_us.iter().sum::<f64>() - wanted).abs() < 1e-6);
        }
    }
}
