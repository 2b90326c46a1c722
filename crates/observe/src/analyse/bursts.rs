//! Bursts: I/O between idle times, with the throughput and latency that monitoring averages away.
//!
//! A burst begins with the first I/O after nothing was in flight for the gap, and ends with the
//! completion of its last I/O. Counts are exact; of the bursts themselves the largest are kept.

use ioalign_core::profile::littles_law::LawInputs;
use ioalign_core::profile::part::BurstSpan;
use ioalign_core::profile::{Burst, Bursts, Sampled};
use ioalign_core::units::ratio;

use super::sum::IoSum;

#[derive(Copy, Clone, Debug, Default)]
struct One {
    start: u64,
    end: u64,
    ios: u64,
    bytes: u64,
    known: u64,
    latency: u64,
    busy: u64,
}

/// The bursts of one device.
#[derive(Clone, Debug)]
pub struct BurstState {
    gap: u64,
    now: Option<One>,
    kept: Vec<One>,
    /// Their number.
    most: usize,
    /// Bytes of the smallest one that is kept, once all places are taken.
    least: u64,
    count: u64,
    duration: u64,
    longest: u64,
    bytes: u64,
}

impl BurstState {
    /// A burst ends after `gap` nanoseconds with nothing in flight; at most `most` are kept.
    pub const fn new(gap: u64, most: usize) -> Self {
        Self {
            gap,
            now: None,
            kept: Vec::new(),
            most,
            least: 0,
            count: 0,
            duration: 0,
            longest: 0,
            bytes: 0,
        }
    }

    /// Counts an I/O; `busy` is the time that it adds to that with any in flight.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64, bytes: u32, known: bool, busy: u64) {
        let ended = |one: &One| start.saturating_sub(one.end) >= self.gap && start > one.end;
        if self.now.as_ref().is_none_or(ended) {
            self.close();
            self.now = Some(One {
                start,
                end,
                ..One::default()
            });
        }
        let Some(now) = &mut self.now else { return };
        now.end = now.end.max(end);
        now.ios += 1;
        now.bytes += u64::from(bytes);
        now.busy += busy;
        if known {
            now.known += 1;
            now.latency = now.latency.saturating_add(end.saturating_sub(start));
        }
    }

    /// Whether I/Os issued until `start` belong to the current burst.
    #[inline]
    pub fn holds(&self, start: u64) -> bool {
        let now = self.now.as_ref();
        now.is_some_and(|now| start.saturating_sub(now.end) < self.gap)
    }

    /// Counts I/Os of the current burst.
    pub fn add_sum(&mut self, sum: &IoSum, busy: u64) {
        let Some(now) = &mut self.now else { return };
        now.end = now.end.max(sum.end);
        now.ios += sum.ios;
        now.bytes += sum.bytes;
        now.busy += busy;
        now.known += sum.known;
        now.latency = now.latency.saturating_add(sum.latency);
    }

    /// Counts I/Os that were issued together, the first of them at `first`.
    pub fn add_group(&mut self, first: u64, sum: &IoSum, busy: u64) {
        if !self.holds(first) {
            self.close();
            self.now = Some(One {
                start: first,
                end: first,
                ..One::default()
            });
        }
        self.add_sum(sum, busy);
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, start: u64, end: u64, busy: u64) {
        if let Some(now) = self.now.as_mut().filter(|now| start >= now.start) {
            now.end = now.end.max(end);
            now.known += 1;
            now.latency = now.latency.saturating_add(end.saturating_sub(start));
            now.busy += busy;
        }
    }

    /// Counts a whole burst that began `start` nanoseconds after the first I/O; in order of time.
    pub fn add_span(&mut self, span: &BurstSpan, start: u64, busy: u64) {
        self.close();
        self.now = Some(One {
            start,
            end: start.saturating_add(span.end_ns.abs_diff(span.start_ns)),
            ios: span.ios,
            bytes: span.bytes,
            known: span.known,
            latency: span.latency_ns,
            busy,
        });
    }

    fn close(&mut self) {
        let Some(done) = self.now.take() else { return };
        self.count += 1;
        let duration = done.end.saturating_sub(done.start);
        self.duration += duration;
        self.longest = self.longest.max(duration);
        self.bytes += done.bytes;
        if self.kept.len() < self.most {
            self.kept.push(done);
        } else if done.bytes > self.least {
            self.replace(done);
        }
        if self.kept.len() == self.most {
            self.least = self.kept.iter().map(|one| one.bytes).min().unwrap_or(0);
        }
    }

    fn replace(&mut self, done: One) {
        // Of equally small ones the latest is dropped: the first bursts of a trace stay.
        let smallest = self.kept.iter_mut().rev().min_by_key(|one| one.bytes);
        if let Some(smallest) = smallest {
            *smallest = done;
        }
    }

    /// The largest, in order of time, and the sum of all.
    pub fn profile(&self, samplers: &[u64]) -> (Vec<Burst>, Bursts) {
        let mut all = self.clone();
        all.close();
        all.closed(samplers)
    }

    fn closed(mut self, samplers: &[u64]) -> (Vec<Burst>, Bursts) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_by_key(|one| one.start);
        let bursts = kept.iter().map(|one| one.profile(samplers)).collect();
        let total = Bursts {
            gap_us: self.gap / 1000,
            count: self.count,
            duration_us: ratio(self.duration, 1000),
            longest_us: ratio(self.longest, 1000),
            throughput_bytes_per_s: (self.duration > 0)
                .then(|| ratio(self.bytes, self.duration) * 1e9),
        };
        (bursts, total)
    }
}

