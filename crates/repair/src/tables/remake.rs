//! A new table: for blocks of another size, or for a disk of another length.
//!
//! Nothing of a table is lost on the way: types, ids, names, attributes and boot code are the bytes that
//! they were. What changes is where the copies lie and in which unit they count.

use std::ops::Range;

use ioalign_core::on_disk::{BOOT_RECORD_BYTES, DosEntry};

use super::{Dos, PartitionSlot, RewritableTable, SlotKind, TableSectors, in_sectors, refused};
use crate::{Disk, Error, Result};

/// The disk that a table is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground {
    /// Its logical block.
    pub unit: u64,
    /// Its length.
    pub size: u64,
    /// Whether the table has to be right for the other block as well: `unit` is the larger one then.
    pub both: bool,
}

impl Ground {
    /// That of a disk.
    pub fn of(disk: &dyn Disk) -> Self {
        Self {
            unit: disk.logical_bytes(),
            size: disk.size_bytes(),
            both: false,
        }
    }

    /// Blocks of the disk.
    pub const fn blocks(self) -> u64 {
        match self.size.checked_div(self.unit) {
            Some(blocks) => blocks,
            None => 0,
        }
    }
}

/// The bytes of a table, and what it leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemadeTable {
    /// In the order in which to write them: after each group what was written has to be durable.
    pub groups: Vec<Vec<TableSectors>>,
    /// The places of the old table: parts that the new one does not cover would be found by programs
    /// that look for them, and are no longer valid.
    pub stale: Vec<Range<u64>>,
}

impl RewritableTable {
    /// The usable range of a disk like this.
    pub fn usable_on(&self, ground: Ground) -> Result<(u64, u64)> {
        match self {
            Self::Dos(_) if ground.both => Err(one_block()),
            Self::Dos(_) => Ok((
                ground.unit,
                ground.size.min(u64::from(u32::MAX) * ground.unit),
            )),
            Self::Gpt(gpt) if ground.both => gpt.usable_by_both(ground.size),
            Self::Gpt(gpt) => gpt.usable_on(ground),
        }
    }

    /// Whether it can be rebuilt at all: a chain of logical partitions has a record before each.
    pub fn can_be_remade(&self) -> Result<()> {
        let mut slots = self.slots().into_iter();
        if slots.any(|slot| slot.kind != SlotKind::Primary) {
            return Err(refused(
                "logical partitions have a record in a sector before each: their chain cannot be counted in other sectors",
            )
            .advise("make it a GPT first (`sgdisk --mbrtogpt`)"));
        }
        Ok(())
    }

    /// This table on a disk like this, with partitions at `slots`, all of which are named.
    pub fn remade(&self, ground: Ground, slots: &[PartitionSlot]) -> Result<RemadeTable> {
        self.can_be_remade()?;
        super::fits(self.usable_on(ground)?, slots)?;
        match self {
            Self::Dos(dos) => dos.remade(ground, slots),
            Self::Gpt(gpt) if ground.both => gpt.for_both(ground, slots),
            Self::Gpt(gpt) => gpt.remade(ground, slots),
        }
    }
}

/// An MBR has one place for its entries, and they count in the blocks of the disk.
fn one_block() -> Error {
    refused(
        "an MBR counts in sectors of one size, and a disk with the others reads the same numbers: a GPT can be there twice",
    )
    .advise("make it a GPT first (`sgdisk --mbrtogpt`), with a boot loader for UEFI")
}

impl Dos {
    fn remade(&self, ground: Ground, slots: &[PartitionSlot]) -> Result<RemadeTable> {
        let mut boot = self.boot_sector().to_vec();
        boot.resize(BOOT_RECORD_BYTES, 0);
        for slot in slots {
            let start = in_sectors(slot.start, ground.unit, "a partition")?;
            let count = in_sectors(slot.size, ground.unit, "a size")?;
            let entry = DosEntry {
                start: super::ebr::narrow(start)?,
                count: super::ebr::narrow(count)?,
                ..DosEntry::read(&boot, super::dos::index(slot.number))
            };
            entry.write(&mut boot, 0);
        }
        let at = 0;
        Ok(RemadeTable {
            groups: vec![vec![TableSectors { at, bytes: boot }]],
            stale: Vec::new(),
        })
    }
}
