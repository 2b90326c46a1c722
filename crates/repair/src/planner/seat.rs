//! Where a layer sits: how far into the layer below, and where that is on the ground.

use ioalign_core::grid::place::Solution;
use ioalign_core::{Bytes, GridClaim, Kind};

/// One layer of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Its kind.
    pub kind: Kind,
    /// Its name: `p2`, `vg0`.
    pub name: String,
    /// Its first byte, counted in the layer below.
    pub offset: Bytes,
    /// Its first byte, counted on the ground.
    pub start: Bytes,
    /// Its size, where it follows from what was said.
    pub size: Option<Bytes>,
}

impl Seat {
    /// The first byte after it.
    pub fn end(&self) -> Option<Bytes> {
        self.start.checked_add(self.size?)
    }
}

/// The least offset from `least` on, into something that begins at `base`, that is on all grids.
pub fn offset(solution: &Solution, base: Bytes, least: Bytes) -> Option<Bytes> {
    let at = solution.at_or_after(base.checked_add(least)?)?;
    at.checked_sub(base)
}

/// One line of the proof: a start, or the end of a partition, on a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Which layer: an index into the seats.
    pub seat: usize,
    /// The grid.
    pub grid: GridClaim,
    /// Whether it is the first byte after the layer, where the next one may start.
    pub end: bool,
    /// The address.
    pub at: Bytes,
    /// How far past a boundary it lies: 0 but for grids that were given up.
    pub remainder: Bytes,
}

/// Every start, and every end of a partition, against every grid, also against those that were given up.
pub fn prove(seats: &[Seat], solution: &Solution) -> Vec<Proof> {
    let lost = solution.given_up.iter().map(|given| &given.claim);
    let grids: Vec<_> = solution.kept.iter().chain(lost).collect();
    let lines = seats.iter().enumerate().flat_map(|(seat, layer)| {
        let ends = [
            Some((false, layer.start)),
            layer.end().map(|end| (true, end)),
        ];
        let grids = grids.clone();
        ends.into_iter().flatten().flat_map(move |(end, at)| {
            let line = |grid: &&GridClaim| Proof {
                seat,
                grid: (*grid).clone(),
                end,
                at,
                remainder: grid.offset_of(at),
            };
            grids.iter().map(line).collect::<Vec<_>>()
        })
    });
    lines.collect()
}
