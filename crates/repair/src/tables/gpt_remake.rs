//! A GPT with both copies where another disk wants them.

use std::ops::Range;

use ioalign_core::on_disk::{BOOT_RECORD_BYTES, DosEntry, GptHeader, PROTECTIVE};

use super::gpt::GptCopy;
use super::remake::{Ground, RemadeTable};
use super::{Gpt, PartitionSlot, TableSectors, refused};
use crate::Result;

/// The entries come right behind the header.
const ARRAY: u64 = 2;

impl Gpt {
    /// Blocks that the entries take.
    fn array_blocks(&self, unit: u64) -> u64 {
        self.primary.header.array_bytes().div_ceil(unit.max(1))
    }

    /// What may be used: from where it was, unless the table needs the room.
    pub(super) fn usable_on(&self, ground: Ground) -> Result<(u64, u64)> {
        let header = self.header_on(ground)?;
        let end = header.last_usable.saturating_add(1);
        Ok((
            header.first_usable.saturating_mul(ground.unit),
            end.saturating_mul(ground.unit),
        ))
    }

    fn header_on(&self, ground: Ground) -> Result<GptHeader> {
        let old = self.primary.header;
        let array = self.array_blocks(ground.unit);
        let old_first = old.first_usable.saturating_mul(self.unit);
        let first = old_first.div_ceil(ground.unit.max(1)).max(ARRAY + array);
        let last = ground.blocks().checked_sub(1);
        let last_usable = last.and_then(|last| last.checked_sub(array + 1));
        match (last, last_usable) {
            (Some(alternate), Some(last_usable)) if first <= last_usable => Ok(GptHeader {
                alternate,
                first_usable: first,
                last_usable,
                array: ARRAY,
                ..old
            }),
            _ => Err(refused(format!(
                "a disk of {} bytes has no room for a GPT with blocks of {} bytes",
                ground.size, ground.unit
            ))),
        }
    }

    /// The backup first, the primary second: until the last block is written one of the two is whole.
    pub(super) fn remade(&self, ground: Ground, slots: &[PartitionSlot]) -> Result<RemadeTable> {
        let header = self.header_on(ground)?;
        let mut entries = self.primary.entries.clone();
        for slot in slots {
            self.place_in(ground.unit, &mut entries, slot)?;
        }
        let blocks = self.array_blocks(ground.unit);
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(0);
        entries.truncate(size(header.array_bytes()));
        entries.resize(size(blocks.saturating_mul(ground.unit)), 0);
        let mirrored = GptHeader {
            own: header.alternate,
            alternate: 1,
            array: header.alternate.saturating_sub(blocks),
            ..header
        };
        let backup = copy(&self.backup, mirrored, &entries, ground.unit)?;
        let mut primary = copy(&self.primary, header, &entries, ground.unit)?;
        primary.push(TableSectors {
            at: 0,
            bytes: self.boot_sector(ground, None),
        });
        Ok(RemadeTable {
            groups: vec![backup, primary],
            stale: self.places(),
        })
    }

    /// The boot sector, whose one entry covers the disk as far as 32 bits count, or as much as is said.
    pub(super) fn boot_sector(&self, ground: Ground, covered: Option<u32>) -> Vec<u8> {
        let mut boot = self.boot.clone();
        boot.resize(BOOT_RECORD_BYTES, 0);
        let count = ground.blocks().saturating_sub(1);
        let count = covered.unwrap_or_else(|| u32::try_from(count).unwrap_or(u32::MAX));
        let entries = DosEntry::all(&boot).into_iter();
        for old in entries.filter(|entry| entry.kind == PROTECTIVE) {
            let entry = DosEntry {
                start: 1,
                count,
                ..old
            };
            entry.write(&mut boot, 0);
        }
        boot
    }

    /// Where header and entries of both copies are now.
    pub(crate) fn places(&self) -> Vec<Range<u64>> {
        let at = |lba: u64| lba.saturating_mul(self.unit);
        let array = self.primary.header.array_bytes();
        let array = array.next_multiple_of(self.unit.max(1));
        let header = |copy: &GptCopy| {
            let own = at(copy.header.own);
            own..own.saturating_add(self.unit)
        };
        let entries = |copy: &GptCopy| {
            let first = at(copy.header.array);
            first..first.saturating_add(array)
        };
        vec![
            header(&self.primary),
            entries(&self.primary),
            entries(&self.backup),
            header(&self.backup),
        ]
    }
}

fn copy(old: &GptCopy, header: GptHeader, entries: &[u8], unit: u64) -> Result<Vec<TableSectors>> {
    let length = usize::try_from(unit).unwrap_or(BOOT_RECORD_BYTES);
    if old.block.iter().skip(length).any(|byte| *byte != 0) {
        return Err(refused(format!(
            "the GPT header does not fit into a block of {unit} bytes"
        )));
    }
    let mut new = old.clone();
    new.block.resize(length, 0);
    Ok(new.written(header, entries, unit))
}
