//! The view of monitoring with an interval of N seconds on the same I/O.
//!
//! iostat, vCenter and the like divide bytes by the interval, and latencies by the I/Os that completed
//! in it: a burst shorter than the interval keeps its latency and loses its throughput.

use std::collections::VecDeque;

use ioalign_core::profile::Sampler;
use ioalign_core::units::ratio;

use super::sum::IoSum;

#[derive(Copy, Clone, Debug, Default)]
struct SamplerRow {
    ios: u64,
    bytes: u64,
    known: u64,
    latency: u64,
}

impl SamplerRow {
    fn latency_us(&self) -> Option<f64> {
        (self.known > 0).then(|| ratio(self.latency, self.known) / 1e3)
    }
}

/// One sampler on one device.
#[derive(Clone, Debug)]
pub struct SamplerState {
    width: u64,
    /// Number of samples that wait for completions; an I/O that takes longer counts in the last of
    /// them.
    most: usize,
    /// Number of the first sample in `open`.
    base: u64,
    open: VecDeque<SamplerRow>,
    active: u64,
    bytes: u64,
    last_end: u64,
    highest: SamplerRow,
    slowest: SamplerRow,
}

impl SamplerState {
    /// Every `width` nanoseconds; at most `most` samples wait.
    pub fn new(width: u64, most: usize) -> Self {
        Self {
            width: width.max(1),
            most: most.max(1),
            base: 0,
            open: VecDeque::new(),
            active: 0,
            bytes: 0,
            last_end: 0,
            highest: SamplerRow::default(),
            slowest: SamplerRow::default(),
        }
    }

    /// Counts an I/O, in the order of issue, when it completes.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64, bytes: u32, known: bool) {
        let latency = if known { end.saturating_sub(start) } else { 0 };
        let one = IoSum {
            end,
            ios: 1,
            bytes: bytes.into(),
            known: known.into(),
            latency,
        };
        self.add_group(start, &one);
    }

    /// Counts I/Os that were issued together, when the last of them completes.
    #[inline]
    pub fn add_group(&mut self, start: u64, sum: &IoSum) {
        let end = sum.end;
        self.last_end = self.last_end.max(end);
        let begun = self.base * self.width;
        if start.saturating_sub(begun) >= self.width {
            self.advance(start / self.width);
        }
        // Most complete in the sample they begin in.
        let ahead = end.saturating_sub(self.base * self.width);
        let ahead = if ahead < self.width {
            0
        } else {
            ahead / self.width
        };
        let index = usize::try_from(ahead)
            .unwrap_or(usize::MAX)
            .min(self.most - 1);
        if index >= self.open.len() {
            self.open.resize(index + 1, SamplerRow::default());
        }
        if let Some(sample) = self.open.get_mut(index) {
            sample.ios += sum.ios;
            sample.bytes += sum.bytes;
            sample.known += sum.known;
            sample.latency = sample.latency.saturating_add(sum.latency);
        }
    }

    /// I/O issued from now on completes in sample `now` or later.
    fn advance(&mut self, now: u64) {
        while self.base < now {
            let Some(done) = self.open.pop_front() else {
                self.base = now;
                return;
            };
            self.base += 1;
            self.close(done);
        }
    }

    fn close(&mut self, done: SamplerRow) {
        if done.ios == 0 {
            return;
        }
        self.active += 1;
        self.bytes += done.bytes;
        if done.bytes > self.highest.bytes {
            self.highest = done;
        }
        if done.latency_us() > self.slowest.latency_us() {
            self.slowest = done;
        }
    }

    /// The values that it shows.
    pub fn profile(&self) -> Sampler {
        let mut all = self.clone();
        all.advance(u64::MAX);
        all.closed()
    }

    fn closed(&self) -> Sampler {
        let rate = |bytes: u64| ratio(bytes, self.width) * 1e9;
        let slowest = self.slowest.latency_us();
        Sampler {
            interval_us: self.width / 1000,
            samples: self.last_end / self.width + 1,
            active: self.active,
            highest_bytes_per_s: rate(self.highest.bytes),
            latency_at_highest_us: self.highest.latency_us(),
            active_mean_bytes_per_s: rate(self.bytes) / ratio(self.active.max(1), 1),
            highest_latency_us: slowest,
            throughput_at_highest_latency_bytes_per_s: slowest.map(|_| rate(self.slowest.bytes)),
        }
    }
}
