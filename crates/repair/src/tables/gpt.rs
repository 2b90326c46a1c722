//! The GPT: both copies, rewritten so that one of them is whole at every instant.

use super::entry::{self, Entry};
use super::guid_sector::{Copy, Numbers, le64, put};
use super::{Sectors, Slot, SlotKind, in_sectors, read_block, refused};
use crate::{Disk, Error, Result};

/// Both copies of a GPT that agree.
#[derive(Clone, Debug)]
pub struct Gpt {
    pub(super) unit: u64,
    pub(super) numbers: Numbers,
    pub(super) backup_array: u64,
    /// The boot code and the entry that guards the table.
    pub(super) boot: Vec<u8>,
    pub(super) primary: Copy,
    pub(super) backup: Copy,
}

impl Gpt {
    /// Reads both copies. What is damaged, or stands beside other MBR entries, is refused.
    pub fn read(disk: &mut dyn Disk, boot: &[u8]) -> Result<Self> {
        let gpt = Self::read_anywhere(disk, boot)?;
        let last = (disk.size_bytes() / gpt.unit).saturating_sub(1);
        if gpt.numbers.other != last {
            let what = format!(
                "the backup GPT is at block {} and the disk ends at {last}",
                gpt.numbers.other
            );
            let advice = "--grow moves it there, and the last partition grows up to it";
            return Err(refused(what).advise(advice));
        }
        Ok(gpt)
    }

    /// The same, with the backup wherever the primary says that it is.
    pub fn read_anywhere(disk: &mut dyn Disk, boot: &[u8]) -> Result<Self> {
        guarded_alone(boot)?;
        let unit = disk.logical_bytes();
        let (numbers, primary) = copy(disk, 1, "primary")?;
        let (other, backup) = copy(disk, numbers.other, "backup")?;
        if other.own != numbers.other || other.other != 1 || numbers.own != 1 {
            return Err(refused("the two GPT headers do not name each other"));
        }
        if primary.entries != backup.entries {
            return Err(refused(
                "the two copies of the GPT list different partitions",
            ));
        }
        Ok(Self {
            unit,
            numbers,
            backup_array: other.array,
            boot: boot.to_vec(),
            primary,
            backup,
        })
    }

    /// Its logical block.
    pub const fn unit(&self) -> u64 {
        self.unit
    }

    /// The partitions by number.
    pub fn slots(&self) -> Vec<Slot> {
        let size = usize::try_from(self.numbers.entry).unwrap_or(128);
        let entries = self.primary.entries.chunks_exact(size);
        let count = usize::try_from(self.numbers.count).unwrap_or(0);
        entries
            .take(count)
            .zip(1..)
            .filter(|(entry, _)| entry.iter().take(16).any(|byte| *byte != 0))
            .map(|(entry, number)| {
                let (first, last) = (le64(entry, 32), le64(entry, 40));
                let count = last.saturating_add(1).saturating_sub(first);
                Slot {
                    number,
                    start: first.saturating_mul(self.unit),
                    size: count.saturating_mul(self.unit),
                    kind: SlotKind::Primary,
                }
            })
            .collect()
    }

    /// The type of a partition.
    pub fn kind_of(&self, number: u32) -> Option<[u8; 16]> {
        let size = usize::try_from(self.numbers.entry).unwrap_or(128);
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let entry = self.primary.entries.chunks_exact(size).nth(index)?;
        let kind = entry.get(..16)?.try_into().ok()?;
        (kind != [0; 16]).then_some(kind)
    }

    /// What the header says is usable.
    pub const fn usable(&self) -> (u64, u64) {
        let end = self.numbers.last.saturating_add(1);
        (
            self.numbers.first.saturating_mul(self.unit),
            end.saturating_mul(self.unit),
        )
    }

    /// The backup first: while it is written the primary is whole, and the other way about.
    pub fn rewritten(&self, slots: &[Slot]) -> Result<Vec<Vec<Sectors>>> {
        let mut entries = self.primary.entries.clone();
        for slot in slots {
            self.place(&mut entries, slot)?;
        }
        let group = |copy: &Copy, header: u64, array: u64| {
            let mut copy = Copy {
                header: copy.header.clone(),
                entries: entries.clone(),
            };
            copy.seal(&self.numbers);
            let at = |lba: u64| lba * self.unit;
            vec![
                Sectors {
                    at: at(array),
                    bytes: copy.entries,
                },
                Sectors {
                    at: at(header),
                    bytes: copy.header,
                },
            ]
        };
        Ok(vec![
            group(&self.backup, self.numbers.other, self.backup_array),
            group(&self.primary, 1, self.numbers.array),
        ])
    }

    fn place(&self, entries: &mut [u8], slot: &Slot) -> Result<()> {
        self.place_in(self.unit, entries, slot)
    }

    /// Writes a place into an entry, counted in blocks of `unit` bytes.
    pub(super) fn place_in(&self, unit: u64, entries: &mut [u8], slot: &Slot) -> Result<()> {
        let first = in_sectors(slot.start, unit, "a partition")?;
        let count = in_sectors(slot.size, unit, "a size")?;
        let index = u64::from(slot.number.saturating_sub(1)) * u64::from(self.numbers.entry);
        let index = usize::try_from(index).unwrap_or(usize::MAX / 2);
        put(entries, index + 32, &first.to_le_bytes());
        put(entries, index + 40, &(first + count - 1).to_le_bytes());
        Ok(())
    }
}

/// A hybrid MBR names partitions a second time: two tables cannot be changed at one instant.
fn guarded_alone(boot: &[u8]) -> Result<()> {
    let others = entry::all(boot).filter(|entry| entry.kind != entry::PROTECTIVE);
    if others.into_iter().any(|entry| Entry::is_used(&entry)) {
        return Err(refused(
            "the MBR in front of the GPT lists partitions as well (hybrid MBR): the two could disagree",
        ));
    }
    Ok(())
}

fn copy(disk: &mut dyn Disk, lba: u64, what: &str) -> Result<(Numbers, Copy)> {
    let unit = disk.logical_bytes();
    let at = lba.checked_mul(unit).filter(|at| *at < disk.size_bytes());
    let at = at.ok_or_else(|| refused(format!("the {what} GPT header would lie past the end")))?;
    let header = read_block(disk, at)?;
    let numbers = Numbers::read(&header, what)?;
    let unit_len = usize::try_from(unit).unwrap_or(512);
    let mut entries = vec![0; numbers.array_bytes().next_multiple_of(unit_len)];
    let array = numbers.array.saturating_mul(unit);
    disk.read_at(array, &mut entries)
        .map_err(|error| Error::io(format!("cannot read the entries of the {what} GPT"), error))?;
    let copy = Copy { header, entries };
    if !copy.is_whole(&numbers) {
        return Err(refused(format!(
            "the entries of the {what} GPT do not match their checksum: repair it first (gdisk)"
        )));
    }
    Ok((numbers, copy))
}
