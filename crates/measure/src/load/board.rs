//! What workers and the one who watches them tell each other.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::report::Totals;

/// What a load is at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
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
    pub(super) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Ramp,
            1 => Phase::Run,
            _ => Phase::Stop,
        }
    }

    /// Phases only go forwards: a worker that failed is not overruled.
    pub(super) fn advance(&self, phase: Phase) {
        let number = match phase {
            Phase::Ramp => 0,
            Phase::Run => 1,
            Phase::Stop => 2,
        };
        self.phase.fetch_max(number, Ordering::Relaxed);
    }
}

/// Sums of one worker, alone on their cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Gauge {
    read: Sums,
    write: Sums,
}

#[derive(Debug, Default)]
struct Sums {
    ios: AtomicU64,
    bytes: AtomicU64,
    latency_ns: AtomicU64,
}

impl Gauge {
    pub(super) fn show(&self, read: Totals, write: Totals) {
        self.read.set(read);
        self.write.set(write);
    }

    pub(super) fn read(&self) -> Totals {
        self.read.get()
    }

    pub(super) fn write(&self) -> Totals {
        self.write.get()
    }
}

impl Sums {
    fn set(&self, totals: Totals) {
        self.ios.store(totals.ios, Ordering::Relaxed);
        self.bytes.store(totals.bytes, Ordering::Relaxed);
        self.latency_ns.store(totals.latency_ns, Ordering::Relaxed);
    }

    fn get(&self) -> Totals {
        Totals {
            ios: self.ios.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            latency_ns: self.latency_ns.load(Ordering::Relaxed),
        }
    }
}
