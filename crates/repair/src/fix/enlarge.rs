//! A partition that is made longer, because its contents are: nothing moves, one entry of the table changes.

use std::ops::Range;

use crate::Result;
use crate::boot::{Consequence, Reserved, Weight};
use crate::tables::{PartitionSlot, RewritableTable, SlotKind, refused};

/// The partition, and the least length that it has to have.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Enlargement {
    /// Its number.
    pub number: u32,
    /// Bytes.
    pub size: u64,
}

/// All partitions as they are, with this one as long as it has to be. Refused where the space behind it is
/// not free.
pub fn enlarged(
    table: &RewritableTable,
    reserved: &[Reserved],
    wanted: Enlargement,
) -> Result<Vec<PartitionSlot>> {
    let mut slots = table.slots();
    let of_number = |slot: &&mut PartitionSlot| slot.number == wanted.number;
    let Some(slot) = slots.iter_mut().find(of_number) else {
        return Err(refused(format!("there is no partition {}", wanted.number)));
    };
    if slot.kind == SlotKind::Extended {
        return Err(refused(format!(
            "partition {} is the container of the logical ones",
            slot.number
        )));
    }
    let old = *slot;
    let size = wanted.size.checked_next_multiple_of(table.unit());
    let end = size.and_then(|size| old.start.checked_add(size));
    let (Some(size), Some(end)) = (size, end) else {
        return Err(refused("no disk is as long as its contents say"));
    };
    slot.size = size.max(old.size);
    free(table, reserved, &old, old.end()..end)?;
    Ok(slots)
}

/// Nothing lies in what the partition gains.
fn free(
    table: &RewritableTable,
    reserved: &[Reserved],
    old: &PartitionSlot,
    gained: Range<u64>,
) -> Result<()> {
    let (_, last) = table.usable();
    let missing = |what: String| {
        refused(format!(
            "partition {} needs the space up to byte {}, and {what}",
            old.number, gained.end
        ))
        .advise("restore the table that it was made with, or save what is in it")
    };
    if gained.end > last {
        return Err(missing(format!(
            "the disk can hold partitions up to byte {last}"
        )));
    }
    let meets = |place: &Range<u64>| place.start < gained.end && gained.start < place.end;
    let slots = table.slots();
    // A logical partition lies in the extended one, which grows with it.
    let others = slots.iter().filter(|slot| {
        let around = old.kind == SlotKind::Logical && slot.kind == SlotKind::Extended;
        slot.number != old.number && !around
    });
    if let Some(other) = others.clone().find(|slot| meets(&(slot.start..slot.end()))) {
        return Err(missing(format!(
            "partition {} starts at byte {}",
            other.number, other.start
        )));
    }
    let records = table.records();
    let mut records = records
        .iter()
        .map(|one| one.at..one.at + one.bytes.len() as u64);
    let boot = reserved.iter().map(|one| one.place.clone());
    match records.find(meets).or_else(|| boot.clone().find(meets)) {
        None => Ok(()),
        Some(place) => Err(missing(format!(
            "a record of the table or boot code lies at byte {}",
            place.start
        ))),
    }
}

/// What it means.
pub fn stated(wanted: Enlargement) -> Consequence {
    Consequence {
        partition: Some(wanted.number),
        weight: Weight::Told,
        what: format!(
            "partition {} becomes as long as its contents; nothing moves",
            wanted.number
        ),
        advice: None,
    }
}
