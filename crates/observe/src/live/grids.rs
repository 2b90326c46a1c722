//! The counters of one operation on one grid: what the program counted, and what follows.

use ioalign_core::GridClaim;

use super::cells;
use super::counters::OpCounters;
use super::layout::{GRID, GRIDS, ON_GRIDS, PAST};
use super::table::follows;

/// Counters on one grid.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct GridCounters {
    /// I/Os that begin off it.
    pub start_off: u64,
    /// I/Os whose length is no multiple.
    pub length_off: u64,
    /// I/Os that would fit into a cell and lie in two.
    pub straddling: u64,
    /// Cells touched.
    pub touched: u64,
    /// Cells that the same lengths need at best.
    pub minimum: u64,
    /// Sum of the bytes past the boundary, over all that begin off the grid.
    pub past: u64,
}

impl OpCounters {
    /// Counters on a grid of the device, by its index in the list. Derives the counters that follow
    /// from sizes and sectors.
    pub fn grid(&self, n: usize, grid: &GridClaim) -> GridCounters {
        let at = ON_GRIDS + n.min(GRIDS - 1) * GRID;
        let mut all = GridCounters {
            straddling: self.word(at),
            touched: self.word(at + 1),
            start_off: self.word(at + 2),
            past: self.word(at + 3),
            length_off: self.word(at + 4),
            minimum: self.word(at + 5),
        };
        if follows(grid) {
            self.follow(grid, &mut all);
        }
        let size = grid.size.get().max(1);
        for (bytes, ios) in self.exact_sizes() {
            all.length_off += u64::from(bytes % size != 0) * ios;
            all.minimum += bytes.div_ceil(size) * ios;
        }
        all
    }

    /// Adds the counters that the program omits because they can be derived.
    fn follow(&self, grid: &GridClaim, all: &mut GridCounters) {
        for (past, ios) in self.past_of(grid) {
            all.start_off += u64::from(past > 0) * ios;
            all.past += past * ios;
        }
        for cell in cells::cells(&self.words) {
            let (touched, straddles) = cell.on_grid(grid.size.get(), grid.phase.get());
            all.touched += touched * cell.ios;
            all.straddling += u64::from(straddles) * cell.ios;
        }
    }

    /// Index k: starts past the unit's boundary by 2^(k−1) to 2^k − 1 bytes; at 0 those on it. The unit
    /// is the device's first grid.
    pub fn past(&self, unit: &GridClaim) -> Vec<u64> {
        let mut all = self.part(PAST, 65).to_vec();
        if follows(unit) {
            for (past, ios) in self.past_of(unit) {
                let bits = 64 - past.leading_zeros();
                if let Some(count) = all.get_mut(bits as usize) {
                    *count += ios;
                }
            }
        }
        all
    }

    /// Bytes past the boundary of a grid that follows from sectors, and I/Os.
    fn past_of(&self, grid: &GridClaim) -> impl Iterator<Item = (u64, u64)> {
        let (size, phase) = (grid.size.get().max(1), grid.phase.get());
        let phase = size - phase % size;
        self.places()
            .map(move |(past, ios)| ((past + phase) % size, ios))
    }
}
