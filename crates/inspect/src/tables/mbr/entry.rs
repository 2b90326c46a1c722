//! An entry of an MBR or EBR as a partition.

use ioalign_core::on_disk::{DosEntry, PROTECTIVE};
use ioalign_core::{Bytes, Remark, Role, SectorSize, rules};

use super::sector::BootRecord;
use super::types;
use crate::tables::Partition;
use crate::view::View;

/// The track that DOS left free and boot loaders embed themselves in: sectors 1 to 62.
const GAP_SECTORS: u32 = 63;
/// Whether the disk obeys an MBR whose entries are real, not the protective one of a GPT.
pub(in crate::tables) fn rules(view: &View, boot: &BootRecord, nested: bool) -> bool {
    boot.is_table(view.len() / 512, nested) && boot.used().all(|entry| entry.kind != PROTECTIVE)
}

/// An entry as a partition; 32-bit sector numbers times a sector always fit in 64 bits.
pub(in crate::tables) fn partition(
    boot: &BootRecord,
    entry: &DosEntry,
    unit: SectorSize,
) -> Partition {
    let number = u32::from(entry.slot) + 1;
    let mut found = from_entry(entry, number, 0, unit);
    found.uuid = uuid(boot, number);
    found.entry_at = Bytes::new(DosEntry::at(entry.slot) as u64);
    found.remarks.extend(start_remark(entry, number, unit));
    found
}

/// An entry whose start counts from sector `base`.
pub(in crate::tables) fn from_entry(
    entry: &DosEntry,
    number: u32,
    base: u64,
    unit: SectorSize,
) -> Partition {
    let bytes = |sectors: u64| Bytes::new(sectors.saturating_mul(u64::from(unit.get())));
    Partition {
        number,
        type_id: format!("{:02x}", entry.kind),
        type_name: types::name(entry.kind),
        role: types::role(entry.kind),
        start: bytes(base.saturating_add(u64::from(entry.start))),
        size: bytes(u64::from(entry.count)),
        active: entry.flags == 0x80,
        ..Partition::default()
    }
}

pub(super) fn uuid(boot: &BootRecord, number: u32) -> String {
    match boot.signature() {
        0 => String::new(),
        id => format!("{id:08x}-{number:02x}"),
    }
}

fn start_remark(entry: &DosEntry, number: u32, unit: SectorSize) -> Option<Remark> {
    let data = !matches!(types::role(entry.kind), Role::Extended | Role::Protective);
    match entry.start {
        0 => Some(Remark::note(
            rules::PARTITION_COVERS_TABLE,
            format!("Partition {number} starts at sector 0 and so contains the table itself."),
        )),
        start if data && unit == SectorSize::S512 && start < GAP_SECTORS => Some(
            Remark::note(
                rules::START_IN_MBR_GAP,
                format!(
                    "Partition {number} starts at sector {start}, inside the gap of \
                     {GAP_SECTORS} sectors where boot loaders embed themselves."
                ),
            )
            .advise("Start it at sector 2048 (1 MiB)."),
        ),
        _ => None,
    }
}
