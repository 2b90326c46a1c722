//! State shared by workers and their observer.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::report::LoadTotals;

/// The phase of a load.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum LoadPhase {
    Ramp,
    Run,
    Stop,
}

/// One for all workers.
#[derive(Debug, Default)]
pub(super) struct Board {
    phase: AtomicU8,
}

impl Board {
    pub(super) fn phase(&self) -> LoadPhase {
        match self.phase.load(Ordering::Relaxed) {
            0 => LoadPhase::Ramp,
            1 => LoadPhase::Run,
            _ => LoadPhase::Stop,
        }
    }

    /// Phases only go forwards: a worker that failed is not overruled.
    pub(super) fn advance(&self, phase: LoadPhase) {
        let number = match phase {
            LoadPhase::Ramp => 0,
            LoadPhase::Run => 1,
            LoadPhase::Stop => 2,
        };
        self.phase.fetch_max(number, Ordering::Relaxed);
    }
}

/// Sums of one worker, alone on their cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Gauge {
    counts: AtomicBool,
    read: BoardSums,
    write: BoardSums,
}

#[derive(Debug, Default)]
struct BoardSums {
    ios: AtomicU64,
    bytes: AtomicU64,
    latency_ns: AtomicU64,
}

impl Gauge {
    /// The worker has left the ramp: its sums start again.
    pub(super) fn begin(&self) {
        self.show(LoadTotals::default(), LoadTotals::default());
        self.counts.store(true, Ordering::Release);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.counts.load(Ordering::Acquire)
    }

    pub(super) fn show(&self, read: LoadTotals, write: LoadTotals) {
        self.read.set(read);
        self.write.set(write);
    }

    pub(super) fn read(&self) -> LoadTotals {
        self.read.get()
    }

    pub(super) fn write(&self) -> LoadTotals {
        self.write.get()
    }
}

impl BoardSums {
    fn set(&self, totals: LoadTotals) {
        self.ios.store(totals.ios, Ordering::Relaxed);
        self.bytes.store(totals.bytes, Ordering::Relaxed);
        self.latency_ns.store(totals.latency_ns, Ordering::Relaxed);
    }

    fn get(&self) -> LoadTotals {
        LoadTotals {
            ios: self.ios.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            latency_ns: self.latency_ns.load(Ordering::Relaxed),
        }
    }
}
