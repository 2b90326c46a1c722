//! One device over time: bursts, samplers, queue depth, arrivals, intervals.

use ioalign_core::profile::littles_law::LawInputs;
use ioalign_core::profile::{DeviceProfile, TimeCount};
use ioalign_core::units::ratio;

use super::bursts::BurstState;
use super::course;
use super::depth::DepthCounter;
use super::intervals::{IntervalState, IoSpan};
use super::limits::DeviceLimits;
use super::part::PartState;
use super::sampler::SamplerState;
use super::settings::AnalysisSettings;
use crate::record::{Io, NO_LATENCY};

/// Classes of times between I/Os: powers of two of nanoseconds.
const CLASSES: usize = 64;

#[inline]
fn since(time: i64, origin: i64) -> u64 {
    u64::try_from(time.saturating_sub(origin)).unwrap_or(0)
}

/// The time of one device.
pub struct DeviceClock {
    /// The first I/O of all devices: time 0.
    origin: i64,
    first: Option<u64>,
    last: u64,
    last_end: u64,
    busy: u64,
    ios: u64,
    known: u64,
    arrivals: [u64; CLASSES],
    depth: DepthCounter,
    bursts: BurstState,
    samplers: Vec<SamplerState>,
    intervals: Option<IntervalState>,
    part: Option<Box<PartState>>,
}

impl DeviceClock {
    /// Counts from `origin`.
    pub fn new(settings: &AnalysisSettings, origin: i64, limits: &DeviceLimits) -> Self {
        Self {
            origin,
            first: None,
            last: 0,
            last_end: 0,
            busy: 0,
            ios: 0,
            known: 0,
            arrivals: [0; CLASSES],
            depth: DepthCounter::new(limits.steps),
            bursts: BurstState::new(settings.burst_gap, limits.bursts),
            samplers: settings
                .samplers
                .iter()
                .map(|width| SamplerState::new(*width, limits.samples))
                .collect(),
            intervals: settings
                .interval
                .map(|width| IntervalState::new(width, limits.intervals)),
            part: settings
                .mergeable
                .then(|| Box::new(PartState::new(settings))),
        }
    }

    /// Counts an I/O, in the order of issue.
    #[inline]
    pub fn add(&mut self, io: &Io) {
        let start = since(io.time, self.origin);
        let known = io.latency != NO_LATENCY;
        let end = if known {
            start.saturating_add(io.latency)
        } else {
            start
        };
        if let Some(part) = &mut self.part {
            part.add(io);
        }
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
            intervals.add(IoSpan { start, end, busy }, io.op, io.len, known);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        let start = since(io.time, self.origin);
        let end = start.saturating_add(io.latency);
        let busy = self.occupy(start, end);
        if let Some(part) = &mut self.part {
            part.add_latency(io);
        }
        self.known += 1;
        self.depth.add_area(start, end);
        self.bursts.add_latency(start, end, busy);
        if let Some(intervals) = &mut self.intervals {
            intervals.add_latency(IoSpan { start, end, busy }, io.op);
        }
    }

    #[inline]
    fn arrive(&mut self, start: u64) {
        if self.first.is_some() {
            let since = start.saturating_sub(self.last);
            // The number of its bits: times are below 2^63.
            let class = course::class_of(since) as usize;
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
    pub fn profile(&self, settings: &AnalysisSettings, out: &mut DeviceProfile) {
        let duration = self.last_end.saturating_sub(self.first.unwrap_or(0));
        (out.bursts, out.bursts_total) = self.bursts.profile(&settings.samplers);
        out.samplers = self.samplers.iter().map(SamplerState::profile).collect();
        out.queue_depth = self.depth.profile(duration, self.busy);
        out.littles_law = LawInputs {
            duration,
            ios: self.ios,
            known: self.known,
            latency: self.depth.total(),
            area: self.depth.total(),
            busy: self.busy,
        }
        .check();
        out.part = self.part.as_ref().map(|part| {
            let classes = (0..).zip(self.arrivals).filter(|(_, ios)| *ios > 0);
            Box::new(part.profile(self.busy, self.depth.most(), classes.collect()))
        });
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
