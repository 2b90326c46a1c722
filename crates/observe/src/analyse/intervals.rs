//! Rates over time in the columns of pt-diskstats; a completed I/O counts in the interval it ends in.

use ioalign_core::profile::{Interval, IntervalOp, Intervals};
use ioalign_core::units::ratio;

use super::folded::{Fold, Folded};
use crate::record::Op;

#[derive(Copy, Clone, Debug, Default)]
struct OpRow {
    ios: u64,
    bytes: u64,
    known: u64,
    latency: u64,
    area: u64,
}

#[derive(Copy, Clone, Debug, Default)]
struct IntervalRow {
    read: OpRow,
    write: OpRow,
    busy: u64,
    in_progress: u64,
}

impl Fold for IntervalRow {
    fn fold(&mut self, later: &Self) {
        for (mine, its) in [
            (&mut self.read, &later.read),
            (&mut self.write, &later.write),
        ] {
            mine.ios += its.ios;
            mine.bytes += its.bytes;
            mine.known += its.known;
            mine.latency = mine.latency.saturating_add(its.latency);
            mine.area += its.area;
        }
        self.busy += later.busy;
        self.in_progress = later.in_progress;
    }
}

/// The rows of one device.
pub struct IntervalState {
    asked: u64,
    rows: Folded<IntervalRow>,
    /// Whether any latency is known.
    known: bool,
    last_end: u64,
}

/// An I/O, or the part of it that is new.
#[derive(Copy, Clone)]
pub struct IoSpan {
    pub start: u64,
    pub end: u64,
    /// The time that `[start, end)` adds to the time with any I/O in flight: the end of it.
    pub busy: u64,
}

impl IntervalState {
    /// Rows of `width` nanoseconds, `most` of them.
    pub fn new(width: u64, most: usize) -> Self {
        Self {
            asked: width,
            rows: Folded::new(width, most),
            known: false,
            last_end: 0,
        }
    }

    /// Counts an I/O.
    pub fn add(&mut self, span: IoSpan, op: Op, bytes: u32, known: bool) {
        self.last_end = self.last_end.max(span.end);
        if let Some(row) = op_row(self.rows.at(span.end), op) {
            row.ios += 1;
            row.bytes += u64::from(bytes);
        }
        if known {
            self.add_latency(span, op);
        }
    }

    /// The latency of an I/O that was counted.
    pub fn add_latency(&mut self, span: IoSpan, op: Op) {
        let IoSpan { start, end, busy } = span;
        self.known = true;
        self.last_end = self.last_end.max(end);
        if let Some(row) = op_row(self.rows.at(end), op) {
            row.known += 1;
            row.latency = row.latency.saturating_add(end.saturating_sub(start));
        }
        self.rows.spread(start, end, |row, time| {
            if let Some(row) = op_row(row, op) {
                row.area += time;
            }
        });
        let new = end.saturating_sub(busy);
        self.rows.spread(new, end, |row, time| row.busy += time);
        self.rows.crossed(start, end, |row| row.in_progress += 1);
    }

    pub fn profile(&self) -> Intervals {
        let width = self.rows.width();
        let rows = self.rows.rows().iter().zip(0_u64..);
        let rows = rows.map(|(row, i)| {
            // The last one is as long as there was I/O in it.
            let len = width.min(self.last_end.saturating_sub(i * width)).max(1);
            Interval {
                start_us: i * width / 1000,
                read: row.read.profile(len),
                write: row.write.profile(len),
                busy_ratio: self.known.then(|| ratio(row.busy, len).min(1.0)),
                in_progress: self.known.then_some(row.in_progress),
            }
        });
        Intervals {
            asked_us: self.asked / 1000,
            interval_us: width / 1000,
            rows: rows.collect(),
        }
    }
}

const fn op_row(row: &mut IntervalRow, op: Op) -> Option<&mut OpRow> {
    match op {
        Op::Read => Some(&mut row.read),
        Op::Write => Some(&mut row.write),
        _ => None,
    }
}

impl OpRow {
    fn profile(&self, len: u64) -> IntervalOp {
        let rate = |value| ratio(value, len) * 1e9;
        IntervalOp {
            ios: self.ios,
            iops: rate(self.ios),
            bytes: self.bytes,
            throughput_bytes_per_s: rate(self.bytes),
            mean_bytes: (self.ios > 0).then(|| ratio(self.bytes, self.ios)),
            // No record speaks of merges: a trace has them as events of their own, or not at all.
            merged_ratio: None,
            concurrency: (self.known > 0 || self.area > 0).then(|| ratio(self.area, len)),
            latency_mean_us: (self.known > 0).then(|| ratio(self.latency, self.known) / 1e3),
        }
    }
}