impl One {
    fn profile(&self, samplers: &[u64]) -> Burst {
        let duration = self.end.saturating_sub(self.start);
        let rate = |value: u64| (duration > 0).then(|| ratio(value, duration) * 1e9);
        let measured = LawInputs {
            duration,
            ios: self.ios,
            known: self.known,
            latency: u128::from(self.latency),
            // All of its I/Os begin and end within it.
            area: u128::from(self.latency),
            busy: self.busy,
        };
        Burst {
            start_us: ratio(self.start, 1000),
            duration_us: ratio(duration, 1000),
            ios: self.ios,
            bytes: self.bytes,
            throughput_bytes_per_s: rate(self.bytes),
            iops: rate(self.ios),
            latency_mean_us: (self.known > 0).then(|| ratio(self.latency, self.known) / 1e3),
            littles_law: measured.check(),
            sampled: samplers.iter().map(|width| self.sampled(*width)).collect(),
        }
    }

    fn sampled(&self, width: u64) -> Sampled {
        let duration = self.end.saturating_sub(self.start);
        let shown_over = duration.max(width).max(1);
        Sampled {
            interval_us: width / 1000,
            throughput_bytes_per_s: ratio(self.bytes, shown_over) * 1e9,
            understated_ratio: ratio(shown_over, duration.max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One I/O, some that were issued together, and a whole burst: after a gap each of them begins another one.
    #[test]
    fn each_way_of_counting_ends_the_burst_before_it() {
        let mut bursts = BurstState::new(1000, 8);
        let sum = |end| IoSum {
            end,
            ios: 2,
            bytes: 8192,
            ..IoSum::default()
        };
        bursts.add_group(0, &sum(100), 100);
        bursts.add_group(5000, &sum(5100), 100);
        bursts.add(10_000, 10_100, 4096, false, 100);
        bursts.add(20_000, 20_100, 4096, false, 100);
        let whole = BurstSpan {
            end_ns: 100,
            ios: 3,
            bytes: 12288,
            ..BurstSpan::default()
        };
        bursts.add_span(&whole, 30_000, 100);
        let (kept, total) = bursts.profile(&[]);
        let ios: Vec<_> = kept.iter().map(|burst| burst.ios).collect();
        assert_eq!(ios, [2, 2, 1, 1, 3]);
        assert_eq!((total.count, total.longest_us), (5, 0.1));
    }

    #[test]
    fn the_largest_are_kept_in_order_of_time() {
        let mut bursts = BurstState::new(1000, 2);
        for (start, bytes) in [(0, 4096), (5000, 8192), (10_000, 12288)] {
            bursts.add(start, start + 100, bytes, false, 100);
        }
        let (kept, total) = bursts.profile(&[]);
        let bytes: Vec<_> = kept.iter().map(|burst| burst.bytes).collect();
        assert_eq!((bytes, total.count), (vec![8192, 12288], 3));
    }
}
