//! SGI (IRIX) volume header: one big-endian sector, sixteen partitions.
//!
//! Layout: IRIX `sys/dvh.h`, kernel `block/partitions/sgi.c`. Numbers count from 1 as Linux
//! does: 9 is IRIX partition 8, the volume header itself; 11 is 10, the whole volume.

use ioalign_core::{Bytes, Remark, Role, SectorSize, Severity, TableKind, rules};

use super::{Context, Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::{Record, View};

const LEN: usize = 512;
const MAGIC: &[u8] = &[0x0B, 0xE5, 0xA9, 0x41];
const PARTITIONS_AT: usize = 312;
const PARTITION_LEN: usize = 12;
const PARTITIONS: u32 = 16;

/// Reads an SGI volume header, on whole disks only: the partitions 9 and 11 start at it too.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    if context.parent_type.is_some() || !view.has(0, MAGIC)? {
        return Ok(None);
    }
    let Some(label) = view.try_record(0, LEN)? else {
        return Ok(None);
    };
    let named = u32::from(label.be16(40));
    let named = SectorSize::new(named).filter(|size| size.get() >= 512);
    let unit = context.sector.or(named).unwrap_or(SectorSize::S512);
    let mut table = PartitionTable {
        kind: TableKind::Sgi,
        sector: Some(unit),
        partitions: (0..PARTITIONS)
            .filter_map(|i| partition(&label, i, unit))
            .collect(),
        ..PartitionTable::default()
    };
    let header = table.partitions.iter().find(|p| p.type_id == "0x00");
    table.first_usable = header.map(|p| Bytes::new(checks::end(p)));
    if checksum(&label) != 0 {
        let why = "The checksum of the volume header is wrong: IRIX and Linux refuse it.";
        let remark = Remark::new(rules::SGI_CHECKSUM, Severity::Broken, why).malformed();
        table.remarks.push(remark.at(label.offset(504), "vh_csum"));
    }
    checks::run(&mut table, view.len(), Severity::Note);
    Ok(Some(table))
}

/// Sum of all 32-bit words, the stored complement among them: zero when right.
fn checksum(label: &Record) -> u32 {
    (0..LEN)
        .step_by(4)
        .fold(0, |sum: u32, at| sum.wrapping_add(label.be32(at)))
}

fn partition(label: &Record, index: u32, unit: SectorSize) -> Option<Partition> {
    let at = PARTITIONS_AT + PARTITION_LEN * usize::try_from(index).ok()?;
    let (blocks, first, kind) = (label.be32(at), label.be32(at + 4), label.be32(at + 8));
    let (type_name, role) = known(kind);
    (blocks != 0).then_some(Partition {
        number: index + 1,
        type_id: format!("0x{kind:02x}"),
        type_name,
        role,
        start: unit.checked_bytes(u64::from(first))?,
        size: unit.checked_bytes(u64::from(blocks))?,
        entry_at: Bytes::new(at as u64),
        ..Partition::default()
    })
}

const fn known(kind: u32) -> (&'static str, Role) {
    match kind {
        0 => ("volume header", Role::Reserved),
        1 | 2 => ("replacement tracks", Role::Reserved),
        3 => ("raw (swap)", Role::Swap),
        4 => ("BSD", Role::Data),
        5 => ("System V", Role::Data),
        6 => ("volume (whole disk)", Role::WholeDisk),
        7 => ("EFS", Role::Data),
        8 => ("logical volume", Role::Data),
        9 => ("raw logical volume", Role::Data),
        10 => ("XFS", Role::Data),
        11 => ("XFS log", Role::Data),
        12 => ("XLV", Role::Data),
        13 => ("XVM", Role::Data),
        0x82 => ("Linux swap", Role::Swap),
        0x83 => ("Linux", Role::Data),
        0x8e => ("Linux LVM", Role::Data),
        0xfd => ("Linux RAID", Role::Data),
        _ => ("", Role::Data),
    }
}
