//! The MBR in front of a GPT: what it should say, what it says, and a hybrid's real entries.
//!
//! It should hold one inactive entry of type EE from sector 1 to the end of the disk, or to
//! 2³² − 1 sectors (UEFI specification 5.2.3). Everything else makes two systems see two tables.

use ioalign_core::{Remark, SectorSize, Severity};
use ioalign_core::{
    on_disk::{DosEntry, PROTECTIVE},
    rules,
};

use crate::tables::mbr::{entry, sector::BootRecord};
use crate::tables::{Partition, PartitionTable};

/// Whether there is a protective entry.
pub fn guards(boot: Option<&BootRecord>) -> bool {
    boot.is_some_and(|boot| boot.used().any(|entry| entry.kind == PROTECTIVE))
}

/// Says what is odd about the MBR in front of `table`, which covers `len` bytes.
pub fn judge(boot: Option<&BootRecord>, table: &mut PartitionTable, sector: SectorSize, len: u64) {
    let Some(boot) = boot.filter(|boot| guards(Some(boot))) else {
        table.remarks.push(unguarded());
        return;
    };
    let own: Vec<&DosEntry> = boot
        .used()
        .filter(|entry| entry.kind == PROTECTIVE)
        .collect();
    let real: Vec<&DosEntry> = boot
        .used()
        .filter(|entry| entry.kind != PROTECTIVE)
        .collect();
    if own.len() > 1 {
        let why = format!(
            "The MBR has {} protective entries instead of one.",
            own.len()
        );
        table
            .remarks
            .push(Remark::note(rules::PROTECTIVE_MBR_DOUBLE, why));
    }
    if let Some(entry) = own.first().filter(|_| real.is_empty() && own.len() == 1) {
        table.remarks.extend(extent(entry, sector, len));
    }
    if own.iter().any(|entry| entry.flags == 0x80) {
        let why =
            "The protective entry is marked active, which some firmware needs and some refuses.";
        table
            .remarks
            .push(Remark::note(rules::PROTECTIVE_MBR_ACTIVE, why));
    }
    hybrid(boot, &real, table, sector);
}

fn unguarded() -> Remark {
    Remark::new(
        rules::PROTECTIVE_MBR_MISSING,
        Severity::Broken,
        "There is no protective MBR before the GPT: Linux and Windows do not see its partitions.",
    )
    .advise("Let `sgdisk` or `gdisk` write a new protective MBR.")
}

/// Whether the entry reaches from sector 1 to the end.
fn extent(entry: &DosEntry, sector: SectorSize, len: u64) -> Option<Remark> {
    let unit = u64::from(sector.get());
    let rest = |unit: u64| (len / unit).saturating_sub(1).min(u64::from(u32::MAX));
    let size = u64::from(entry.count);
    if entry.start == 1 && (size == rest(unit) || entry.count == u32::MAX) {
        return None;
    }
    let other = [512, 4096]
        .into_iter()
        .find(|u| *u != unit && rest(*u) == size);
    let hint = other.map_or_else(String::new, |other| {
        format!(" It fits sectors of {other} bytes: the table was written for another disk.")
    });
    let why = format!(
        "The protective entry covers sectors {} to {} of {}.{hint}",
        entry.start,
        entry.end().saturating_sub(1),
        len / unit
    );
    Some(Remark::note(rules::PROTECTIVE_MBR_EXTENT, why))
}

fn hybrid(boot: &BootRecord, real: &[&DosEntry], table: &mut PartitionTable, sector: SectorSize) {
    if real.is_empty() {
        return;
    }
    let rivals: Vec<Partition> = real
        .iter()
        .map(|entry| entry::partition(boot, entry, sector))
        .collect();
    let strangers: Vec<String> = rivals
        .iter()
        .filter(|r| {
            !table
                .partitions
                .iter()
                .any(|p| (p.start, p.size) == (r.start, r.size))
        })
        .map(|r| r.number.to_string())
        .collect();
    let why = format!(
        "The MBR is hybrid: {} of its entries are real beside the protective one. Systems that \
         read the MBR see those, all others the GPT.",
        rivals.len()
    );
    table.remarks.push(Remark::note(rules::HYBRID_MBR, why));
    if !strangers.is_empty() {
        let why = format!(
            "MBR entries {} match no GPT partition: the two tables disagree.",
            strangers.join(", ")
        );
        table.remarks.push(Remark::new(
            rules::GPT_MBR_DISAGREE,
            Severity::DataRisk,
            why,
        ));
    }
    table.rivals = rivals;
}
