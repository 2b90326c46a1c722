//! One operation on one grid: the four counters, and latency split by straddling.

use ioalign_core::profile::GridProfile;
use ioalign_core::profile::part::GridPart;

use super::cells::GridCells;
use super::latency::Histogram;
use super::placed::PlacedGrid;
use super::split::Split;
use crate::record::{Io, NO_LATENCY};

/// Counters on one grid.
pub struct GridState {
    cells: GridCells,
    sums: GridSums,
    slow: Histogram,
    /// I/Os that do not straddle, if these are not all others of the operation: on layers below that
    /// not every I/O reaches.
    clean: Option<Histogram>,
    clean_max: u64,
    /// Made when the first I/O straddles: before it there is nothing to compare.
    split: Option<Box<Split>>,
    /// The pieces of the current I/O, if it has several.
    now: Option<Crossing>,
}

/// The effect of one I/O on the grid.
#[derive(Copy, Clone, Default)]
struct Crossing {
    start_off: bool,
    length_off: bool,
    touched: u64,
    minimum: u64,
    straddles: bool,
}

impl Crossing {
    #[inline]
    fn of(cells: &GridCells, offset: u64, len: u64) -> Self {
        let span = cells.span(offset, len);
        let (whole, part) = cells.split(len);
        let touched = if len == 0 {
            0
        } else {
            span.last - span.first + 1
        };
        let minimum = whole + u64::from(part != 0);
        Self {
            start_off: span.head,
            length_off: part != 0,
            touched,
            minimum,
            // Fits into one cell and lies in two.
            straddles: minimum == 1 && touched == 2,
        }
    }

    /// Could lie in one cell: what straddling I/O is compared with.
    const fn fits(&self) -> bool {
        self.minimum == 1
    }
}

/// The four counters, and what they are shares of.
#[derive(Default)]
struct GridSums {
    pieces: u64,
    start_off: u64,
    length_off: u64,
    straddling: u64,
    touched: u64,
    minimum: u64,
}

impl GridSums {
    #[inline]
    fn add(&mut self, crossing: &Crossing, ios: u64) {
        self.pieces += ios;
        self.start_off += u64::from(crossing.start_off) * ios;
        self.length_off += u64::from(crossing.length_off) * ios;
        self.touched += crossing.touched * ios;
        self.minimum += crossing.minimum * ios;
        self.straddling += u64::from(crossing.straddles) * ios;
    }
}

impl GridState {
    /// For a grid that every I/O of the operation meets.
    pub fn new(grid: &PlacedGrid) -> Self {
        Self {
            cells: grid.cells(),
            sums: GridSums::default(),
            slow: Histogram::default(),
            clean: None,
            clean_max: 0,
            split: None,
            now: None,
        }
    }

    /// For a grid of a layer below that I/O may pass by.
    pub fn below(grid: &PlacedGrid) -> Self {
        Self {
            clean: Some(Histogram::default()),
            ..Self::new(grid)
        }
    }

    #[inline]
    fn crossing(&self, offset: u64, len: u64) -> Crossing {
        Crossing::of(&self.cells, offset, len)
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        let crossing = self.crossing(io.offset, u64::from(io.len));
        self.sums.add(&crossing, 1);
        if io.latency != NO_LATENCY {
            self.latency(crossing.fits(), crossing.straddles, io);
        }
    }

    #[inline]
    fn latency(&mut self, fits: bool, straddles: bool, io: &Io) {
        if straddles {
            self.slow.add(io.latency);
            self.split.get_or_insert_default();
        } else {
            self.clean_max = self.clean_max.max(io.latency);
            if let Some(clean) = &mut self.clean {
                clean.add(io.latency);
            }
        }
        if let Some(split) = self.split.as_mut().filter(|_| fits) {
            split.add(straddles, io.len, io.latency);
        }
    }

    /// Counts a piece of an I/O that has become several on its way down.
    pub fn add_piece(&mut self, offset: u64, len: u64, counted: bool) {
        let crossing = self.crossing(offset, len);
        if counted {
            self.sums.add(&crossing, 1);
        }
        let now = self.now.get_or_insert_default();
        now.straddles |= crossing.straddles;
        now.minimum = now.minimum.saturating_add(crossing.minimum);
    }

    /// After the pieces of an I/O: its latency.
    pub fn end_of_pieces(&mut self, io: &Io) {
        if let Some(crossing) = self.now.take()
            && io.latency != NO_LATENCY
        {
            self.latency(crossing.fits(), crossing.straddles, io);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        let crossing = self.crossing(io.offset, u64::from(io.len));
        self.latency(crossing.fits(), crossing.straddles, io);
    }

    /// Its histograms, for a merge.
    pub fn part(&self) -> GridPart {
        GridPart {
            straddling_ns: self.slow.classes(),
            clean_ns: self.clean.as_ref().map(Histogram::classes),
        }
    }

    /// Its part of the profile; `all` are the latencies of the operation.
    pub fn profile(&self, op: &str, grid: &PlacedGrid, all: &Histogram) -> GridProfile {
        let others = || all.without(&self.slow, self.clean_max).summary();
        let clean = self.clean.as_ref().map_or_else(others, Histogram::summary);
        GridProfile {
            op: op.to_owned(),
            pieces: self.sums.pieces,
            start_off_grid: self.sums.start_off,
            length_not_multiple: self.sums.length_off,
            straddling: self.sums.straddling,
            cells_touched: self.sums.touched,
            cells_minimum: self.sums.minimum,
            straddling_latency_us: self.slow.summary(),
            clean_latency_us: clean,
            latency_ratio: self.split.as_ref().map(|split| split.profile()),
            ..grid.profile()
        }
    }
}
