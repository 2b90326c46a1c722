//! The counters of one worker.

use hdrhistogram::Histogram;

use super::report::LoadTotals;
use crate::engine::QueueOp;
use crate::{Error, ErrorKind, Result};

/// Latencies from 16 ns to ten minutes; what lies beyond counts as the nearest of the two.
const LEAST_NS: u64 = 16;
const MOST_NS: u64 = 600_000_000_000;
const DIGITS: u8 = 3;

/// Counts of one operation.
#[derive(Clone, Debug)]
pub(super) struct OpCount {
    pub(super) totals: LoadTotals,
    pub(super) latency_ns: Histogram<u64>,
}

impl OpCount {
    pub(super) fn new() -> Result<Self> {
        let histogram = Histogram::new_with_bounds(LEAST_NS, MOST_NS, DIGITS);
        let failed = |error| Error::new(ErrorKind::Unsupported, format!("a histogram: {error}"));
        Ok(Self {
            totals: LoadTotals::default(),
            latency_ns: histogram.map_err(failed)?,
        })
    }

    #[inline]
    fn add(&mut self, bytes: u32, latency_ns: u64) {
        self.totals.ios += 1;
        self.totals.bytes += u64::from(bytes);
        self.totals.latency_ns = self.totals.latency_ns.wrapping_add(latency_ns);
        self.latency_ns.saturating_record(latency_ns);
    }
}

/// Counts of all operations.
#[derive(Clone, Debug)]
pub(super) struct LoadTally {
    pub(super) read: OpCount,
    pub(super) write: OpCount,
    pub(super) flush: OpCount,
}

impl LoadTally {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            read: OpCount::new()?,
            write: OpCount::new()?,
            flush: OpCount::new()?,
        })
    }

    #[inline]
    pub(super) fn add(&mut self, op: QueueOp, bytes: u32, latency_ns: u64) {
        match op {
            QueueOp::Read => self.read.add(bytes, latency_ns),
            QueueOp::Write | QueueOp::AtomicWrite => self.write.add(bytes, latency_ns),
            QueueOp::Flush => self.flush.add(0, latency_ns),
        }
    }
}
