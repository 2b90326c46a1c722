//! Where the extended partition lies once its logical ones have moved.

use crate::Result;
use crate::tables::{PartitionSlot, RewritableTable, SlotKind, refused};

/// What tools of today leave before a logical partition.
const USUAL_GAP: u64 = 1 << 20;

/// Puts the extended partition around the logical ones: it stays where it can, and never reaches into a
/// primary one. It does not go before `low`.
pub fn place(table: &RewritableTable, slots: &mut [PartitionSlot], low: u64) -> Result<()> {
    let (_, end) = table.usable();
    let unit = table.unit();
    let Some(index) = slots
        .iter()
        .position(|slot| slot.kind == SlotKind::Extended)
    else {
        return Ok(());
    };
    let logical = || slots.iter().filter(|slot| slot.kind == SlotKind::Logical);
    let primaries = || slots.iter().filter(|slot| slot.kind == SlotKind::Primary);
    let old = slots.get(index).map_or(0..0, |slot| slot.start..slot.end());
    let ends = logical().map(|slot| slot.start).min();
    let ends = ends.zip(logical().map(PartitionSlot::end).max());
    let Some((first, last)) = ends else {
        // Nothing is in it: it stays where it was, or is in the way.
        return match primaries().find(|slot| slot.start < old.end && old.start < slot.end()) {
            Some(slot) => Err(refused(format!(
                "partition {} would lie in the extended partition",
                slot.number
            ))),
            None => Ok(()),
        };
    };
    let before = primaries()
        .map(PartitionSlot::end)
        .filter(|end| *end <= first);
    let before = before.max().unwrap_or(0).max(low);
    let after = primaries()
        .map(|slot| slot.start)
        .filter(|at| *at >= last)
        .min();
    let is_free = primaries().all(|slot| slot.end() <= old.start || slot.start >= last);
    let start = if is_free && old.start + unit <= first {
        old.start
    } else {
        let room = first.saturating_sub(before);
        first.saturating_sub(room.min(USUAL_GAP).max(unit))
    };
    let end = old.end.min(after.unwrap_or(end)).max(last);
    if let Some(slot) = slots.get_mut(index) {
        slot.start = start;
        slot.size = end.saturating_sub(start);
    }
    Ok(())
}
