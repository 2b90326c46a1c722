//! Devices whose bytes could not be read: what stays unknown, and when that is everything.
//!
//! The kernel shows where partitions start to everybody: without root they are judged as well, and
//! only what is written on them stays unknown. That is a note where nothing worse can be hidden in it,
//! and `unknown` otherwise: whoever may read less never gets a better verdict.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::{Origin, Tier};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::remark::Remark;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;

/// What a device that could not be read may hide from the verdict.
enum Hides {
    /// Nothing: what there is starts where the kernel says, and is judged by that.
    Nothing,
    /// A table, a volume, a file system: how bad that is, the reader knows, who may have been refused
    /// or have been given nothing to read.
    Content,
}

/// What a reader says of a device that it could not read.
fn remark(layer: &Layer) -> Option<&Remark> {
    layer
        .remarks
        .iter()
        .find(|remark| remark.rule == rules::NOT_READABLE)
}

/// Why a device could not be read, if so.
pub(super) fn reason(layer: &Layer) -> Option<&str> {
    Some(&remark(layer)?.why)
}

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let judged = anything_judged(case);
    for (id, layer) in case.stack.layers() {
        let Some(remark) = remark(layer) else {
            continue;
        };
        if let Some((hides, why)) = unknown(case, id, layer, &remark.why) {
            let severity = match hides {
                Hides::Nothing if judged => Severity::Note,
                Hides::Content if judged => remark.severity,
                _ => Severity::Unknown,
            };
            let mut finding = Finding::new(rules::NOT_READABLE, severity, why).at(id);
            finding.steps.clone_from(&remark.advice);
            findings.push(finding);
        }
    }
    let said = findings.iter().any(|finding| {
        finding.severity == Severity::Unknown || finding.rule == rules::MOVE_IN_FLIGHT
    });
    if !judged && !said {
        findings.extend(nothing_judged(case));
    }
}

/// Whether the start of any data was compared with any grid that is believed.
pub(super) fn anything_judged(case: &StackCase<'_>) -> bool {
    case.data_leaves()
        .chain(case.databases())
        .any(|leaf| case.on_grids(leaf).next().is_some())
}

/// Facts that are missing because a device could not be read; `None` if they are known from
/// elsewhere, or do not matter.
fn unknown(case: &StackCase<'_>, id: LayerId, layer: &Layer, why: &str) -> Option<(Hides, String)> {
    let above = || case.stack.above(id).map(|above| case.stack.layer(above));
    let from_mount_table = |layer: &&Layer| {
        let filesystem = layer.detail.filesystem();
        filesystem.is_some_and(|filesystem| filesystem.from_mount_table)
    };
    if let Some(mounted) = above().find(from_mount_table) {
        let why = format!(
            "{} cannot be read ({why}): the mount table says that it holds {}, whose stripe geometry \
             stays unknown",
            case.subject(id),
            mounted.name
        );
        let hides = if starts_are_all(case, id) {
            Hides::Nothing
        } else {
            Hides::Content
        };
        return Some((hides, why));
    }
    if above().any(|above| above.kind == Kind::Database) {
        // The operator says what is on it.
        return None;
    }
    if above().all(|above| above.device_number.is_none()) {
        let hides = match layer.role {
            // The kernel lists what it pages to.
            Role::Swap => Hides::Nothing,
            _ => Hides::Content,
        };
        return layer
            .role
            .carries_data()
            .then(|| (hides, content(case, id, layer, why)));
    }
    (layer.kind == Kind::Disk && guessed_roles(case, id)).then(|| {
        let why = format!(
            "The partition table of {} cannot be read ({why}): what its partitions are for stays \
             unknown, so that even a boot loader area is judged as data",
            case.name(id)
        );
        (Hides::Nothing, why)
    })
}

/// Whether the start of a mounted device is all that could be wrong: its place is known, and nothing
/// below it has a geometry that its file system may have got wrong.
fn starts_are_all(case: &StackCase<'_>, id: LayerId) -> bool {
    let striped = case.grids_under(id).any(|grid| {
        grid.tier == Tier::Preference && grid.origin != Origin::Assumed && grid.trusted()
    });
    // What is mounted from the whole of a disk starts with it.
    let bottom = case.stack.layer(id).below.is_empty();
    !striped && (bottom || case.on_grids(id).next().is_some())
}

/// Whether a partition is taken for data only because nothing says what it is for.
fn guessed_roles(case: &StackCase<'_>, disk: LayerId) -> bool {
    case.stack.above(disk).any(|above| {
        let layer = case.stack.layer(above);
        layer.kind == Kind::Partition
            && layer.role == Role::Data
            && layer
                .detail
                .partition()
                .is_none_or(|partition| partition.type_id.is_none())
            && case.stack.is_leaf(above)
    })
}

fn content(case: &StackCase<'_>, id: LayerId, layer: &Layer, why: &str) -> String {
    let subject = case.subject(id);
    if layer.kind == Kind::Disk {
        return format!(
            "{subject} cannot be read ({why}): whether there is a partition table, a volume or a file \
             system on it stays unknown"
        );
    }
    let judged = if case.on_grids(id).next().is_some() {
        "; where it starts is judged all the same"
    } else {
        ""
    };
    format!("{subject} cannot be read ({why}): what is on it stays unknown{judged}")
}

/// No data are shown, or nothing leads from them to any grid. An empty table is an answer of its own.
fn nothing_judged(case: &StackCase<'_>) -> Option<Finding> {
    if let Some(leaf) = case.data_leaves().next() {
        let why = format!(
            "Nothing could be judged: where {} lies on the devices below is not known",
            case.name(leaf)
        );
        return Some(Finding::new(rules::NOTHING_JUDGED, Severity::Unknown, why).at(leaf));
    }
    let mut partitions = case
        .stack
        .layers()
        .filter(|(_, layer)| layer.kind == Kind::Partition);
    let (id, _) = partitions.next()?;
    let why = format!(
        "Nothing could be judged: {} holds no data, and nothing that does is shown",
        case.name(id)
    );
    Some(Finding::new(rules::NOTHING_JUDGED, Severity::Unknown, why).at(id))
}
