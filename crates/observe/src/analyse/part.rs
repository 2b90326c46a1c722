//! What a merge needs of one device over time, counted on the trace's own clock.

use std::collections::BTreeMap;

use ioalign_core::profile::part::{
    BurstSpan, DevicePart, InFlightSteps, PartStretch, SampleSums, SamplerPart,
};

use super::settings::AnalysisSettings;
use super::spans::{MOST_KEPT, SpanList};
use super::steps;
use crate::record::{Io, NO_LATENCY};

/// The samples of one interval.
struct SampleRows {
    width: u64,
    rows: BTreeMap<i64, SampleSums>,
    lost: bool,
}

impl SampleRows {
    fn add(&mut self, io: &Io, end: i64) {
        let width = i64::try_from(self.width).unwrap_or(i64::MAX).max(1);
        let index = end.div_euclid(width);
        self.lost |= self.rows.len() >= MOST_KEPT && !self.rows.contains_key(&index);
        if self.lost {
            return self.rows.clear();
        }
        let row = self.rows.entry(index).or_insert(SampleSums {
            index,
            ..SampleSums::default()
        });
        row.ios += 1;
        row.bytes += u64::from(io.len);
        if io.latency != NO_LATENCY {
            row.known += 1;
            row.latency_ns = row.latency_ns.saturating_add(end.abs_diff(io.time));
        }
    }
}

/// The counters.
pub struct PartState {
    gap: u64,
    stretch: Option<PartStretch>,
    known: u64,
    latency: u64,
    late: u64,
    bursts: SpanList,
    busy: SpanList,
    samplers: Vec<SampleRows>,
    in_flight: InFlightSteps,
}

impl PartState {
    /// Nothing counted yet.
    pub fn new(settings: &AnalysisSettings) -> Self {
        let rows = |width: &u64| SampleRows {
            width: *width,
            rows: BTreeMap::new(),
            lost: false,
        };
        Self {
            gap: settings.burst_gap,
            stretch: None,
            known: 0,
            latency: 0,
            late: 0,
            bursts: SpanList::new(settings.burst_gap),
            busy: SpanList::new(0),
            samplers: settings.samplers.iter().map(rows).collect(),
            in_flight: InFlightSteps::default(),
        }
    }

    /// Counts an I/O.
    pub fn add(&mut self, io: &Io) {
        let end = io.end();
        let stretch = self.stretch.get_or_insert(PartStretch {
            first_ns: io.time,
            last_ns: io.time,
            end_ns: end,
        });
        stretch.first_ns = stretch.first_ns.min(io.time);
        stretch.last_ns = stretch.last_ns.max(io.time);
        self.span(io, end, 1);
        for sampler in &mut self.samplers {
            sampler.add(io, end);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        self.late += 1;
        self.span(io, io.end(), 0);
    }

    fn span(&mut self, io: &Io, end_ns: i64, ios: u64) {
        let known = u64::from(io.latency != NO_LATENCY);
        let latency_ns = end_ns.abs_diff(io.time);
        let span = BurstSpan {
            start_ns: io.time,
            end_ns,
            ios,
            bytes: ios * u64::from(io.len),
            known,
            latency_ns,
        };
        if let Some(stretch) = &mut self.stretch {
            stretch.end_ns = stretch.end_ns.max(end_ns);
        }
        self.known += known;
        self.latency = self.latency.saturating_add(latency_ns);
        self.bursts.add(&span);
        if latency_ns > 0 {
            self.busy.add(&BurstSpan {
                start_ns: io.time,
                end_ns,
                ..BurstSpan::default()
            });
            steps::spread(&mut self.in_flight, io.time, end_ns);
        }
    }

    /// Its part of the profile; `busy` nanoseconds are those with any in flight, and `most` were so at one time.
    pub fn profile(&self, busy: u64, most: u64, arrivals: BTreeMap<u32, u64>) -> DevicePart {
        let samplers = self.samplers.iter().map(|sampler| SamplerPart {
            interval_ns: sampler.width,
            rows: (!sampler.lost).then(|| sampler.rows.values().copied().collect()),
        });
        let times = self.busy.finish().map(|spans| {
            let times = spans.into_iter().map(|span| (span.start_ns, span.end_ns));
            times.collect::<Vec<_>>()
        });
        DevicePart {
            gap_ns: self.gap,
            stretches: self.stretch.into_iter().collect(),
            known: self.known,
            latency_ns: self.latency,
            late: self.late,
            most_in_flight: most,
            busy_ns: times.as_deref().map_or(busy, total),
            arrivals,
            bursts: self.bursts.finish(),
            busy: times,
            samplers: samplers.collect(),
            in_flight: self.in_flight.clone(),
            grids: Vec::new(),
        }
    }
}

/// The length of all of them.
pub fn total(spans: &[(i64, i64)]) -> u64 {
    let lengths = spans.iter().map(|(start, end)| end.abs_diff(*start));
    lengths.fold(0, u64::saturating_add)
}
