//! DOS partition table: the MBR in sector 0, with logical partitions behind it.
//!
//! Layout as written by DOS, fdisk and Windows; read as the kernel's `block/partitions/msdos.c`
//! reads it. Numbers count logical sectors of the disk, 512 bytes unless something says otherwise.

use ioalign_core::{Remark, Role, SectorSize, Severity, TableKind};
use ioalign_core::{
    on_disk::{DosEntry, PROTECTIVE},
    rules,
};

use super::{Context, Partition, PartitionTable, checks, ebr, gpt, vtoc_x86};
use crate::error::Result;
use crate::view::View;
use entry::{partition, uuid};
use sector::BootRecord;

pub(super) mod entry;
pub(super) mod sector;
pub(super) mod types;
mod unit;

/// The first logical partition.
const FIRST_LOGICAL: u32 = 5;

/// Reads a DOS partition table.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    let Some(boot) = BootRecord::read(view, 0)? else {
        return Ok(None);
    };
    let nested = context.parent_type.is_some();
    let unit = match context.sector {
        Some(unit) => unit,
        None => unit::detect(view, &boot)?,
    };
    let sectors = view.len() / u64::from(unit.get());
    if boot.is_table(sectors, nested) {
        return read(view, context, &boot, unit).map(Some);
    }
    Ok((!nested && boot.is_blank_table()).then(|| new_table(&boot, unit)))
}

fn new_table(boot: &BootRecord, unit: SectorSize) -> PartitionTable {
    PartitionTable {
        kind: TableKind::Dos,
        sector: Some(unit),
        first_usable: Some(unit.bytes()),
        id: format!("{:08x}", boot.signature()),
        ..PartitionTable::default()
    }
}

fn read(
    view: &View,
    context: &Context,
    boot: &BootRecord,
    unit: SectorSize,
) -> Result<PartitionTable> {
    let mut table = new_table(boot, unit);
    for entry in boot.used() {
        let mut found = partition(boot, entry, unit);
        solaris(view, entry, unit, &mut found)?;
        table.partitions.push(found);
    }
    let mut number = FIRST_LOGICAL;
    for entry in boot.used().filter(|entry| entry.is_extended()) {
        number = ebr::walk(view, unit, entry, number, &mut table)?;
    }
    for logical in table.partitions.iter_mut().filter(|p| p.inside.is_some()) {
        logical.uuid = uuid(boot, logical.number);
    }
    if context.sector.is_some() {
        let other = unit::foreign(view, boot, unit)?;
        table
            .remarks
            .extend(other.map(|other| elsewhere(other, unit)));
    }
    beside_gpt(view, context, boot, &mut table)?;
    checks::run(&mut table, view.len(), Severity::Broken);
    checks::order(&mut table);
    Ok(table)
}

/// 0x82 was Solaris before it was Linux swap: the label inside decides.
fn solaris(view: &View, entry: &DosEntry, unit: SectorSize, found: &mut Partition) -> Result<()> {
    if entry.kind == 0x82 {
        let inside = view.sub(found.start.get(), found.size.get());
        if vtoc_x86::is_here(&inside, unit)? {
            found.type_name = "Solaris";
            found.role = Role::Data;
        }
    }
    Ok(())
}

/// What a GPT beside this table means. The GPT reader comes first and leaves two cases: real
/// entries that systems obey instead, and a protective entry without a readable GPT.
fn beside_gpt(
    view: &View,
    context: &Context,
    boot: &BootRecord,
    table: &mut PartitionTable,
) -> Result<()> {
    let guarded = boot.used().any(|entry| entry.kind == PROTECTIVE);
    let found = gpt::glance(view)?;
    table
        .remarks
        .extend(match (guarded, found, context.sector) {
            (true, Some((size, _)), Some(unit)) => Some(foreign(size, unit)),
            (true, _, _) => Some(Remark::new(
                rules::GPT_MISSING,
                Severity::Broken,
                "The MBR protects a GPT, but no GPT header is found.",
            )),
            (false, Some((size, count)), _) => Some(rival(size, count)),
            (false, None, _) => None,
        });
    Ok(())
}

fn elsewhere(other: SectorSize, unit: SectorSize) -> Remark {
    let why = format!(
        "Nothing is found where the entries point with sectors of {} bytes, but with sectors of \
         {}: the table was written for another disk.",
        unit.get(),
        other.get()
    );
    Remark::new(rules::DOS_FOREIGN_SECTOR, Severity::Broken, why)
}

fn foreign(found: SectorSize, unit: SectorSize) -> Remark {
    Remark::new(
        rules::GPT_FOREIGN_SECTOR,
        Severity::Broken,
        format!(
            "A GPT header lies at byte {}: it was written for sectors of {} bytes and is not \
             found on a disk with sectors of {} bytes.",
            found.get(),
            found.get(),
            unit.get()
        ),
    )
}

fn rival(found: SectorSize, count: usize) -> Remark {
    let severity = if count == 0 {
        Severity::Note
    } else {
        Severity::DataRisk
    };
    let why = format!(
        "A GPT with {count} partitions lies at byte {} beside an MBR that does not protect it: \
         the MBR is obeyed, tools that prefer the GPT see something else.",
        found.get()
    );
    Remark::new(rules::GPT_BESIDE_MBR, severity, why)
        .advise("Remove the one that is not meant: `sgdisk --zap` or a new protective MBR.")
}
