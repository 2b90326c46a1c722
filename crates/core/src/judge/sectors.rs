//! Logical sectors: a table or file system written for another size is not found, or not mounted.

use std::collections::BTreeSet;

use super::{JudgeOptions, StackCase};
use crate::finding::Finding;
use crate::layer::detail::{FileSystemFormat, TableKind};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

pub(super) fn judge(case: &StackCase<'_>, options: &JudgeOptions, findings: &mut Vec<Finding>) {
    let target = options.target_logical.map(|size| size.bytes());
    for (id, layer) in case.stack.layers() {
        let Some(actual) = target.or_else(|| shown_below(case, id)) else {
            continue;
        };
        if let Some(wanted) = layer.wants_sector {
            written_for(case, id, layer, wanted, actual, findings);
            findings.extend(esp_sector(case, id, layer, wanted, actual));
        }
        if target.is_some() && layer.kind == Kind::Partition {
            start_fits(case, id, layer, actual, findings);
            findings.extend(end_fits(case, id, layer, actual));
        }
    }
}

/// The logical sector that the layer finds below itself; a disk's own.
fn shown_below(case: &StackCase<'_>, id: LayerId) -> Option<Bytes> {
    // Each layer once: a mirror of mirrors has more ways down than layers.
    let (mut shown, mut seen, mut pending) = (None, BTreeSet::new(), vec![id]);
    while let Some(id) = pending.pop() {
        let layer = case.stack.layer(id);
        if layer.kind == Kind::Disk {
            shown = shown.max(layer.logical_sector);
            continue;
        }
        for below in layer.below.iter().map(|edge| edge.below) {
            match case.stack.layer(below).logical_sector {
                Some(sector) => shown = shown.max(Some(sector)),
                None if seen.insert(below) => pending.push(below),
                None => {}
            }
        }
    }
    shown
}

fn written_for(
    case: &StackCase<'_>,
    id: LayerId,
    layer: &Layer,
    wanted: Bytes,
    actual: Bytes,
    findings: &mut Vec<Finding>,
) {
    let table = layer.kind == Kind::Disk;
    // A file system with larger sectors than the disk's works; a table is looked for at one place.
    let works = if table {
        wanted == actual || layer.also_serves.contains(&actual)
    } else {
        wanted >= actual
    };
    if works {
        return;
    }
    let (rule, what, effect) = if table {
        let kind = match layer.table {
            Some(TableKind::Gpt) => "GUID partition table",
            Some(TableKind::Dos) => "DOS partition table",
            _ => "partition table",
        };
        (
            rules::TABLE_SECTOR_MISMATCH,
            format!("The {kind} of {}", layer.name),
            "is not found",
        )
    } else {
        (
            rules::FS_SECTOR_MISMATCH,
            case.subject(id),
            "cannot be mounted",
        )
    };
    let why = format!(
        "{what} is written for {wanted} sectors and {effect} on a disk with {actual} logical sectors"
    );
    let mut finding = Finding::new(rule, Severity::Broken, why).at(id);
    finding.unit = Some(actual);
    finding.fixable_in_place = Some(false);
    findings.push(finding.step(remedy(layer, actual)));
}

fn remedy(layer: &Layer, actual: Bytes) -> String {
    let bytes = actual.get();
    if layer.kind == Kind::Disk {
        format!(
            "write a new table for {bytes} B sectors: starts that are multiples of {actual} convert"
        )
    } else if is_fat(layer) {
        format!("create it again with mkfs.fat -S {bytes} and copy the files")
    } else {
        format!("create the file system again with {bytes} B sectors")
    }
}

fn is_fat(layer: &Layer) -> bool {
    layer.filesystem_format() == Some(FileSystemFormat::Fat)
}

/// FAT with sectors larger than the disk's: Linux and EDK II read it, U-Boot wants equal ones.
fn esp_sector(
    case: &StackCase<'_>,
    id: LayerId,
    layer: &Layer,
    wanted: Bytes,
    actual: Bytes,
) -> Option<Finding> {
    if wanted <= actual || layer.role != Role::Esp || !is_fat(layer) {
        return None;
    }
    let why = format!(
        "{} has {wanted} sectors on a disk with {actual} logical sectors: Linux and EDK II read it, \
         U-Boot refuses it (\"FAT sector size mismatch\")",
        case.subject(id)
    );
    let mut finding = Finding::new(rules::ESP_SECTOR_MISMATCH, Severity::Note, why).at(id);
    finding.unit = Some(actual);
    Some(finding.step(remedy(layer, actual)))
}

/// Whether a table for the target could keep this start at all.
fn start_fits(
    case: &StackCase<'_>,
    id: LayerId,
    layer: &Layer,
    target: Bytes,
    findings: &mut Vec<Finding>,
) {
    let start = layer.below.first().and_then(|edge| edge.map.start());
    let Some(start) = start.filter(|start| !start.is_multiple_of(target)) else {
        return;
    };
    let why = format!(
        "{} starts at byte {}, between two {target} sectors: no table can express that on the target",
        case.name(id),
        start.get()
    );
    let mut finding = Finding::new(rules::START_NOT_ON_TARGET_SECTOR, Severity::Broken, why).at(id);
    finding.unit = Some(target);
    finding.offset = Some(Bytes::new(start.get() % target.get()));
    findings.push(finding);
}

/// Whether a table for the target could keep this end, and what lies behind the last whole sector.
fn end_fits(case: &StackCase<'_>, id: LayerId, layer: &Layer, target: Bytes) -> Option<Finding> {
    let start = layer.below.first().and_then(|edge| edge.map.start())?;
    let size = layer.size.filter(|_| start.is_multiple_of(target))?;
    let over = size
        .get()
        .checked_rem(target.get())
        .filter(|over| *over != 0)?;
    let kept = size.checked_sub(Bytes::new(over))?;
    let lost = case
        .stack
        .above(id)
        .find(|above| reaches_past(case, *above, kept));
    let (severity, effect) = match lost {
        Some(lost) => (
            Severity::DataRisk,
            format!("{} needs them", case.name(lost)),
        ),
        None => (
            Severity::Note,
            "nothing that is known lies there".to_owned(),
        ),
    };
    let why = format!(
        "{} ends {over} B past a {target} sector: a table for the target ends it before them, and {effect}",
        case.subject(id)
    );
    let mut finding = Finding::new(rules::END_NOT_ON_TARGET_SECTOR, severity, why).at(id);
    finding.unit = Some(target);
    finding.offset = Some(Bytes::new(over));
    finding.suggest.size = Some(kept);
    Some(finding.step(format!(
        "end it at a multiple of {target}: size {} B",
        kept.get()
    )))
}

/// Whether what lies on a partition needs more than its first `kept` bytes.
fn reaches_past(case: &StackCase<'_>, above: LayerId, kept: Bytes) -> bool {
    let layer = case.stack.layer(above);
    let start = layer.below.first().and_then(|edge| edge.map.start());
    let end = start
        .unwrap_or_default()
        .checked_add(layer.size.unwrap_or_default());
    end.is_none_or(|end| end > kept)
}
