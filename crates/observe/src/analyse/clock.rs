//! One device over time: bursts, samplers, queue depth, arrivals, intervals.

mod rows;

use ioalign_core::profile::littles_law::Measured;
use ioalign_core::profile::{DeviceProfile, TimeCount};
use ioalign_core::units::ratio;

use super::Settings;
use super::bursts::BurstState;
use super::depth::Depth;
use super::device::Room;
use super::intervals::{IntervalState, Span};
use super::sampler::SamplerState;
use crate::record::{Io, NO_LATENCY};

/// Classes of times between I/Os: powers of two of nanoseconds.
const CLASSES: usize = 64;

/// What some I/Os are together.
#[derive(Copy, Clone, Debug, Default)]
pub struct Sum {
    /// The last end.
    pub end: u64,
    /// How many.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those with a latency.
    pub known: u64,
    /// All latencies.
    pub latency: u64,
}

/// Between what moments some I/Os are.
struct Extent {
    first: i64,
    last: i64,
    /// The highest latency.
    highest: u64,
    sum: Sum,
}

impl Extent {
    #[inline]
    fn of(ios: impl Iterator<Item = Io>) -> Self {
        let (mut first, mut last, mut highest) = (i64::MAX, i64::MIN, 0);
        let mut sum = Sum::default();
        let mut unknown = 0;
        for io in ios {
            first = first.min(io.time);
            last = last.max(io.time);
            sum.bytes += u64::from(io.len);
            let latency = if io.latency == NO_LATENCY {
                0
            } else {
                io.latency
            };
            unknown += u64::from(io.latency == NO_LATENCY);
            sum.latency = sum.latency.wrapping_add(latency);
            highest = highest.max(latency);
            sum.ios += 1;
        }
        sum.known = sum.ios - unknown;
        Self {
            first,
            last,
            highest,
            sum,
        }
    }
}

#[inline]
fn since(time: i64, origin: i64) -> u64 {
    u64::try_from(time.saturating_sub(origin)).unwrap_or(0)
}

/// The time of one device.
pub struct Clock {
    /// The first I/O of all devices: time 0.
    origin: i64,
    first: Option<u64>,
    last: u64,
    last_end: u64,
    busy: u64,
    ios: u64,
    known: u64,
    arrivals: [u64; CLASSES],
    depth: Depth,
    bursts: BurstState,
    samplers: Vec<SamplerState>,
    intervals: Option<IntervalState>,
}

impl Clock {
    /// Counts from `origin`.
    pub fn new(settings: &Settings, origin: i64, room: &Room) -> Self {
        Self {
            origin,
            first: None,
            last: 0,
            last_end: 0,
            busy: 0,
            ios: 0,
            known: 0,
            arrivals: [0; CLASSES],
            depth: Depth::new(room.steps),
            bursts: BurstState::new(settings.burst_gap, room.bursts),
            samplers: settings
                .samplers
                .iter()
                .map(|width| SamplerState::new(*width, room.samples))
                .collect(),
            intervals: settings
                .interval
                .map(|width| IntervalState::new(width, room.intervals)),
        }
    }

    /// Counts I/Os, in the order of issue; not many, that they be of one time. When the last of them
    /// ended.
    pub fn add_all(&mut self, ios: impl Iterator<Item = Io> + Clone) -> i64 {
        let extent = Extent::of(ios.clone());
        if let Some(within) = self.within(&extent) {
            let end = self.add_sum(ios, extent.sum, within);
            return self.origin.saturating_add_unsigned(end);
        }
        let mut last = i64::MIN;
        for io in ios {
            self.add(&io);
            last = last.max(io.end());
        }
        last
    }

    /// Between what times these I/Os are, where they need not be told apart but for their arrivals and
    /// ends.
    fn within(&self, extent: &Extent) -> Option<(u64, u64)> {
        let first = u64::try_from(extent.first.checked_sub(self.origin)?).ok()?;
        let last = u64::try_from(extent.last.checked_sub(self.origin)?).ok()?;
        let end = last.checked_add(extent.highest)?;
        // So short that no sum of latencies overflows.
        let short = extent.highest <= u64::MAX / extent.sum.ios.max(1);
        let one = short
            && self.first.is_some()
            && self.intervals.is_none()
            && self.bursts.holds(last)
            && self.samplers.iter().all(|sampler| sampler.holds(end));
        one.then_some((first, end))
    }

