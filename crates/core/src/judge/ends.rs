//! Sizes and ends: what fails is often not the start.

use super::StackCase;
use crate::finding::{Finding, Suggestion};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;
use crate::units::{Bytes, SectorSize, Sectors};

/// LUKS2 with 4 KiB sectors, O_DIRECT on 4Kn and most hypervisors want this multiple.
const COMMON_UNIT: u64 = 4096;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case.stack.layers() {
        size_unit(case, id, layer, findings);
        if layer.kind == Kind::Partition && layer.role.carries_data() {
            partition_size(case, id, layer, findings);
            over_aligned(case, id, layer, findings);
        }
    }
}

/// A layer that does not open unless its size is a multiple (LUKS2 sector size).
fn size_unit(case: &StackCase<'_>, id: LayerId, layer: &Layer, findings: &mut Vec<Finding>) {
    let (Some(unit), Some(size)) = (layer.size_unit, layer.size) else {
        return;
    };
    if unit.is_zero() || size.is_multiple_of(unit) {
        return;
    }
    let over = size.get() % unit.get();
    let why = format!(
        "{} has {} B, {over} B more than a multiple of its {unit} sectors: it cannot be opened \
         (\"Device size is not aligned to requested sector size\")",
        case.subject(id),
        size.get()
    );
    let mut finding = Finding::new(rules::SIZE_NOT_SECTOR_MULTIPLE, Severity::Broken, why).at(id);
    finding.unit = Some(unit);
    finding.offset = Some(Bytes::new(over));
    finding.suggest.size = size.checked_sub(Bytes::new(over));
    finding.fixable_in_place = Some(true);
    findings.push(finding.step("cut the partition below it to a multiple of that size"));
}

fn partition_size(case: &StackCase<'_>, id: LayerId, layer: &Layer, findings: &mut Vec<Finding>) {
    // Swap uses whole pages for any size.
    let Some(size) = layer.size.filter(|_| layer.role != Role::Swap) else {
        return;
    };
    let over = size.get() % COMMON_UNIT;
    if over == 0 {
        return;
    }
    let fits = Bytes::new(size.get() - over);
    let sector = layer.start_sectors.map_or(SectorSize::S512, Sectors::size);
    let why = format!(
        "{} has {} sectors, {over} B more than a multiple of 4 KiB: encryption with 4 KiB sectors \
         (LUKS2 by default on 4 KiB disks) and direct I/O in units of 4 KiB cannot use the tail",
        case.subject(id),
        size.get() / u64::from(sector.get()),
    );
    let mut finding = Finding::new(rules::SIZE_NOT_MULTIPLE, Severity::Note, why).at(id);
    finding.unit = Some(Bytes::new(COMMON_UNIT));
    finding.offset = Some(Bytes::new(over));
    finding.suggest = Suggestion {
        size: Some(fits),
        ..Suggestion::default()
    };
    finding.fixable_in_place = Some(true);
    findings.push(finding.step(format!(
        "end it {} earlier: size {} sectors",
        counted(over / u64::from(sector.get())),
        fits.get() / u64::from(sector.get())
    )));
}

fn counted(sectors: u64) -> String {
    match sectors {
        1 => "1 sector".to_owned(),
        n => format!("{n} sectors"),
    }
}

/// 2048 sectors are 1 MiB on 512-byte disks and 8 MiB on 4Kn: right, and more than was meant.
fn over_aligned(case: &StackCase<'_>, id: LayerId, layer: &Layer, findings: &mut Vec<Finding>) {
    let Some(start) = layer.start_sectors else {
        return;
    };
    if start.size() <= SectorSize::S512 || start.count() != 2048 {
        return;
    }
    let why = format!(
        "{} starts at sector 2048 of {} B = {}: aligned, only more than the 1 MiB that was probably \
         meant",
        case.subject(id),
        start.size().get(),
        start.bytes()
    );
    findings.push(Finding::new(rules::OVER_ALIGNED, Severity::Note, why).at(id));
}
