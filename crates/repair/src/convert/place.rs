//! The places of partitions on the new disk: the old ones, if those are whole blocks and leave room for
//! the table.

use ioalign_core::Boundaries;

use super::ConversionWish;
use crate::layout::{BlockShift, MovableBlock, least};
use crate::tables::{Ground, PartitionSlot, RewritableTable, SMALL};
use crate::{Error, ErrorKind, Result};

/// What moves at all goes to such a boundary, if there is room.
const WANTED: u64 = 1 << 20;

/// The new places, and the shifts that lead there.
#[derive(Debug)]
pub struct Placed {
    /// The disk, which may have to be longer than it was.
    pub ground: Ground,
    /// All partitions.
    pub slots: Vec<PartitionSlot>,
    /// Those that move, in order; with the lengths that they had.
    pub shifts: Vec<BlockShift>,
}

/// Places of whole blocks for all partitions. A longer image is better than moving what need not move;
/// a disk has the length that it has.
pub fn placed(table: &RewritableTable, size: u64, wish: ConversionWish) -> Result<Placed> {
    let ConversionWish {
        to, may_grow, both, ..
    } = wish;
    let slots = table.slots();
    let ground = Ground {
        unit: to,
        size: match (may_grow, both) {
            (true, _) => size.next_multiple_of(to),
            (false, false) => size - size % to,
            (false, true) => size - size % SMALL,
        },
        both,
    };
    let longer = longer(table, &slots, ground).filter(|_| may_grow);
    for all_may_move in [false, true] {
        for ground in [Some(ground), longer].into_iter().flatten() {
            let usable = table.usable_on(ground)?;
            for wanted in [WANTED, to] {
                let wish = (to, wanted, all_may_move);
                let blocks = blocks(&slots, usable, wish);
                let fits = |block: &MovableBlock| {
                    !block.fixed || block.start.saturating_add(block.size) <= usable.1
                };
                let shifts = blocks.iter().all(fits).then(|| least(&blocks)).flatten();
                if let Some(shifts) = shifts {
                    return Ok(placed_by(ground, &slots, &shifts));
                }
            }
        }
    }
    Err(Error::new(
        ErrorKind::Refused,
        format!("there is no room for partitions of whole blocks of {to} bytes"),
    )
    .advise("make the image longer first, or a partition smaller"))
}

/// A disk with room for the backup table behind the last partition, if this one has none.
fn longer(table: &RewritableTable, slots: &[PartitionSlot], ground: Ground) -> Option<Ground> {
    let (_, end) = table.usable_on(ground).ok()?;
    let last = slots
        .iter()
        .map(PartitionSlot::end)
        .max()?
        .checked_next_multiple_of(ground.unit)?;
    let missing = last.checked_sub(end).filter(|missing| *missing > 0)?;
    let size = ground
        .size
        .checked_add(missing)?
        .checked_next_multiple_of(WANTED)?;
    Some(Ground { size, ..ground })
}

fn blocks(
    slots: &[PartitionSlot],
    within: (u64, u64),
    (to, wanted, all_may_move): (u64, u64, bool),
) -> Vec<MovableBlock> {
    let block = |slot: &PartitionSlot| {
        let stays = slot.start.is_multiple_of(to) && slot.start >= within.0;
        // What has to make way stays on the boundary that it is on.
        let may_stay = stays && !slot.start.is_multiple_of(wanted);
        let period = if may_stay { to } else { wanted };
        MovableBlock {
            number: slot.number,
            start: slot.start,
            size: slot.size.next_multiple_of(to),
            ahead: 0,
            within,
            grid: Some(Boundaries { period, phase: 0 }),
            fixed: stays && !all_may_move,
        }
    };
    slots.iter().map(block).collect()
}

fn placed_by(ground: Ground, slots: &[PartitionSlot], shifts: &[BlockShift]) -> Placed {
    let to = |slot: &PartitionSlot| shifts.iter().find(|shift| shift.number == slot.number);
    let moved = slots.iter().map(|slot| PartitionSlot {
        start: to(slot).map_or(slot.start, |shift| shift.to),
        size: slot.size.next_multiple_of(ground.unit),
        ..*slot
    });
    let old = |shift: &BlockShift| slots.iter().find(|slot| slot.number == shift.number);
    let shifts = shifts.iter().map(|shift| BlockShift {
        size: old(shift).map_or(shift.size, |slot| slot.size),
        ..*shift
    });
    Placed {
        ground,
        slots: moved.collect(),
        shifts: shifts.collect(),
    }
}
