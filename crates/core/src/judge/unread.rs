//! Devices whose bytes could not be read: what stays unknown, and when that is everything.
//!
//! The kernel shows where partitions start to everybody: without root they are judged as well, and
//! only what is written on them stays unknown.

use super::{Case, capitalised};
use crate::finding::{Finding, Severity};
use crate::layer::{Kind, Layer, LayerId};

/// The fact that every block device of a host has.
const DEVICE: &str = "device-number";
/// The fact by which a reader says that it could not open a device, with the reason.
pub(super) const FACT: &str = "not-readable";

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let judged = anything_judged(case);
    let severity = if judged {
        Severity::Note
    } else {
        Severity::Unknown
    };
    let first = findings.len();
    for (id, layer) in case.stack.layers() {
        let why = layer.facts.get(FACT);
        if let Some(why) = why.and_then(|why| unknown(case, id, layer, why)) {
            let finding = Finding::new("not-readable", severity, why).at(id);
            findings.push(finding);
        }
    }
    if !judged && findings.len() == first {
        findings.extend(nothing_judged(case));
    }
}

/// Whether the start of any data was compared with any grid that is believed.
fn anything_judged(case: &Case<'_>) -> bool {
    case.data_leaves()
        .chain(case.databases())
        .any(|leaf| case.on_grids(leaf).next().is_some())
}

/// What is not known of a device for want of its bytes; `None` where the kernel tells it all.
fn unknown(case: &Case<'_>, id: LayerId, layer: &Layer, why: &str) -> Option<String> {
    let name = case.name(id);
    let above = || case.stack.above(id).map(|above| case.stack.layer(above));
    let devices = || above().filter(|above| above.facts.contains_key(DEVICE));
    if let Some(mounted) = above().find(|above| above.facts.contains_key("known-from")) {
        return Some(format!(
            "{} cannot be read ({why}): that {} is on it is known from the mount table, what it was \
             told of the disks below stays unknown",
            capitalised(&name),
            mounted.name
        ));
    }
    if devices().next().is_none() {
        return Some(content(case, id, layer, why));
    }
    let untyped =
        devices().any(|above| above.kind == Kind::Partition && !above.facts.contains_key("type"));
    (layer.kind == Kind::Disk && untyped).then(|| {
        format!(
            "The partition table of {name} cannot be read ({why}): what its partitions are for stays \
             unknown, so that even a boot loader area is judged as data"
        )
    })
}

fn content(case: &Case<'_>, id: LayerId, layer: &Layer, why: &str) -> String {
    let disk = layer.kind == Kind::Disk;
    let what = if disk {
        "a partition table, a volume or a file system"
    } else {
        "a volume or a file system"
    };
    let judged = if case.on_grids(id).next().is_some() && !disk {
        "; where it starts is judged all the same"
    } else {
        ""
    };
    format!(
        "{} cannot be read ({why}): whether it holds {what}, and in which units that works, stays \
         unknown{judged}",
        capitalised(&case.name(id))
    )
}

/// Data are there, and nothing leads from them to any grid.
fn nothing_judged(case: &Case<'_>) -> Option<Finding> {
    let leaf = case.data_leaves().next()?;
    let why = format!(
        "Nothing could be judged: where {} lies on the devices below is not known",
        case.name(leaf)
    );
    Some(Finding::new("nothing-judged", Severity::Unknown, why).at(leaf))
}
