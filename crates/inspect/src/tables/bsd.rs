//! BSD disklabel: of a whole disk, or inside an MBR or GPT partition.
//!
//! Layout: `sys/disklabel.h` of FreeBSD, NetBSD and OpenBSD (whose version 1 adds high halves).
//! Offsets inside a partition are absolute or relative to it, and nothing says which: FreeBSD
//! counts from what its raw partition `c` says, NetBSD and OpenBSD from the start of the disk.
//! Whatever puts the partitions inside the container is right. Numbers: `a` is 1.

use ioalign_core::{Bytes, Remark, Role, SectorSize, Severity, TableKind, rules};

use super::mbr::{entry, sector::BootRecord};
use super::{Context, Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::{Record, View};

const MAGIC: u32 = 0x8256_4557;
const MAGIC2_AT: usize = 132;
const COUNT_AT: usize = 138;
const TABLE_AT: usize = 148;
const ENTRY_LEN: usize = 16;
/// NetBSD and OpenBSD have 16, FreeBSD up to 20, DragonFly 16.
const MOST_ENTRIES: u16 = 32;
const LEN: usize = TABLE_AT + ENTRY_LEN * MOST_ENTRIES as usize;
/// Label offsets within sector 0 of ports other than the PC (alpha and vax, sparc64).
const IN_SECTOR_0: [u64; 3] = [0, 64, 128];
/// Partition `c`: the whole slice or disk.
const RAW: usize = 2;

/// Reads a disklabel.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    if !expected(view, context)? {
        return Ok(None);
    }
    let Some((at, label)) = find(view, context)? else {
        return Ok(None);
    };
    let count = label.le16(COUNT_AT);
    if count == 0 || count > MOST_ENTRIES {
        let what = format!("{count} partitions, 1 to {MOST_ENTRIES} are possible");
        return Err(label.bad(COUNT_AT, "d_npartitions", what));
    }
    let own = SectorSize::new(label.le32(40)).filter(|size| size.get() >= 512);
    let unit = own.or(context.sector).unwrap_or(SectorSize::S512);
    let slots: Vec<BsdSlot> = (0..count).map(|i| slot(&label, i, unit)).collect();
    let base = base(&slots, view.len(), context);
    let mut table = PartitionTable {
        kind: TableKind::Bsd,
        sector: Some(unit),
        ..PartitionTable::default()
    };
    for slot in slots.iter().filter(|slot| slot.is_used()) {
        place(slot, base, at, view.len(), &mut table);
    }
    if checksum(&label, count) != 0 {
        let why = "The checksum of the disklabel is wrong: BSD refuses it.";
        let remark = Remark::new(rules::BSD_CHECKSUM, Severity::Broken, why).malformed();
        table
            .remarks
            .push(remark.at(label.offset(136), "d_checksum"));
    }
    checks::run(&mut table, view.len(), Severity::Note);
    Ok(Some(table))
}

/// Types of partition that hold a label. On a whole disk no real MBR may stand before it; the one
/// of a "dangerously dedicated" FreeBSD disk covers itself.
fn expected(view: &View, context: &Context) -> Result<bool> {
    const HOLDERS: [&str; 6] = [
        "a5",
        "a6",
        "a9",
        "9f",
        "516E7CB4-6ECF-11D6-8FF8-00022D09712B",
        "824CC7A0-36A8-11E3-890A-952519AD3F61",
    ];
    if let Some(parent) = context.parent_type.as_deref() {
        return Ok(HOLDERS.contains(&parent));
    }
    Ok(BootRecord::read(view, 0)?.is_none_or(|boot| {
        let dedicated = boot
            .used()
            .all(|e| e.start == 0 && matches!(e.kind, 0xa5 | 0xa6 | 0xa9));
        dedicated || !entry::rules(view, &boot, false)
    }))
}

/// The label and where it is: sector 1, or early in sector 0.
fn find(view: &View, context: &Context) -> Result<Option<(u64, Record)>> {
    let sector = context.sector.map(|size| size.bytes().get());
    let sector_1 = sector.into_iter().chain([512, 4096, 2048]);
    for at in sector_1.chain(IN_SECTOR_0) {
        if !view.has(at, &MAGIC.to_le_bytes())? {
            continue;
        }
        let room = view.len().saturating_sub(at);
        let len = usize::try_from(room).map_or(LEN, |room| room.min(LEN));
        let label = view.record(at, len)?;
        if label.le32(MAGIC2_AT) == MAGIC {
            return Ok(Some((at, label)));
        }
    }
    Ok(None)
}

