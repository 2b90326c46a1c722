//! One operation on one grid: the four counters, and latency split by straddling.

use ioalign_core::GridSpec;
use ioalign_core::profile::GridProfile;

use super::latency::Histogram;
use crate::record::{Io, NO_LATENCY};

/// Counters on one grid.
pub struct GridState {
    kind: String,
    size: u64,
    phase: u64,
    /// The size as a shift, where it is a power of two: a division costs as much as all the rest.
    shift: Option<u32>,
    start_off: u64,
    length_off: u64,
    straddling: u64,
    touched: u64,
    minimum: u64,
    slow: Histogram,
    clean: Histogram,
}

/// What one I/O does to the grid.
struct Crossing {
    start_off: bool,
    length_off: bool,
    touched: u64,
    minimum: u64,
}

impl Crossing {
    /// Fits into one cell and lies in two.
    const fn straddles(&self) -> bool {
        self.minimum == 1 && self.touched == 2
    }
}

impl GridState {
    pub fn new(spec: &GridSpec) -> Self {
        let size = spec.size.get().max(1);
        Self {
            kind: spec.kind.clone(),
            size,
            phase: spec.phase.get() % size,
            shift: size.is_power_of_two().then(|| size.trailing_zeros()),
            start_off: 0,
            length_off: 0,
            straddling: 0,
            touched: 0,
            minimum: 0,
            slow: Histogram::default(),
            clean: Histogram::default(),
        }
    }

    #[inline]
    fn split(&self, value: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (value >> shift, value & (self.size - 1)),
            None => (value / self.size, value % self.size),
        }
    }

    #[inline]
    fn crossing(&self, io: &Io) -> Crossing {
        let len = u64::from(io.len);
        // One cell up, so that what lies before the first boundary has a cell too.
        let start = (io.offset.wrapping_sub(self.phase)).wrapping_add(self.size);
        let (first, past) = self.split(start);
        let (last, _) = self.split(start.wrapping_add(len.saturating_sub(1)));
        let (whole, part) = self.split(len);
        Crossing {
            start_off: past != 0,
            length_off: part != 0,
            touched: if len == 0 {
                0
            } else {
                last.wrapping_sub(first) + 1
            },
            minimum: whole + u64::from(part != 0),
        }
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        let crossing = self.crossing(io);
        self.start_off += u64::from(crossing.start_off);
        self.length_off += u64::from(crossing.length_off);
        self.touched += crossing.touched;
        self.minimum += crossing.minimum;
        self.straddling += u64::from(crossing.straddles());
        if io.latency != NO_LATENCY {
            self.latency(&crossing, io.latency);
        }
    }

    #[inline]
    fn latency(&mut self, crossing: &Crossing, nanos: u64) {
        if crossing.straddles() {
            self.slow.add(nanos);
        } else {
            self.clean.add(nanos);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        let crossing = self.crossing(io);
        self.latency(&crossing, io.latency);
    }

    pub fn profile(&self, op: &str, _ios: u64) -> GridProfile {
        GridProfile {
            op: op.to_owned(),
            kind: self.kind.clone(),
            size_bytes: self.size,
            phase_bytes: self.phase,
            start_off_grid: self.start_off,
            length_not_multiple: self.length_off,
            straddling: self.straddling,
            cells_touched: self.touched,
            cells_minimum: self.minimum,
            straddling_latency_us: self.slow.summary(),
            clean_latency_us: self.clean.summary(),
        }
    }
}
