//! Windows dynamic disks (LDM): recognised by the private header, not followed.
//!
//! On an MBR disk one entry of type 42 covers everything and the `PRIVHEAD` is in sector 6; on a
//! GPT disk it is in the last sector of the LDM metadata partition. Layout: kernel
//! `block/partitions/ldm.c` (a copy of the database fills the last MiB). The volumes are in the
//! database: to grade the container instead would be a guess, so the answer is "not known".

use ioalign_core::{Bytes, Remark, Role, SectorSize, Severity, TableKind, rules};

use super::mbr::sector::BootRecord;
use super::{Context, Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::{Record, View};

const LEN: usize = 512;
const MAGIC: &[u8] = b"PRIVHEAD";
const SECTOR: u64 = 6;
const TYPE: u8 = 0x42;

/// Reads the private header of an MBR dynamic disk.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    let unit = context.sector.unwrap_or(SectorSize::S512);
    let at = SECTOR * unit.bytes().get();
    if context.parent_type.is_some() || !view.has(at, MAGIC)? {
        return Ok(None);
    }
    let boot = BootRecord::read(view, 0)?;
    let dynamic = boot.is_some_and(|boot| boot.used().any(|entry| entry.kind == TYPE));
    let head = view.try_record(at, LEN)?.filter(|_| dynamic);
    Ok(head.map(|head| table(&head, at, unit, view.len())))
}

/// The group of the disk whose LDM metadata partition `view` is.
pub(super) fn group_of_metadata(view: &View) -> Result<Option<String>> {
    for unit in [512, 4096] {
        let Some(at) = view.len().checked_sub(unit) else {
            continue;
        };
        let head = view.try_record(at, LEN)?.filter(|head| head.has(0, MAGIC));
        if let Some(head) = head {
            return Ok(Some(group(&head)));
        }
    }
    Ok(None)
}

fn group(head: &Record) -> String {
    format!("{} ({})", head.text(0xF0, 32), head.text(0xB0, 64))
}

fn table(head: &Record, at: u64, unit: SectorSize, len: u64) -> PartitionTable {
    let mut table = PartitionTable {
        kind: TableKind::LogicalDiskManager,
        sector: Some(unit),
        id: head.text(0x30, 64),
        ..PartitionTable::default()
    };
    let data = (1, "data", "LDM data region", Role::Data, 0x11B);
    let database = (2, "database", "LDM database", Role::Reserved, 0x12B);
    for (number, type_id, type_name, role, field) in [data, database] {
        let sectors = |at| unit.checked_bytes(head.be64(at));
        let (Some(start), Some(size)) = (sectors(field), sectors(field + 8)) else {
            continue;
        };
        table.partitions.push(Partition {
            number,
            type_id: type_id.to_owned(),
            type_name,
            role,
            start,
            size,
            entry_at: Bytes::new(at + field as u64),
            ..Partition::default()
        });
    }
    let why = format!(
        "This is a dynamic disk of group {}: the volumes inside are not followed.",
        group(head)
    );
    let remark = Remark::new(rules::LDM_NOT_FOLLOWED, Severity::Unknown, why);
    table.remarks.push(remark);
    checks::run(&mut table, len, Severity::Broken);
    table
}
