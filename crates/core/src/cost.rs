//! The cost of being off a grid, counted exactly over one period.
//!
//! I/O of `s` bytes at multiples of `s` from the layer's start meets cells of `g` bytes at
//! every residue `r ≡ phase (mod gcd(s, g))` equally often, so sums over the period have a
//! closed form: no sampling, and no loop over a period that may be millions long.

use serde::{Deserialize, Serialize};

use crate::phase::PhaseSet;
use crate::units::{Bytes, gcd, ratio};

/// The I/O sizes that are reported: 512 bytes to 1 MiB.
pub const IO_SIZES: [u64; 12] = [
    512,
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
];

/// Cost of I/O of one size against one grid.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// Size of each I/O.
    #[serde(rename = "io_bytes")]
    pub io: Bytes,
    /// Share of I/Os that would fit in one cell but touch two.
    pub straddle_ratio: f64,
    /// Share of I/Os that touch one cell more than an I/O of this size must.
    #[serde(default)]
    pub extra_cell_ratio: f64,
    /// Cells touched over the fewest possible: 2.0 means twice the requests below.
    pub cells_ratio: f64,
    /// Cells written in part, an I/O: each is a read-modify-write on an `rmw` grid.
    pub rmw_ratio: f64,
}

/// Counts over one period, all integers: `touched / ios` cells an I/O, and so on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// I/Os in the period.
    pub ios: u64,
    /// I/Os that fit in one cell and touch two.
    pub straddling: u64,
    /// I/Os that touch one cell more than the smallest number they can.
    pub extra_cell: u64,
    /// Fewest cells an I/O of this size can touch.
    pub minimum: u64,
    /// Cells written in part, over all I/Os.
    pub partial: u64,
}

impl Count {
    /// Cells that lie in an I/O in whole, over all I/Os.
    pub const fn whole(&self) -> u64 {
        let touched = self
            .ios
            .saturating_mul(self.minimum)
            .saturating_add(self.extra_cell);
        touched.saturating_sub(self.partial)
    }
}

/// Counts I/O of `io` bytes from a start `offset` bytes into a cell of `cell` bytes.
///
/// Both sizes must not be zero; a zero gives a count of nothing.
pub fn count(io: u64, cell: u64, offset: u64) -> Count {
    if io == 0 || cell == 0 {
        return Count {
            ios: 0,
            straddling: 0,
            extra_cell: 0,
            minimum: 0,
            partial: 0,
        };
    }
    let step = gcd(io, cell);
    let ios = cell / step;
    let first = offset % step;
    // Residues are first, first + step, …: how many lie below `limit`?
    let below = |limit: u64| match limit.checked_sub(first) {
        None | Some(0) => 0,
        Some(room) => room.div_ceil(step).min(ios),
    };
    let tail = (io - 1) % cell;
    let least = (io - 1) / cell + 1;
    let extra_cell = ios - below(cell - tail);
    let on_boundary = u64::from(first == 0);
    // Head and tail are partial unless on a boundary; an I/O inside one cell has one partial cell.
    let inside = if io < cell {
        below(cell - io) - on_boundary
    } else {
        0
    };
    Count {
        ios,
        straddling: if io <= cell { extra_cell } else { 0 },
        extra_cell,
        minimum: least,
        // Of sectors of 2^64 - 1 bytes, as a foreign file may claim them, there are a few more than fit.
        partial: (ios - on_boundary).saturating_add(ios - on_boundary - inside),
    }
}

/// The cost of I/O of `io` bytes for a layer whose starts lie at `phases` on a grid of `cell`.
pub fn row(io: Bytes, cell: Bytes, phases: &PhaseSet) -> CostRow {
    let mut row = CostRow {
        io,
        straddle_ratio: 0.0,
        extra_cell_ratio: 0.0,
        cells_ratio: 0.0,
        rmw_ratio: 0.0,
    };
    for phase in &phases.phases {
        let n = count(io.get(), cell.get(), phase.offset);
        let extra = ratio(n.extra_cell, n.ios);
        row.straddle_ratio += phase.weight * ratio(n.straddling, n.ios);
        row.extra_cell_ratio += phase.weight * extra;
        row.cells_ratio += phase.weight * (1.0 + extra / ratio(n.minimum, 1));
        row.rmw_ratio += phase.weight * ratio(n.partial, n.ios);
    }
    row
}

/// Cost rows for all [`IO_SIZES`], and for I/O of exactly one cell where that is another size (a
/// full stripe of three disks).
pub fn table(cell: Bytes, phases: &PhaseSet) -> Vec<CostRow> {
    let mut sizes = IO_SIZES.to_vec();
    if !sizes.contains(&cell.get()) && cell.get() <= LARGEST_CELL_ROW {
        sizes.push(cell.get());
        sizes.sort_unstable();
    }
    sizes
        .into_iter()
        .map(|io| row(Bytes::new(io), cell, phases))
        .collect()
}

