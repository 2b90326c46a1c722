//! The gap before the first partition: boot loaders live there, outside of every table.

use super::data;
use crate::boot::Reserved;
use crate::tables::Table;
use crate::{Disk, Error, Result};

/// So far from the table a boot loader may reach; what lies behind is free.
const REACH: u64 = 2 << 20;
const PIECE: usize = 64 << 10;

/// The first byte after the table and after what lies behind it, up to the first partition.
pub fn first_free(disk: &mut dyn Disk, table: &Table, reserved: &[Reserved]) -> Result<u64> {
    let (usable, _) = table.usable();
    let slots = table.slots();
    let first = data(&slots).map(|slot| slot.start).min();
    let records = table.records();
    let first = records.iter().map(|record| record.at).chain(first).min();
    let end = first.map_or(usable, |first| first.min(usable.saturating_add(REACH)));
    let front = reserved.iter().map(|one| one.place.end);
    let front = front.filter(|end| first.is_none_or(|first| *end <= first));
    let mut low = front.max().unwrap_or(usable).max(usable);
    let mut at = usable;
    let unit = disk.logical_bytes();
    while at < end {
        let length = usize::try_from(end - at).unwrap_or(PIECE).min(PIECE);
        let mut bytes = vec![0; length];
        disk.read_at(at, &mut bytes)
            .map_err(|error| Error::io(format!("cannot read byte {at}"), error))?;
        if let Some(last) = bytes.iter().rposition(|byte| *byte != 0) {
            low = low.max((at + last as u64 + 1).next_multiple_of(unit));
        }
        at += length as u64;
    }
    Ok(low)
}
