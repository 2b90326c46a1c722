//! What all readers work with: the disk, where partitions are and go, and what was found so far.

use std::io;
use std::ops::Range;

use super::edits::Edits;
use super::fate::{Fate, fate};
use super::{Consequence, Fixups, Moved};
use crate::disk::{DiskPart, read_bytes};
use crate::tables::{PartitionSlot, RewritableTable, SlotKind};
use crate::{Disk, PatchPhase, Result};

/// The sector of boot code on any disk: BIOS and boot loaders count in it.
pub const SECTOR: u64 = 512;
/// Nothing here reads more at once.
const MOST_BYTES: usize = 64 << 10;

/// The disk and the plan, and what was found.
pub struct BootSurvey<'a> {
    disk: &'a mut dyn Disk,
    /// The table as it is.
    pub table: &'a RewritableTable,
    /// All partitions as they are.
    pub slots: Vec<PartitionSlot>,
    /// The moves.
    pub moved: &'a [Moved],
    /// Where the extended partition starts then.
    extended: Option<PartitionSlot>,
    /// What is to be changed, by addresses of before the move.
    pub edits: Edits,
    consequences: Vec<Consequence>,
}

impl<'a> BootSurvey<'a> {
    /// Nothing found yet. `extended`: the extended partition, where it becomes another one.
    pub fn new(
        disk: &'a mut dyn Disk,
        table: &'a RewritableTable,
        moved: &'a [Moved],
        extended: Option<PartitionSlot>,
    ) -> Self {
        Self {
            disk,
            slots: table.slots(),
            table,
            moved,
            extended,
            edits: Edits::default(),
            consequences: Vec::new(),
        }
    }

    /// Bytes at an address, `None` where they cannot be read or lie outside the disk.
    pub fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>> {
        self.inside(at, len).and_then(Result::ok)
    }

    /// The same, `None` only where they lie outside the disk or are too many.
    pub fn inside(&mut self, at: u64, len: usize) -> Option<io::Result<Vec<u8>>> {
        let unit = self.disk.logical_bytes().max(1);
        let len_wide = u64::try_from(len).ok().filter(|_| len <= MOST_BYTES)?;
        let end = at.checked_add(len_wide)?.checked_next_multiple_of(unit)?;
        (end <= self.disk.size_bytes()).then(|| read_bytes(self.disk, at, len))
    }

    /// A partition by itself, for a reader of file systems.
    pub fn part(&mut self, slot: &PartitionSlot) -> DiskPart<'_> {
        let place = slot.start..slot.end();
        let disk = &mut *self.disk;
        DiskPart { disk, place }
    }

    /// The sector of boot code at an address.
    pub fn sector(&mut self, at: u64) -> Option<Vec<u8>> {
        self.read(at, 512)
    }

    /// The partitions that can hold data.
    pub fn data(&self) -> impl Iterator<Item = PartitionSlot> + use<> {
        let slots = self.slots.clone().into_iter();
        slots.filter(|slot| slot.kind != SlotKind::Extended)
    }

    /// Possible starts of boot code: the disk's first sector, and that of each partition.
    pub fn homes(&self) -> Vec<Home> {
        let mut homes = vec![Home {
            partition: None,
            at: 0,
        }];
        homes.extend(self.slots.iter().map(|slot| Home {
            partition: Some(slot.number),
            at: slot.start,
        }));
        homes
    }

    /// The partition that holds all of a range.
    pub fn owner(&self, range: &Range<u64>) -> Option<u32> {
        let mut data = self.data();
        let owner = data.find(|slot| slot.start <= range.start && range.end <= slot.end());
        owner.map(|slot| slot.number)
    }

    /// All partitions where they will be.
    pub fn placed(&self) -> Vec<PartitionSlot> {
        let mut slots = self.slots.clone();
        for slot in &mut slots {
            let moved = self.moved.iter().find(|one| one.number == slot.number);
            slot.start = moved.map_or(slot.start, |one| one.to);
            if slot.kind == SlotKind::Extended {
                *slot = self.extended.unwrap_or(*slot);
            }
        }
        slots
    }

    /// Where the first record of logical partitions is and will be: boot code in it goes with it, and it is
    /// written with the table.
    fn first_record(&self) -> Option<(u64, u64)> {
        let old = self
            .slots
            .iter()
            .find(|slot| slot.kind == SlotKind::Extended)?;
        Some((old.start, self.extended.unwrap_or(*old).start))
    }

    /// Where a range is after the moves.
    pub fn fate(&self, range: &Range<u64>) -> Fate {
        fate(self.moved, range)
    }

    /// Adds a consequence.
    pub fn add(&mut self, consequence: Consequence) {
        if !self.consequences.contains(&consequence) {
            self.consequences.push(consequence);
        }
    }

    /// Adds a consequence, if there is one.
    pub fn add_some(&mut self, consequence: Option<Consequence>) {
        if let Some(consequence) = consequence {
            self.add(consequence);
        }
    }

    /// All patches and consequences.
    pub fn finish(self) -> Result<Fixups> {
        let record = self.first_record();
        let mut patches = self.edits.patches(self.disk, self.moved)?;
        for patch in patches
            .iter_mut()
            .filter(|patch| patch.phase == PatchPhase::Table)
        {
            if let Some((_, to)) = record.filter(|(from, _)| *from == patch.at) {
                patch.at = to;
            }
        }
        Ok(Fixups {
            patches,
            consequences: self.consequences,
        })
    }
}

/// A sector that boot code can begin in.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    /// The partition, `None` for the MBR.
    pub partition: Option<u32>,
    /// Its first byte.
    pub at: u64,
}

impl Home {
    /// Its bytes.
    pub const fn place(&self) -> Range<u64> {
        self.at..self.at.saturating_add(SECTOR)
    }

    /// For people.
    pub fn name(&self) -> String {
        self.partition.map_or_else(
            || "the MBR".to_owned(),
            |number| format!("the boot sector of partition {number}"),
        )
    }
}
