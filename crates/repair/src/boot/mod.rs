//! Data in a partition, or in boot code, that hold the start of a partition: patched with the move, or
//! reported.
//!
//! A partition is mostly indifferent to its place. Some things in it are not: the hidden sectors of FAT
//! and NTFS, the block lists of boot loaders, stores that name a partition by its offset. Each reader
//! here gives the bytes to change, or says what happens when they cannot be changed.
//!
//! A planner calls three functions: [`reserved`] before it looks for places, [`fixups_of`] when it has them, and
//! [`kept()`] for what stays. What they change goes over the new table byte by byte
//! ([`overlay::changes`](crate::overlay::changes)): both may be in one sector.

mod blocklist;
mod edits;
mod efi;
mod exfat;
mod fat;
mod fate;
mod foreign;
mod gaps;
mod grub;
mod hibernated;
mod hidden;
mod kept;
mod legacy;
mod ntfs;
mod survey;
mod syslinux;
mod windows;

use std::ops::Range;

use crate::tables::{PartitionSlot, RewritableTable, SlotKind};
use crate::{Disk, Patch, Result};
use survey::BootSurvey;

pub use efi::is_efi_system;
pub use ioalign_core::consequence::{Consequence, Weight};
pub use kept::kept;
pub use legacy::bios_loader;
pub use syslinux::is_in as is_syslinux;

/// A partition that goes elsewhere, or whose contents do, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its number.
    pub number: u32,
    /// Its present start.
    pub from: u64,
    /// Its new start.
    pub to: u64,
    /// The length that it will have, where that is shorter, else the one that it has.
    pub bytes: u64,
    /// How its contents arrive.
    pub arrival: Arrival,
}

/// How the contents of a partition arrive at its new place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Byte by byte; the numbers in them that name the start are patched.
    Same,
    /// A file system for other sectors: its files are where they were, and what is before them is written anew.
    Kept,
    /// All that is in it goes to other places.
    LaidOut,
}

impl Moved {
    /// Whether the partition has another start.
    const fn goes(&self) -> bool {
        self.from != self.to
    }
}

/// Patches beside the data, and consequences to report.
#[derive(Clone, Debug, Default)]
pub struct Fixups {
    /// Contents and boot code, all in terms of the mover; no two share a block. They may lie on sectors that a table
    /// or a file system is written to as well, where only the bytes count that they change.
    pub patches: Vec<Patch>,
    /// For the plan and for the report.
    pub consequences: Vec<Consequence>,
}

/// Bytes outside all partitions that nothing may be moved over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Whole logical blocks.
    pub place: Range<u64>,
    /// Whose they are, for people: `core.img of GRUB`.
    pub what: String,
}

/// What must stay free of partitions, in order of place: boot code between the table and the first
/// partition above all. For `keep` of the job (by way of [`kept`]), and for where a partition may start.
pub fn reserved(disk: &mut dyn Disk, table: &RewritableTable) -> Result<Vec<Reserved>> {
    let unit = disk.logical_bytes().max(1);
    gaps::reserved(&mut BootSurvey::new(disk, table, &[], None), unit)
}

/// What a new layout asks of boot code and contents: `new` has all partitions, the extended one too, with the
/// sizes that they have, and `reserved` is what [`reserved()`] found. The disk is only read.
pub fn fixups_of(
    disk: &mut dyn Disk,
    table: &RewritableTable,
    new: &[PartitionSlot],
    reserved: &[Reserved],
) -> Result<Fixups> {
    let mut moved = Vec::new();
    for old in table.slots() {
        let goes = |slot: &&PartitionSlot| slot.number == old.number && slot.start != old.start;
        if let Some(slot) = new.iter().find(goes)
            && old.kind != SlotKind::Extended
        {
            moved.push(Moved {
                number: old.number,
                from: old.start,
                to: slot.start,
                // What is cut off does not move.
                bytes: old.size.min(slot.size),
                arrival: Arrival::Same,
            });
        }
    }
    let mut extended = new.iter().filter(|slot| slot.kind == SlotKind::Extended);
    ask(disk, table, &moved, reserved, extended.next().copied())
}

/// What these moves ask of boot code and contents, where the extended partition stays as it is. The disk is
/// only read.
pub fn fixups(disk: &mut dyn Disk, table: &RewritableTable, moved: &[Moved]) -> Result<Fixups> {
    if moved.is_empty() {
        return Ok(Fixups::default());
    }
    let reserved = reserved(disk, table)?;
    ask(disk, table, moved, &reserved, None)
}

fn ask(
    disk: &mut dyn Disk,
    table: &RewritableTable,
    moved: &[Moved],
    reserved: &[Reserved],
    extended: Option<PartitionSlot>,
) -> Result<Fixups> {
    if moved.is_empty() {
        return Ok(Fixups::default());
    }
    let mut survey = BootSurvey::new(disk, table, moved, extended);
    gaps::check(&mut survey, reserved);
    if moved
        .iter()
        .any(|one| one.goes() || one.arrival == Arrival::LaidOut)
    {
        foreign::disk(&mut survey);
    }
    hibernated::read(&mut survey);
    grub::read(&mut survey);
    if moved.iter().any(Moved::goes) {
        windows::read(&mut survey);
        survey.add(Consequence::stated(None, KEPT).advised(BY_BYTES));
    }
    for one in moved {
        contents(&mut survey, one);
    }
    survey.finish()
}

const KEPT: &str = "numbers of partitions, PARTUUIDs, UUIDs and labels stay: /etc/fstab by any of these or by /dev/sdXN, \
                    root= and resume= keep working";
const BY_BYTES: &str = "change what names a start in sectors or bytes: boot entries of firmware, `mount -o offset=`, \
                        `losetup -o`, `dmsetup` tables, `blkdevparts=`";

/// What is in one partition.
fn contents(survey: &mut BootSurvey<'_>, moved: &Moved) {
    if moved.goes() {
        efi::read(survey, moved);
    }
    if moved.arrival != Arrival::Same {
        return;
    }
    foreign::partition(survey, moved);
    let Some(boot) = survey.sector(moved.from) else {
        let what =
            "its first sector cannot be read: whether something there names its start is not known";
        survey.add(Consequence::warned(Some(moved.number), what));
        return;
    };
    let known = ntfs::read(survey, moved, &boot)
        || exfat::read(survey, moved, &boot)
        || fat::read(survey, moved, &boot);
    syslinux::read(survey, moved, &boot, known);
}
