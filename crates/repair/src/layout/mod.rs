//! The layout that moves least: which partitions go where, so that every one is on its grid.
//!
//! Partitions keep their order. Each has a few places worth trying: where it is, the boundaries beside
//! it, and those that its neighbours' places push it to. A shortest path through these places, weighed
//! by the bytes that move and then by how far they go, gives the layout; the order of the moves follows from it.

mod order;
mod places;

use ioalign_core::Boundaries;

pub use order::in_order;

/// Something on a line that may have to move, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovableBlock {
    /// The number of its partition.
    pub number: u32,
    /// Its start.
    pub start: u64,
    /// Its length; not zero.
    pub size: u64,
    /// Bytes that must stay free before it: the record of a logical partition.
    pub ahead: u64,
    /// The range that it may move in: the usable part of the disk behind the boot loader's gap, or the
    /// extended partition.
    pub within: (u64, u64),
    /// The starts that are good for it; `None`: any, as long as it must not move it stays.
    pub grid: Option<Boundaries>,
    /// It stays where it is: what is in it would not survive a move.
    pub fixed: bool,
}

impl MovableBlock {
    const fn end(&self, start: u64) -> u64 {
        start.saturating_add(self.size)
    }

    /// Whether it may start there at all.
    fn may_start(&self, at: u64) -> bool {
        if self.fixed {
            return at == self.start;
        }
        let behind = at
            .checked_sub(self.ahead)
            .is_some_and(|ahead| ahead >= self.within.0);
        // What is before the range may stay there, and nothing goes there.
        let inside = at == self.start || behind;
        let good = self.grid.is_none_or(|grid| grid.holds(at));
        inside && self.end(at) <= self.within.1 && good
    }

    /// Bytes to move to bring it there.
    const fn moved(&self, at: u64) -> u64 {
        if at == self.start { 0 } else { self.size }
    }

    /// Bytes to write for that: twice as many where old and new place overlap, for the journal.
    const fn written(&self, at: u64) -> u64 {
        match at.abs_diff(self.start) < self.size {
            true => self.moved(at).saturating_mul(2),
            false => self.moved(at),
        }
    }
}

/// A block that goes elsewhere.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BlockShift {
    /// The number of its partition.
    pub number: u32,
    /// Its present start.
    pub from: u64,
    /// Its new start.
    pub to: u64,
    /// Its length.
    pub size: u64,
}

impl BlockShift {
    /// How far.
    pub const fn distance(&self) -> u64 {
        self.from.abs_diff(self.to)
    }
}

/// What a layout is to have as little of; of equal ones the one in which everything goes least far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutAim {
    /// Bytes that move.
    Moved,
    /// Bytes that are written, those to the journal as well: it pays to go so far that old and new place share nothing.
    Written,
}

/// The shifts that bring all blocks onto their grids by moving the fewest bytes the least far, in an order in which
/// none overwrites what is still to be moved; `None` where there is no room.
///
/// Blocks must not overlap, and are taken in order of their starts.
pub fn least(blocks: &[MovableBlock]) -> Option<Vec<BlockShift>> {
    least_of(blocks, LayoutAim::Moved)
}

/// The same with this aim.
pub fn least_of(blocks: &[MovableBlock], aim: LayoutAim) -> Option<Vec<BlockShift>> {
    let mut blocks: Vec<_> = blocks.iter().collect();
    blocks.sort_by_key(|block| block.start);
    let places = places::all(&blocks);
    let chosen = shortest(&blocks, &places, aim)?;
    let shifts = blocks
        .iter()
        .zip(chosen)
        .filter(|(block, to)| block.start != *to)
        .map(|(block, to)| BlockShift {
            number: block.number,
            from: block.start,
            to,
            size: block.size,
        });
    in_order(&shifts.collect::<Vec<_>>())
}

/// What a way to a place costs: bytes first, then how far things go.
type Cost = (u64, u64);

/// A place with the cheapest way to it: the cost, and the place of the block before.
#[derive(Copy, Clone)]
struct LayoutStep {
    at: u64,
    cost: Cost,
    before: usize,
}

fn shortest(blocks: &[&MovableBlock], places: &[Vec<u64>], aim: LayoutAim) -> Option<Vec<u64>> {
    let mut table: Vec<Vec<LayoutStep>> = Vec::new();
    for (block, places) in blocks.iter().zip(places) {
        let row = row(
            block,
            places,
            table.last().zip(blocks.get(table.len().wrapping_sub(1))),
            aim,
        );
        if row.is_empty() {
            return None;
        }
        table.push(row);
    }
    let mut index = table.last().map_or(Some(0), |row| cheapest(row))?;
    let mut way = Vec::new();
    for row in table.iter().rev() {
        let step = row.get(index)?;
        way.push(step.at);
        index = step.before;
    }
    way.reverse();
    Some(way)
}

fn cheapest(row: &[LayoutStep]) -> Option<usize> {
    let all = row.iter().enumerate();
    all.min_by_key(|(_, step)| step.cost)
        .map(|(index, _)| index)
}

fn row(
    block: &MovableBlock,
    places: &[u64],
    earlier: Option<(&Vec<LayoutStep>, &&MovableBlock)>,
    aim: LayoutAim,
) -> Vec<LayoutStep> {
    let bytes = |at: u64| match aim {
        LayoutAim::Moved => block.moved(at),
        LayoutAim::Written => block.written(at),
    };
    let own = |at: u64| (bytes(at), at.abs_diff(block.start));
    let step = |at: u64| -> Option<LayoutStep> {
        let (bytes, far) = own(at);
        let Some((row, before)) = earlier else {
            let cost = (bytes, far);
            return Some(LayoutStep {
                at,
                cost,
                before: 0,
            });
        };
        let clear = |step: &LayoutStep| before.end(step.at).saturating_add(block.ahead) <= at;
        let fitting = row.iter().enumerate().filter(|(_, step)| clear(step));
        let (index, best) = fitting.min_by_key(|(_, step)| step.cost)?;
        let cost = (
            best.cost.0.saturating_add(bytes),
            best.cost.1.saturating_add(far),
        );
        Some(LayoutStep {
            at,
            cost,
            before: index,
        })
    };
    places.iter().filter_map(|at| step(*at)).collect()
}
