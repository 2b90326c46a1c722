//! Sun disk label of SPARC: one big-endian sector, eight slices that start on cylinders.
//!
//! Layout: illumos `sys/dklabel.h`, kernel `block/partitions/sun.c`. Slices count from 0, as
//! Solaris names them (Linux shows `s0` as partition 1). A slice is aligned only if its cylinder
//! is: heads × sectors × 512 bytes, which for classic geometries is no power of two.

use ioalign_core::{Bytes, Remark, SectorSize, Severity, TableKind, rules};

use super::vtoc_x86::{SANE, slice_type, type_id};
use super::{Context, Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::{Record, View};

const LEN: usize = 512;
const MAGIC_AT: usize = 508;
const MAGIC: u16 = 0xDABE;
const SLICES: usize = 8;
/// Starts (in cylinders) and sizes (in sectors).
const MAP_AT: usize = 444;
/// Tags and flags of the VTOC, present since SunOS 5.
const TAGS_AT: usize = 142;
const SANITY_AT: usize = 188;

/// Reads a SPARC label. Slices 0 and 2 start where the label lies, so it is looked for on whole
/// disks only.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    if context.parent_type.is_some() {
        return Ok(None);
    }
    let record = view.try_record(0, LEN)?;
    let Some(label) = record.filter(|r| r.be16(MAGIC_AT) == MAGIC && checksum(r) == 0) else {
        return Ok(None);
    };
    let unit = context.sector.unwrap_or(SectorSize::S512);
    let cylinder = u64::from(label.be16(436)) * u64::from(label.be16(438));
    if cylinder == 0 {
        return Err(label.bad(436, "dkl_nhead", "the label has cylinders of no sectors"));
    }
    let mut table = PartitionTable {
        kind: TableKind::VtocSparc,
        sector: Some(unit),
        partitions: slices(&label, cylinder, unit),
        first_usable: Some(unit.bytes()),
        ..PartitionTable::default()
    };
    geometry(&label, cylinder, unit, view.len(), &mut table);
    checks::run(&mut table, view.len(), Severity::Note);
    Ok(Some(table))
}

/// XOR of all 16-bit words, the stored checksum among them: zero when right.
fn checksum(label: &Record) -> u16 {
    (0..LEN).step_by(2).fold(0, |sum, at| sum ^ label.be16(at))
}

fn slices(label: &Record, cylinder: u64, unit: SectorSize) -> Vec<Partition> {
    let tagged = label.be32(SANITY_AT) == SANE;
    let all = (0..SLICES).filter_map(|i| {
        let at = MAP_AT + 8 * i;
        let (first, sectors) = (u64::from(label.be32(at)), u64::from(label.be32(at + 4)));
        let number = u32::try_from(i).ok()?;
        let tag = match (tagged, i) {
            (true, _) => label.be16(TAGS_AT + 4 * i),
            (false, 2) => 5, // before tags, slice 2 was the whole disk by habit
            (false, _) => 0,
        };
        let (type_name, role) = slice_type(tag);
        (sectors != 0).then(|| Partition {
            number,
            type_id: type_id(tag),
            type_name,
            role,
            // Below 2³² cylinders × 2³² sectors × 64 KiB may not fit: saturate, which is past the end.
            start: Bytes::new(first.saturating_mul(cylinder.saturating_mul(unit.bytes().get()))),
            size: Bytes::new(sectors.saturating_mul(unit.bytes().get())),
            entry_at: Bytes::new(at as u64),
            ..Partition::default()
        })
    });
    all.collect()
}

fn geometry(label: &Record, cylinder: u64, unit: SectorSize, len: u64, table: &mut PartitionTable) {
    let bytes = Bytes::new(cylinder * unit.bytes().get());
    if !bytes.is_multiple_of(Bytes::new(4096)) {
        let past = bytes.get() % 4096;
        let why = format!(
            "A cylinder is {cylinder} sectors ({bytes}), {past} bytes past a multiple of 4 KiB: \
             few slices can start on one."
        );
        table
            .remarks
            .push(Remark::note(rules::CYLINDER_OFF_GRID, why));
    }
    let cylinders = u64::from(label.be16(432)) + u64::from(label.be16(434));
    let covered = cylinders.saturating_mul(bytes.get());
    if covered > len {
        let why = format!("The label describes {covered} bytes, there are {len}.");
        table
            .remarks
            .push(Remark::new(rules::LABEL_PAST_END, Severity::Broken, why));
    }
}