/// Nobody writes larger pieces at once.
const LARGEST_CELL_ROW: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Walks every I/O of one period and looks at every cell it touches.
    fn brute(io: u64, cell: u64, offset: u64) -> Count {
        let ios = cell / gcd(io, cell);
        let mut n = Count {
            ios,
            straddling: 0,
            extra_cell: 0,
            minimum: io.div_ceil(cell),
            partial: 0,
        };
        for i in 0..ios {
            let (start, end) = (offset + i * io, offset + (i + 1) * io);
            let (first, last) = (start / cell, (end - 1) / cell);
            let touched = last - first + 1;
            n.extra_cell += u64::from(touched > n.minimum);
            n.straddling += u64::from(io <= cell && touched == 2);
            n.partial += (first..=last)
                .filter(|c| c * cell < start || (c + 1) * cell > end)
                .count() as u64;
        }
        n
    }

    #[test]
    fn the_table_has_a_row_for_a_block_of_another_size() {
        let phases = PhaseSet::from_counts(&std::collections::BTreeMap::from([(512, 1)]));
        let sizes = |cell: u64| -> Vec<u64> {
            let rows = table(Bytes::new(cell), &phases);
            rows.iter().map(|row| row.io.get()).collect()
        };
        assert_eq!(sizes(IO_SIZES[0]), IO_SIZES);
        let doubled: Vec<u64> = (0..12).map(|times| 512 << times).collect();
        assert_eq!(IO_SIZES.as_slice(), doubled);
        for (cell, has_row) in [
            (192 << 10, true),
            (16 << 20, true),
            ((16 << 20) + 512, false),
        ] {
            let mut expected = IO_SIZES.to_vec();
            if has_row && !expected.contains(&cell) {
                expected.push(cell);
            }
            expected.sort_unstable();
            assert_eq!(sizes(cell), expected);
        }
    }

    #[test]
    fn sectors_that_nothing_has_are_counted_too() {
        for cell in [u64::MAX, u64::MAX - 1, (1 << 63) + 1] {
            let phases = PhaseSet::from_counts(&std::collections::BTreeMap::from([(1, 1)]));
            let row = row(Bytes::new(4096), Bytes::new(cell), &phases);
            assert!((row.rmw_ratio - 1.0).abs() < 1e-9, "{cell}: {row:?}");
        }
    }

    proptest! {
        #[test]
        fn the_closed_form_is_the_count(io in 1_u64..3000, cell in 1_u64..3000, offset in 0_u64..6000) {
            prop_assert_eq!(count(io, cell, offset), brute(io, cell, offset));
        }

        #[test]
        fn stripes_that_are_no_power_of_two(
            io in proptest::sample::select(IO_SIZES.to_vec()),
            cell in proptest::sample::select(vec![192_u64 << 10, 320 << 10, 448 << 10, 4 << 10]),
            sector in 0_u64..4096,
        ) {
            prop_assert_eq!(count(io, cell, sector * 512), brute(io, cell, sector * 512));
        }
    }

    #[test]
    fn the_classic_sector_63() {
        let at = |cell| PhaseSet {
            phases: vec![crate::Phase {
                offset: 32256 % cell,
                weight: 1.0,
            }],
        };
        let on = |io, cell| row(Bytes::new(io), Bytes::new(cell), &at(cell));
        assert_eq!(on(4096, 4096).straddle_ratio, 1.0);
        assert_eq!(on(4096, 4096).cells_ratio, 2.0);
        assert_eq!(on(4096, 4096).rmw_ratio, 2.0);
        assert_eq!(on(16384, 4096).straddle_ratio, 0.0);
        assert_eq!(on(16384, 4096).extra_cell_ratio, 1.0);
        assert_eq!(on(4096, 65536).straddle_ratio, 0.0625);
        assert_eq!(on(4096, 65536).extra_cell_ratio, 0.0625);
        assert_eq!(on(4096, 65536).cells_ratio, 1.0625);
        assert_eq!(on(16384, 16384).straddle_ratio, 1.0);
        assert_eq!(on(16384, 65536).straddle_ratio, 0.25);
    }

    #[test]
    fn sector_64_costs_16k_pages_nothing() {
        let half_chunk = PhaseSet {
            phases: vec![crate::Phase {
                offset: 32768,
                weight: 1.0,
            }],
        };
        let row = row(Bytes::new(16384), Bytes::new(65536), &half_chunk);
        assert_eq!((row.straddle_ratio, row.cells_ratio), (0.0, 1.0));
    }

    #[test]
    fn hostile_sizes_do_not_loop_or_overflow() {
        let n = count(512, u64::MAX - 1, 7);
        assert!(n.ios > 0);
        assert_eq!(count(0, 4096, 0).ios, 0);
        assert_eq!(count(4096, 0, 0).ios, 0);
    }
}
