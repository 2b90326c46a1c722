//! Remarks of the readers, as findings; a note that is the same on many disks is given once.

use std::collections::BTreeMap;

use super::StackCase;
use crate::finding::Finding;
use crate::layer_id::LayerId;
use crate::remark::Remark;
use crate::rules;
use crate::severity::Severity;

pub(super) fn collect(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    // The first layer with a note, and the other layers with the same words.
    let mut notes: BTreeMap<(&str, String), (usize, Vec<LayerId>)> = BTreeMap::new();
    for (id, layer) in case.stack.layers() {
        for remark in &layer.remarks {
            if !is_reported(case, id, remark) {
                continue;
            }
            if remark.severity == Severity::Note {
                let key = (remark.rule, remark.sentence());
                if let Some((_, more)) = notes.get_mut(&key) {
                    more.push(id);
                    continue;
                }
                notes.insert(key, (findings.len(), Vec::new()));
            }
            findings.push(finding(remark).at(id));
        }
    }
    for (index, more) in notes.into_values().filter(|(_, more)| !more.is_empty()) {
        if let Some(finding) = findings.get_mut(index) {
            let names: Vec<_> = more.iter().map(|id| case.name(*id)).collect();
            let names = names.join(", ");
            finding
                .why
                .push_str(&format!("; the same holds for {names}"));
        }
    }
}

/// Whether a remark is a finding as it stands.
fn is_reported(case: &StackCase<'_>, id: LayerId, remark: &Remark) -> bool {
    match remark.rule {
        // Its consequences are reported elsewhere.
        rules::NOT_READABLE => false,
        // Nobody makes a file system where something is.
        rules::MKFS_XFS_REFUSES => case.stack.is_leaf(id),
        _ => true,
    }
}

fn finding(remark: &Remark) -> Finding {
    let mut finding = Finding::new(remark.rule, remark.severity, remark.sentence());
    finding.steps.clone_from(&remark.advice);
    finding.suggest.size = remark.room;
    finding
}
