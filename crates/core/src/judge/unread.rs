//! Devices whose bytes could not be read: what stays unknown, and when that is everything.
//!
//! The kernel shows where partitions start to everybody: without root they are judged as well, and
//! only what is written on them stays unknown.

use super::StackCase;
use crate::finding::Finding;
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;

/// The fact that every block device of a host has.
const DEVICE: &str = "device-number";

/// Why a device could not be read, if so: what follows from that remark of a reader is a finding of this module.
pub(super) fn reason(layer: &Layer) -> Option<&str> {
    let remark = layer
        .remarks
        .iter()
        .find(|remark| remark.rule == rules::NOT_READABLE)?;
    Some(&remark.why)
}

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let judged = anything_judged(case);
    let severity = if judged {
        Severity::Note
    } else {
        Severity::Unknown
    };
    for (id, layer) in case.stack.layers() {
        let why = reason(layer).and_then(|why| unknown(case, id, layer, why));
        if let Some(why) = why {
            let finding = Finding::new(rules::NOT_READABLE, severity, why).at(id);
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
fn anything_judged(case: &StackCase<'_>) -> bool {
    case.data_leaves()
        .chain(case.databases())
        .any(|leaf| case.on_grids(leaf).next().is_some())
}

/// Facts that are missing because a device could not be read; `None` if they are known from
/// elsewhere, or do not matter.
fn unknown(case: &StackCase<'_>, id: LayerId, layer: &Layer, why: &str) -> Option<String> {
    let above = || case.stack.above(id).map(|above| case.stack.layer(above));
    if let Some(mounted) = above().find(|above| above.facts.contains_key("known-from")) {
        return Some(format!(
            "{} cannot be read ({why}): the mount table says that it holds {}, whose stripe geometry \
             stays unknown",
            case.subject(id),
            mounted.name
        ));
    }
    if above().any(|above| above.kind == Kind::Database) {
        // The operator says what is on it.
        return None;
    }
    if above().all(|above| !above.facts.contains_key(DEVICE)) {
        return layer
            .role
            .carries_data()
            .then(|| content(case, id, layer, why));
    }
    (layer.kind == Kind::Disk && guessed_roles(case, id)).then(|| {
        format!(
            "The partition table of {} cannot be read ({why}): what its partitions are for stays \
             unknown, so that even a boot loader area is judged as data",
            case.name(id)
        )
    })
}

/// Whether a partition is taken for data only because nothing says what it is for.
fn guessed_roles(case: &StackCase<'_>, disk: LayerId) -> bool {
    case.stack.above(disk).any(|above| {
        let layer = case.stack.layer(above);
        layer.kind == Kind::Partition
            && layer.role == Role::Data
            && !layer.facts.contains_key("type")
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

/// Data are there, and nothing leads from them to any grid.
fn nothing_judged(case: &StackCase<'_>) -> Option<Finding> {
    let leaf = case.data_leaves().next()?;
    let why = format!(
        "Nothing could be judged: where {} lies on the devices below is not known",
        case.name(leaf)
    );
    Some(Finding::new(rules::NOTHING_JUDGED, Severity::Unknown, why).at(leaf))
}
