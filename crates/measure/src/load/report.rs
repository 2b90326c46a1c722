//! The result of a load.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::engine::Api;

/// The work of a load, in the time that counts.
#[derive(Clone, Debug)]
pub struct LoadReport {
    /// Reads.
    pub read: OpReport,
    /// Writes.
    pub write: OpReport,
    /// `fdatasync`.
    pub flush: OpReport,
    /// Time that counts, the mean over workers.
    pub elapsed: Duration,
    /// Processor time of all workers in user mode.
    pub user: Duration,
    /// Processor time of all workers in the kernel.
    pub system: Duration,
    /// Second by second, from the end of the ramp.
    pub samples: Vec<LoadSample>,
    /// I/Os that failed.
    pub errors: u64,
    /// Why it ended before its time; `None`: it did not.
    pub partial: Option<String>,
    /// How I/O was sent.
    pub api: Api,
    /// I/Os in flight a worker; of `pread` and `pwrite` always 1.
    pub queue_depth: u32,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One kind of operation.
#[derive(Clone, Debug)]
pub struct OpReport {
    /// How many completed.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Completed a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// From sending to completion, in nanoseconds.
    pub latency_ns: Histogram<u64>,
}

impl LoadReport {
    /// Reads and writes.
    pub const fn ios(&self) -> u64 {
        self.read.ios + self.write.ios
    }

    /// Processor time an I/O, user and system.
    pub fn cpu_per_io_us(&self) -> Option<f64> {
        #[allow(clippy::cast_precision_loss)] // a mean
        let ios = self.ios() as f64;
        (ios > 0.0).then(|| (self.user + self.system).as_secs_f64() * 1e6 / ios)
    }
}

/// About a second of load.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadSample {
    /// Its end, from the end of the ramp.
    pub end: Duration,
    /// Its length.
    pub length: Duration,
    /// Reads.
    pub read: LoadTotals,
    /// Writes.
    pub write: LoadTotals,
}

/// Sums.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadTotals {
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Histogram of their latencies.
    pub latency_ns: u64,
}

impl LoadTotals {
    pub(super) const fn since(self, earlier: Self) -> Self {
        Self {
            ios: self.ios.wrapping_sub(earlier.ios),
            bytes: self.bytes.wrapping_sub(earlier.bytes),
            latency_ns: self.latency_ns.wrapping_sub(earlier.latency_ns),
        }
    }

    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            ios: self.ios.wrapping_add(other.ios),
            bytes: self.bytes.wrapping_add(other.bytes),
            latency_ns: self.latency_ns.wrapping_add(other.latency_ns),
        }
    }
}

/// How a load goes.
#[derive(Copy, Clone, Debug, Default)]
pub struct LoadSnapshot {
    /// Nothing counts yet.
    pub ramping: bool,
    /// Since the start of the ramp, or of what counts.
    pub elapsed: Duration,
    /// Whether it belongs to the ramp or counts.
    pub planned: Duration,
    /// Reads, since the start of all.
    pub read: LoadTotals,
    /// Writes, since the start of all.
    pub write: LoadTotals,
    /// About the last second.
    pub last: LoadSample,
}

/// An I/O that completed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SentIo {
    /// When it was sent, in nanoseconds since the machine started.
    pub time_ns: u64,
    /// A write.
    pub write: bool,
    /// Its place in its device or file.
    pub offset_bytes: u64,
    /// Its size.
    pub bytes: u32,
    /// From sending to completion.
    pub latency_ns: u64,
}

/// Sees I/Os as they complete, from the threads of the workers.
pub trait Tap: Sync {
    /// Some I/Os of one worker, in the order of completion.
    fn sent(&self, worker: u32, ios: &[SentIo]);
}