    /// Counts them; the last end.
    fn add_sum(
        &mut self,
        ios: impl Iterator<Item = Io>,
        mut sum: Sum,
        (first, end): (u64, u64),
    ) -> u64 {
        let one_step = self.depth.holds(first, end);
        let mut busy = 0;
        for io in ios {
            // `within` saw to it that none is before the origin.
            let start = io.time.wrapping_sub(self.origin).cast_unsigned();
            self.arrive(start);
            let known = io.latency != NO_LATENCY;
            let end = start + if known { io.latency } else { 0 };
            busy += self.occupy(start, end);
            sum.end = sum.end.max(end);
            self.depth.add_end(start, end);
            if known && !one_step {
                self.depth.add_area(start, end);
            }
        }
        if one_step {
            self.depth.add_time(first, sum.latency);
        }
        self.ios += sum.ios;
        self.known += sum.known;
        self.bursts.add_sum(&sum, busy);
        for sampler in &mut self.samplers {
            sampler.add_sum(&sum);
        }
        sum.end
    }

    #[inline]
    fn add(&mut self, io: &Io) {
        let start = since(io.time, self.origin);
        let known = io.latency != NO_LATENCY;
        let end = if known {
            start.saturating_add(io.latency)
        } else {
            start
        };
        self.arrive(start);
        let busy = self.occupy(start, end);
        self.ios += 1;
        if known {
            self.known += 1;
            self.depth.add(start, end);
        }
        self.bursts.add(start, end, io.len, known, busy);
        for sampler in &mut self.samplers {
            sampler.add(start, end, io.len, known);
        }
        if let Some(intervals) = &mut self.intervals {
            intervals.add(Span { start, end, busy }, io.op, io.len, known);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        let start = since(io.time, self.origin);
        let end = start.saturating_add(io.latency);
        let busy = self.occupy(start, end);
        self.known += 1;
        self.depth.add_area(start, end);
        self.bursts.add_latency(start, end, busy);
        if let Some(intervals) = &mut self.intervals {
            intervals.add_latency(Span { start, end, busy }, io.op);
        }
    }

    #[inline]
    fn arrive(&mut self, start: u64) {
        if self.first.is_some() {
            let since = start.saturating_sub(self.last);
            // The number of its bits: times are below 2^63.
            let class = (since << 1 | 1).ilog2() as usize;
            if let Some(count) = self.arrivals.get_mut(class) {
                *count += 1;
            }
        } else {
            self.first = Some(start);
        }
        self.last = start;
    }

    /// The time that `[start, end)` adds to that with any I/O in flight.
    #[inline]
    fn occupy(&mut self, start: u64, end: u64) -> u64 {
        let new = end.saturating_sub(start.max(self.last_end));
        self.last_end = self.last_end.max(end);
        self.busy += new;
        new
    }

    /// Fills in what the profile says of it.
    pub fn profile(&self, settings: &Settings, out: &mut DeviceProfile) {
        let duration = self.last_end.saturating_sub(self.first.unwrap_or(0));
        (out.bursts, out.bursts_total) = self.bursts.profile(&settings.samplers);
        out.samplers = self.samplers.iter().map(SamplerState::profile).collect();
        out.queue_depth = self.depth.profile(duration, self.busy);
        out.littles_law = Measured {
            duration,
            ios: self.ios,
            known: self.known,
            latency: self.depth.total(),
            area: self.depth.total(),
            busy: self.busy,
        }
        .check();
        out.inter_arrival = self.inter_arrival();
        out.intervals = self.intervals.as_ref().map(IntervalState::profile);
    }

    fn inter_arrival(&self) -> Vec<TimeCount> {
        let classes = self.arrivals.iter().zip(0_u32..);
        let used = classes.filter(|(ios, _)| **ios > 0);
        let named = used.map(|(ios, class)| TimeCount {
            below_us: ratio(1 << class, 1000),
            ios: *ios,
        });
        named.collect()
    }
}
