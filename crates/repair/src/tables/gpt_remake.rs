//! A GPT with both copies where another disk wants them.

use std::ops::Range;

use super::guid_sector::{Copy, Numbers, put};
use super::remake::{Ground, Remade};
use super::{Gpt, Sectors, Slot, entry, refused};
use crate::Result;

/// The entries come right behind the header.
const ARRAY: u64 = 2;

impl Gpt {
    /// The type of a partition.
    pub(super) fn type_of(&self, number: u32) -> Option<[u8; 16]> {
        let size = usize::try_from(self.numbers.entry).ok()?;
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let at = index.checked_mul(size)?;
        self.primary.entries.get(at..at + 16)?.try_into().ok()
    }

    /// Blocks that the entries take.
    fn array_blocks(&self, unit: u64) -> u64 {
        (self.numbers.array_bytes() as u64).div_ceil(unit.max(1))
    }

    /// What may be used: from where it was, unless the table needs the room.
    pub(super) fn usable_on(&self, ground: Ground) -> Result<(u64, u64)> {
        let numbers = self.numbers_on(ground)?;
        Ok((
            numbers.first.saturating_mul(ground.unit),
            numbers.last.saturating_add(1).saturating_mul(ground.unit),
        ))
    }

    fn numbers_on(&self, ground: Ground) -> Result<Numbers> {
        let array = self.array_blocks(ground.unit);
        let old_first = self.numbers.first.saturating_mul(self.unit);
        let first = old_first.div_ceil(ground.unit.max(1)).max(ARRAY + array);
        let last = ground.blocks().checked_sub(1);
        let last_usable = last.and_then(|last| last.checked_sub(array + 1));
        match (last, last_usable) {
            (Some(other), Some(last)) if first <= last => Ok(Numbers {
                own: 1,
                other,
                first,
                last,
                array: ARRAY,
                ..self.numbers
            }),
            _ => Err(refused(format!(
                "a disk of {} bytes has no room for a GPT with blocks of {} bytes",
                ground.size, ground.unit
            ))),
        }
    }

    /// The backup first, the primary second: until the last block is written one of the two is whole.
    pub(super) fn remade(&self, ground: Ground, slots: &[Slot]) -> Result<Remade> {
        let numbers = self.numbers_on(ground)?;
        let mut entries = self.primary.entries.clone();
        for slot in slots {
            self.place_in(ground.unit, &mut entries, slot)?;
        }
        let blocks = self.array_blocks(ground.unit);
        let length = usize::try_from(blocks.saturating_mul(ground.unit)).unwrap_or(0);
        entries.truncate(self.numbers.array_bytes());
        entries.resize(length, 0);
        let mirrored = Numbers {
            own: numbers.other,
            other: 1,
            array: numbers.other.saturating_sub(blocks),
            ..numbers
        };
        let backup = copy(&self.backup, mirrored, &entries, ground.unit)?;
        let mut primary = copy(&self.primary, numbers, &entries, ground.unit)?;
        primary.push(Sectors {
            at: 0,
            bytes: self.guard(ground),
        });
        Ok(Remade {
            groups: vec![backup, primary],
            stale: self.places(),
        })
    }

    /// The boot sector, whose one entry covers the disk as far as 32 bits count.
    fn guard(&self, ground: Ground) -> Vec<u8> {
        let mut boot = self.boot.clone();
        boot.resize(512, 0);
        let most = u64::from(u32::MAX);
        let count = ground.blocks().saturating_sub(1).min(most);
        for index in 0..4 {
            let old = entry::get(&boot, index);
            if old.kind == entry::PROTECTIVE {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                let entry = entry::Entry {
                    start: 1,
                    count,
                    ..old
                };
                entry::set(&mut boot, index, &entry, 0);
            }
        }
        boot
    }

    /// Where header and entries of both copies are now.
    fn places(&self) -> Vec<Range<u64>> {
        let at = |lba: u64| lba.saturating_mul(self.unit);
        let array = self.numbers.array_bytes() as u64;
        let array = array.next_multiple_of(self.unit.max(1));
        let header = |lba: u64| at(lba)..at(lba).saturating_add(self.unit);
        let entries = |lba: u64| at(lba)..at(lba).saturating_add(array);
        vec![
            header(1),
            entries(self.numbers.array),
            entries(self.backup_array),
            header(self.numbers.other),
        ]
    }
}

fn copy(old: &Copy, numbers: Numbers, entries: &[u8], unit: u64) -> Result<Vec<Sectors>> {
    let length = usize::try_from(unit).unwrap_or(512);
    let mut header = old.header.clone();
    if header.iter().skip(length).any(|byte| *byte != 0) {
        return Err(refused(format!(
            "the GPT header does not fit into a block of {unit} bytes"
        )));
    }
    header.resize(length, 0);
    for (at, number) in [
        (24, numbers.own),
        (32, numbers.other),
        (40, numbers.first),
        (48, numbers.last),
        (72, numbers.array),
    ] {
        put(&mut header, at, &number.to_le_bytes());
    }
    let mut copy = Copy {
        header,
        entries: entries.to_vec(),
    };
    copy.seal(&numbers);
    let at = |lba: u64| lba.saturating_mul(unit);
    Ok(vec![
        Sectors {
            at: at(numbers.array),
            bytes: copy.entries,
        },
        Sectors {
            at: at(numbers.own),
            bytes: copy.header,
        },
    ])
}
