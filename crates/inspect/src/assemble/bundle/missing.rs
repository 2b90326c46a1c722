//! Facts that a bundle lacks, and the files that would have them.
//!
//! A stack with a part that has no place must not end as `ok` because another part does.

use ioalign_core::{LayerId, Map, Remark, Severity, Stack, rules};

use super::kind::BundleKind;

/// Names that are shown.
const SHOWN: usize = 4;

/// Adds one remark about what is missing.
pub(super) fn say(kind: BundleKind, stack: &mut Stack) {
    let kind = kind.name();
    let what = match unplaced(stack) {
        Some((names, why)) => {
            let list = shown(&names);
            format!("This {kind} does not contain the place of {list}: {why}")
        }
        None if stack.layers().all(|(_, layer)| layer.below.is_empty()) => {
            let disks = stack.layers().filter(|(_, layer)| layer.size.is_some());
            let disks = if disks.count() == 0 {
                "no disk and "
            } else {
                ""
            };
            format!("This {kind} lists {disks}nothing that lies on a disk")
        }
        None => return,
    };
    let remark = Remark::new(rules::BUNDLE_INCOMPLETE, Severity::Unknown, what).advise(
        "ask for the output of: fdisk -l, blockdev --report, parted DISK unit s print, or lsblk -O -P \
         of util-linux 2.38 (START)",
    );
    let remark = remark.advise("or for a capture of the host itself");
    stack.layer_mut(LayerId(0)).remarks.push(remark);
}

fn shown(names: &[String]) -> String {
    let list = names.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", list.join(", "))
}

/// The layers of data that are not placed, and the first reason.
fn unplaced(stack: &Stack) -> Option<(Vec<String>, String)> {
    let mut names = Vec::new();
    let mut first = None;
    for (_, layer) in stack
        .layers()
        .filter(|(_, layer)| layer.role.carries_data())
    {
        let reason = layer.below.iter().find_map(|edge| match &edge.map {
            Map::Opaque(why) if why.contains("missing") => Some(why),
            _ => None,
        });
        if let Some(why) = reason {
            names.push(layer.name.clone());
            first.get_or_insert_with(|| why.clone());
        }
    }
    first.map(|why| (names, why))
}
