//! The work of all workers together.

use std::time::Duration;

use super::report::{LoadReport, LoadSample, LoadTotals, OpReport};
use super::shared::Work;
use super::tally::{LoadTally, OpCount};
use crate::Result;
use crate::engine::Api;

/// The sum over all workers.
pub(super) struct WorkerSum {
    tally: LoadTally,
    rates: [SecondRate; 3],
    elapsed_ns: u64,
    workers: u64,
    user_ns: u64,
    system_ns: u64,
    errors: u64,
}

/// A second.
#[derive(Copy, Clone, Default)]
struct SecondRate {
    ios: f64,
    bytes: f64,
}

impl WorkerSum {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            tally: LoadTally::new()?,
            rates: [SecondRate::default(); 3],
            elapsed_ns: 0,
            workers: 0,
            user_ns: 0,
            system_ns: 0,
            errors: 0,
        })
    }

    pub(super) const fn ios(&self) -> u64 {
        self.tally.read.totals.ios + self.tally.write.totals.ios
    }

    pub(super) fn add(&mut self, work: &Work) {
        let from = [&work.tally.read, &work.tally.write, &work.tally.flush];
        let into = [
            &mut self.tally.read,
            &mut self.tally.write,
            &mut self.tally.flush,
        ];
        for ((into, from), rate) in into.into_iter().zip(from).zip(&mut self.rates) {
            into.totals = into.totals.with(from.totals);
            into.latency_ns.add(&from.latency_ns).ok();
            rate.add(from.totals, work.elapsed_ns);
        }
        self.elapsed_ns += work.elapsed_ns;
        self.workers += 1;
        self.user_ns += work.times.user_ns;
        self.system_ns += work.times.system_ns;
        self.errors += work.errors;
    }

    /// The time that counts, the mean over workers.
    pub(super) const fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.elapsed_ns / if self.workers == 0 { 1 } else { self.workers })
    }

    pub(super) fn report(
        self,
        samples: Vec<LoadSample>,
        partial: Option<String>,
        (api, queue_depth): (Api, u32),
        notes: Vec<String>,
    ) -> LoadReport {
        let elapsed = self.elapsed();
        let [read, write, flush] = self.rates;
        LoadReport {
            read: op(self.tally.read, read),
            write: op(self.tally.write, write),
            flush: op(self.tally.flush, flush),
            elapsed,
            user: Duration::from_nanos(self.user_ns),
            system: Duration::from_nanos(self.system_ns),
            samples,
            errors: self.errors,
            partial,
            api,
            queue_depth,
            notes,
        }
    }
}

impl SecondRate {
    #[allow(clippy::cast_precision_loss)] // a rate
    fn add(&mut self, totals: LoadTotals, elapsed_ns: u64) {
        if elapsed_ns != 0 {
            let seconds = elapsed_ns as f64 / 1e9;
            self.ios += totals.ios as f64 / seconds;
            self.bytes += totals.bytes as f64 / seconds;
        }
    }
}

fn op(count: OpCount, rate: SecondRate) -> OpReport {
    OpReport {
        ios: count.totals.ios,
        bytes: count.totals.bytes,
        iops: rate.ios,
        bytes_per_s: rate.bytes,
        latency_ns: count.latency_ns,
    }
}
