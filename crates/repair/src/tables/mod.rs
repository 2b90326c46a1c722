//! Partition tables, to be rewritten: read strictly, and refused where anything is odd.
//!
//! A table that is only shown may be read with a guess. One that is written over data may not: what is
//! damaged, hybrid, nested or of an unknown kind is refused with the reason, and nothing is guessed.

mod dos;
mod ebr;
mod gpt;
mod gpt_remake;
mod remake;
mod universal;

use ioalign_core::on_disk::{DosEntry, PROTECTIVE, is_boot_record};

use crate::{Disk, Error, ErrorKind, Result};

pub use dos::Dos;
pub use gpt::Gpt;
pub use remake::{Ground, RemadeTable};
pub use universal::{LARGE, SMALL};

/// A table that can be rewritten.
#[derive(Clone, Debug)]
pub enum RewritableTable {
    /// An MBR with its chain of logical partitions.
    Dos(Dos),
    /// A GPT with both its copies.
    Gpt(Box<Gpt>),
}

/// One partition, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PartitionSlot {
    /// As the system numbers it: logical partitions from 5 on.
    pub number: u32,
    /// First byte.
    pub start: u64,
    /// Length.
    pub size: u64,
    /// What kind of entry it is.
    pub kind: SlotKind,
}

impl PartitionSlot {
    /// The first byte after it.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }
}

/// What an entry holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Data: a GPT entry or a primary partition.
    Primary,
    /// The container of the logical partitions: holds no data of its own.
    Extended,
    /// A logical partition.
    Logical,
}

/// What a table says is in a partition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// The byte of an MBR or EBR.
    Dos(u8),
    /// The type GUID of a GPT, as it lies on disk.
    Gpt([u8; 16]),
}

/// Bytes of a table at their place on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSectors {
    /// Where.
    pub at: u64,
    /// Whole logical blocks.
    pub bytes: Vec<u8>,
}

impl RewritableTable {
    /// Reads the table of a disk.
    pub fn read(disk: &mut dyn Disk) -> Result<Self> {
        let boot = read_block(disk, 0)?;
        if !is_boot_record(&boot) {
            return Err(refused("there is no partition table"));
        }
        if guards_gpt(&boot) {
            return Gpt::read(disk, &boot).map(Box::new).map(Self::Gpt);
        }
        Dos::read(disk, boot).map(Self::Dos)
    }

    /// Reads a GPT whose backup is not at the end of the disk: of an image that was copied to a larger disk,
    /// or that has grown.
    pub fn read_anywhere(disk: &mut dyn Disk) -> Result<Self> {
        let boot = read_block(disk, 0)?;
        if is_boot_record(&boot) && guards_gpt(&boot) {
            return Gpt::read_anywhere(disk, &boot).map(Box::new).map(Self::Gpt);
        }
        Self::read(disk)
    }

    /// Its partitions, the extended one among them, by number.
    pub fn slots(&self) -> Vec<PartitionSlot> {
        match self {
            Self::Dos(dos) => dos.slots(),
            Self::Gpt(gpt) => gpt.slots(),
        }
    }

    /// The type of a partition; `None` where there is no such partition.
    pub fn kind_of(&self, number: u32) -> Option<Type> {
        match self {
            Self::Dos(dos) => dos.kind_of(number).map(Type::Dos),
            Self::Gpt(gpt) => gpt.kind_of(number).map(Type::Gpt),
        }
    }

    /// The first usable place of a partition, and the required end of the last one.
    pub fn usable(&self) -> (u64, u64) {
        match self {
            Self::Dos(dos) => dos.usable(),
            Self::Gpt(gpt) => gpt.usable(),
        }
    }

    /// Its logical block.
    pub const fn unit(&self) -> u64 {
        match self {
            Self::Dos(dos) => dos.unit(),
            Self::Gpt(gpt) => gpt.unit(),
        }
    }

    /// Its name: `dos` or `gpt`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Dos(_) => "dos",
            Self::Gpt(_) => "gpt",
        }
    }

    /// The records of logical partitions, as they are now.
    pub fn records(&self) -> Vec<TableSectors> {
        match self {
            Self::Dos(dos) => dos.records(),
            Self::Gpt(_) => Vec::new(),
        }
    }

    /// The sectors of this table with these partitions elsewhere, in the order in which to write them:
    /// after each group what was written has to be durable before the next.
    ///
    /// Partitions that are not named stay as they are. Identities, types, names and flags are kept.
    pub fn rewritten(&self, moved: &[PartitionSlot]) -> Result<Vec<Vec<TableSectors>>> {
        let all = merged(&self.slots(), moved);
        fits(self.usable(), &all)?;
        match self {
            Self::Dos(dos) => dos.rewritten(&all),
            Self::Gpt(gpt) => gpt.rewritten(&all),
        }
    }
}

/// Whether all partitions lie in the usable range, and none on another.
fn fits((first, end): (u64, u64), all: &[PartitionSlot]) -> Result<()> {
    let data = || all.iter().filter(|slot| slot.kind != SlotKind::Extended);
    for slot in data() {
        if slot.start < first || slot.end() > end || slot.size == 0 {
            return Err(refused(format!(
                "partition {} would lie at bytes {} to {}, outside the usable {first} to {end}",
                slot.number,
                slot.start,
                slot.end()
            )));
        }
        let over = |other: &&PartitionSlot| {
            other.number != slot.number && other.start < slot.end() && slot.start < other.end()
        };
        if let Some(other) = data().find(over) {
            return Err(refused(format!(
                "partitions {} and {} would overlap",
                slot.number, other.number
            )));
        }
    }
    Ok(())
}

fn merged(old: &[PartitionSlot], moved: &[PartitionSlot]) -> Vec<PartitionSlot> {
    let new = |slot: &PartitionSlot| moved.iter().find(|new| new.number == slot.number);
    old.iter()
        .map(|slot| {
            new(slot).map_or(*slot, |new| PartitionSlot {
                kind: slot.kind,
                ..*new
            })
        })
        .collect()
}

/// Whether one of the entries of an MBR stands for a GPT.
fn guards_gpt(boot: &[u8]) -> bool {
    DosEntry::all(boot)
        .iter()
        .any(|entry| entry.kind == PROTECTIVE)
}

/// One logical block.
fn read_block(disk: &mut dyn Disk, at: u64) -> Result<Vec<u8>> {
    let len = usize::try_from(disk.logical_bytes()).unwrap_or(512);
    let mut bytes = vec![0; len];
    disk.read_at(at, &mut bytes)
        .map_err(|error| Error::io(format!("cannot read the table at byte {at}"), error))?;
    Ok(bytes)
}

pub(crate) fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, why)
}

/// Bytes as whole sectors; refused where they are not, or where the table cannot count that far.
fn in_sectors(bytes: u64, unit: u64, what: &str) -> Result<u64> {
    if !bytes.is_multiple_of(unit) {
        return Err(refused(format!(
            "{what} at byte {bytes} is not of whole {unit}-byte sectors"
        )));
    }
    Ok(bytes / unit)
}
