//! Solaris x86 VTOC: sector 1 of a Solaris fdisk partition, sixteen slices.
//!
//! Layout: illumos `sys/dklabel.h`, kernel `block/partitions/msdos.c`. Two levels: slices count
//! from the start of the fdisk partition, so both starts must be right for a slice to be aligned.

use ioalign_core::{Bytes, Remark, Role, SectorSize, Severity, TableKind, rules};

use super::mbr::{entry, sector::BootRecord};
use super::{Context, Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::{Record, View};

const LEN: usize = 512;
/// `VTOC_SANE`, which also marks the tags of a SPARC label.
pub(super) const SANE: u32 = 0x600D_DEEE;
const SANITY_AT: usize = 12;
const SLICES_AT: usize = 72;
const SLICE_LEN: usize = 12;
const MOST_SLICES: u16 = 16;
/// Label and boot code lie before this sector of the partition.
const RESERVED_SECTORS: u64 = 16;

/// Reads the VTOC inside an fdisk partition of type 82, be or bf, or on a disk without an MBR.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    let unit = context.sector.unwrap_or(SectorSize::S512);
    let expected = match context.parent_type.as_deref() {
        Some(parent) => matches!(parent, "82" | "be" | "bf"),
        None => BootRecord::read(view, 0)?.is_none_or(|boot| !entry::rules(view, &boot, false)),
    };
    if !expected || !is_here(view, unit)? {
        return Ok(None);
    }
    let label = view.record(unit.bytes().get(), LEN)?;
    read(view, &label, unit).map(Some)
}

/// Whether sector 1 holds a VTOC.
pub(super) fn is_here(view: &View, unit: SectorSize) -> Result<bool> {
    let at = unit.bytes().get() + SANITY_AT as u64;
    Ok(view.has(at, &SANE.to_le_bytes())? && view.fits(unit.bytes().get(), LEN))
}

fn read(view: &View, label: &Record, fallback: SectorSize) -> Result<PartitionTable> {
    if label.le32(16) != 1 {
        let what = format!("VTOC version {}, only 1 is known", label.le32(16));
        return Err(label.bad(16, "v_version", what));
    }
    let unit = SectorSize::new(u32::from(label.le16(28))).unwrap_or(fallback);
    let count = label.le16(30);
    if count > MOST_SLICES {
        let what = format!("{count} slices, {MOST_SLICES} are possible");
        return Err(label.bad(30, "v_nparts", what));
    }
    let slices = (0..count).filter_map(|i| slice(label, i, unit, fallback));
    let mut table = PartitionTable {
        kind: TableKind::VtocX86,
        sector: Some(unit),
        partitions: slices.collect(),
        first_usable: unit.checked_bytes(RESERVED_SECTORS),
        ..PartitionTable::default()
    };
    table.remarks.extend(damage(label));
    checks::run(&mut table, view.len(), Severity::Note);
    Ok(table)
}

fn slice(label: &Record, index: u16, unit: SectorSize, outer: SectorSize) -> Option<Partition> {
    let at = SLICES_AT + SLICE_LEN * usize::from(index);
    let (tag, start, size) = (label.le16(at), label.le32(at + 4), label.le32(at + 8));
    let (type_name, role) = slice_type(tag);
    (size != 0).then_some(Partition {
        number: u32::from(index),
        type_id: type_id(tag),
        type_name,
        role,
        start: unit.checked_bytes(u64::from(start))?,
        size: unit.checked_bytes(u64::from(size))?,
        entry_at: Bytes::new(outer.bytes().get() + at as u64),
        ..Partition::default()
    })
}

/// The magic and checksum at the end of the sector, which the kernel ignores.
fn damage(label: &Record) -> Option<Remark> {
    let sum = (0..LEN).step_by(2).fold(0, |sum, at| sum ^ label.le16(at));
    let right = label.le16(508) == 0xDABE && sum == 0;
    (!right).then(|| {
        let why = "The VTOC has no valid checksum: Solaris refuses it, Linux reads it.";
        Remark::new(rules::VTOC_CHECKSUM, Severity::Broken, why)
            .malformed()
            .at(label.offset(510), "dkl_cksum")
    })
}

/// The tag as a type id.
pub(super) fn type_id(tag: u16) -> String {
    format!("0x{tag:02x}")
}

/// Name and role of a VTOC tag (illumos `sys/vtoc.h`; above 0x7f Linux on SPARC).
pub(super) const fn slice_type(tag: u16) -> (&'static str, Role) {
    match tag {
        0x00 => ("unassigned", Role::Data),
        0x01 => ("boot", Role::BiosBoot),
        0x02 => ("root", Role::Data),
        0x03 => ("swap", Role::Swap),
        0x04 => ("usr", Role::Data),
        0x05 => ("backup (whole disk)", Role::WholeDisk),
        0x06 => ("stand", Role::Data),
        0x07 => ("var", Role::Data),
        0x08 => ("home", Role::Data),
        0x09 => ("alternates", Role::Reserved),
        0x0a => ("cache", Role::Data),
        0x0b => ("reserved", Role::Reserved),
        0x0c => ("system", Role::Data),
        0x0e => ("public region", Role::Data),
        0x0f => ("private region", Role::Reserved),
        0x82 => ("Linux swap", Role::Swap),
        0x83 => ("Linux", Role::Data),
        0x8e => ("Linux LVM", Role::Data),
        0xfd => ("Linux RAID", Role::Data),
        // FreeBSD `sys/sys/vtoc.h`: VTOC_TAG_FREEBSD_*.
        0x0901 => ("FreeBSD swap", Role::Swap),
        0x0902 => ("FreeBSD UFS", Role::Data),
        0x0903 => ("FreeBSD vinum", Role::Data),
        0x0904 => ("FreeBSD ZFS", Role::Data),
        _ => ("", Role::Data),
    }
}