/// XOR of the 16-bit words of header and entries, checksum included: zero when right.
fn checksum(label: &Record, count: u16) -> u16 {
    let end = TABLE_AT + ENTRY_LEN * usize::from(count);
    (0..end).step_by(2).fold(0, |sum, at| sum ^ label.le16(at))
}

/// An entry in bytes, before its base is known.
struct BsdSlot {
    index: u16,
    kind: u8,
    start: u64,
    size: u64,
}

fn slot(label: &Record, index: u16, unit: SectorSize) -> BsdSlot {
    let at = TABLE_AT + ENTRY_LEN * usize::from(index);
    // OpenBSD's version 1 keeps the upper 16 bits where the fragment size was.
    let wide = label.le16(114) == 1;
    let sectors = |low, upper| {
        let high = if wide { label.le16(upper) } else { 0 };
        (u64::from(high) << 32) + u64::from(label.le32(low))
    };
    let bytes = |sectors: u64| sectors.saturating_mul(unit.bytes().get());
    BsdSlot {
        index,
        kind: label.u8(at + 12),
        start: bytes(sectors(at + 4, at + 8)),
        size: bytes(sectors(at, at + 10)),
    }
}

impl BsdSlot {
    /// Unused entries that cover everything: `c`, and `d` of NetBSD on a PC.
    fn is_raw(&self) -> bool {
        self.kind == 0 && matches!(self.index, 2 | 3)
    }

    fn is_used(&self) -> bool {
        self.size > 0 && (self.kind != 0 || self.is_raw())
    }

    fn fits(&self, base: u64, len: u64) -> bool {
        let start = self.start.checked_sub(base);
        start.is_some_and(|start| start.saturating_add(self.size) <= len)
    }
}

/// What the offsets count from, among what each system writes: the one that puts most inside.
fn base(slots: &[BsdSlot], len: u64, context: &Context) -> u64 {
    let disk = context.start_on_disk.get();
    let raw = slots.get(RAW).filter(|c| c.size > 0).map(|c| c.start);
    let candidates = match context.parent_type.as_deref() {
        None => return 0,
        Some("a6" | "a9") => [disk, raw.unwrap_or(disk), 0],
        Some(_) => [raw.unwrap_or(disk), disk, 0],
    };
    let data = || slots.iter().filter(|s| s.kind != 0 && s.size > 0);
    let inside = |base: &u64| data().filter(|s| s.fits(*base, len)).count();
    let mut best = (0, candidates[0]);
    for base in candidates {
        if inside(&base) > best.0 {
            best = (inside(&base), base);
        }
    }
    best.1
}

/// Adds a partition, or says that it lies before the container.
fn place(slot: &BsdSlot, base: u64, label_at: u64, len: u64, table: &mut PartitionTable) {
    let letter = char::from(b'a'.saturating_add(u8::try_from(slot.index).unwrap_or(25)));
    let Some(start) = slot.start.checked_sub(base).filter(|start| *start < len) else {
        if !slot.is_raw() {
            let why = format!("Partition {letter} lies outside the space of its label.");
            table
                .remarks
                .push(Remark::note(rules::BSD_OUTSIDE_SLICE, why));
        }
        return;
    };
    let (type_id, type_name, role) = known(slot);
    let entry = label_at + (TABLE_AT + ENTRY_LEN * usize::from(slot.index)) as u64;
    let size = if slot.is_raw() {
        slot.size.min(len - start)
    } else {
        slot.size
    };
    table.partitions.push(Partition {
        number: u32::from(slot.index) + 1,
        type_id,
        type_name,
        label: letter.to_string(),
        role,
        start: Bytes::new(start),
        size: Bytes::new(size),
        entry_at: Bytes::new(entry),
        ..Partition::default()
    });
}

fn known(slot: &BsdSlot) -> (String, &'static str, Role) {
    let (name, role) = match slot.kind {
        0 => ("whole disk or slice", Role::WholeDisk),
        1 => ("swap", Role::Swap),
        7 => ("4.2BSD", Role::Data),
        8 => ("MSDOS", Role::Data),
        9 => ("4.4LFS", Role::Data),
        11 => ("HPFS or NTFS", Role::Data),
        12 => ("ISO 9660", Role::Data),
        13 => ("boot", Role::BiosBoot),
        14 => ("vinum or ADOS", Role::Data),
        17 => ("ext2", Role::Data),
        18 => ("NTFS", Role::Data),
        19 => ("RAID", Role::Data),
        22 => ("jfs2 or UDF", Role::Data),
        27 => ("ZFS", Role::Data),
        _ => ("", Role::Data),
    };
    (format!("0x{:02x}", slot.kind), name, role)
}
