//! Apple partition map: a driver descriptor in block 0, one block an entry after it.
//!
//! Layout: Inside Macintosh: Devices, kernel `block/partitions/mac.c`. The descriptor names the
//! block size (512, or 2048 on CDs), but maps for 512-byte readers also exist on those.

use ioalign_core::{Bytes, Remark, Role, SectorSize, Severity, TableKind, rules};

use super::{Context, Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::{Record, View};

const LEN: usize = 512;
const DESCRIPTOR: &[u8] = b"ER";
const ENTRY: &[u8] = b"PM";
/// Entries read; Apple's tools write fewer than 64.
const MOST_ENTRIES: u32 = 1024;

/// Reads an Apple partition map, on whole disks only.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    if context.parent_type.is_some() || !view.has(0, DESCRIPTOR)? {
        return Ok(None);
    }
    let Some(descriptor) = view.try_record(0, LEN)? else {
        return Ok(None);
    };
    let Some(unit) = unit(view, context, &descriptor)? else {
        return Ok(None);
    };
    let first = view.record(unit.bytes().get(), LEN)?;
    let count = first.be32(4);
    if count > MOST_ENTRIES {
        let what = format!("{count} entries in the map, {MOST_ENTRIES} are the limit");
        return Err(first.bad(4, "pmMapBlkCnt", what));
    }
    let mut table = PartitionTable {
        kind: TableKind::Apple,
        sector: Some(unit),
        ..PartitionTable::default()
    };
    for number in 1..=count {
        if !entry(view, number, unit, &mut table)? {
            break;
        }
    }
    let map = table.partitions.iter().find(|p| p.type_id == MAP);
    table.first_usable = map.map(|p| Bytes::new(checks::end(p)));
    checks::run(&mut table, view.len(), Severity::Broken);
    Ok(Some(table))
}

/// The block size at which the first entry is found.
fn unit(view: &View, context: &Context, descriptor: &Record) -> Result<Option<SectorSize>> {
    let named = SectorSize::new(u32::from(descriptor.be16(2)));
    for unit in [context.sector, named, Some(SectorSize::S512)] {
        let Some(unit) = unit.filter(|unit| unit.get() >= 512) else {
            continue;
        };
        let at = unit.bytes().get();
        if view.has(at, ENTRY)? && view.fits(at, LEN) {
            return Ok(Some(unit));
        }
    }
    Ok(None)
}

/// Adds entry `number`; false where the map breaks off.
fn entry(view: &View, number: u32, unit: SectorSize, table: &mut PartitionTable) -> Result<bool> {
    let at = unit.bytes().get() * u64::from(number);
    let record = view.try_record(at, LEN)?.filter(|r| r.has(0, ENTRY));
    let Some(record) = record else {
        let why = format!("The map breaks off before entry {number}.");
        let remark = Remark::new(rules::APM_ENTRY_MISSING, Severity::Broken, why).malformed();
        let at = view.start().saturating_add(at);
        table.remarks.push(remark.at(at, "pmSig"));
        return Ok(false);
    };
    table
        .partitions
        .extend(partition(&record, number, at, unit));
    Ok(true)
}

fn partition(record: &Record, number: u32, at: u64, unit: SectorSize) -> Option<Partition> {
    let (type_id, label) = (record.text(48, 32), record.text(16, 32));
    let (type_name, role) = known(&type_id, &label)?;
    let blocks = |at| unit.checked_bytes(u64::from(record.be32(at)));
    Some(Partition {
        number,
        type_name,
        label,
        role,
        start: blocks(8)?,
        size: blocks(12)?,
        entry_at: Bytes::new(at),
        type_id,
        ..Partition::default()
    })
}

const MAP: &str = "Apple_partition_map";

fn has_swap(label: &str) -> bool {
    label.to_ascii_lowercase().contains("swap")
}

/// Name and role of a type; `None` for free space, which also has entries.
fn known(kind: &str, label: &str) -> Option<(&'static str, Role)> {
    Some(match kind {
        "Apple_Free" | "Apple_Void" | "Apple_Extra" | "Apple_Scratch" => return None,
        MAP => ("Apple partition map", Role::Reserved),
        "Apple_Bootstrap" => ("Apple bootstrap", Role::BiosBoot),
        "Apple_HFS" => ("Apple HFS", Role::Data),
        "Apple_HFSX" => ("Apple HFSX", Role::Data),
        // Linux and A/UX tell swap by its name: `swap`, `Swap`, `Swap partition`.
        "Apple_UNIX_SVR2" | "Linux_Swap" if has_swap(label) || kind == "Linux_Swap" => {
            ("Linux swap", Role::Swap)
        }
        // FreeBSD `sys/sys/apm.h`.
        "FreeBSD-swap" => ("FreeBSD swap", Role::Swap),
        "FreeBSD-boot" => ("FreeBSD boot", Role::BiosBoot),
        "Apple_UNIX_SVR2" => ("Unix", Role::Data),
        "Apple_UFS" => ("Apple UFS", Role::Data),
        "Apple_RAID" => ("Apple RAID", Role::Data),
        "Apple_Boot" | "Apple_Boot_RAID" | "Apple_Loader" => ("Apple boot", Role::Data),
        _ if kind.starts_with("Apple_Driver") || kind.starts_with("Apple_FW") => {
            ("Apple driver", Role::Reserved)
        }
        "Apple_Patches" => ("Apple patches", Role::Reserved),
        _ => ("", Role::Data),
    })
}
