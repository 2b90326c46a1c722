//! One defect, one finding.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::judge::StackCase;
use crate::layer_id::LayerId;

/// Several volumes on one bad partition are one defect, not many.
pub(in crate::judge) fn same_cause(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let mut kept: Vec<Finding> = Vec::new();
    let mut more: Vec<Vec<LayerId>> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for finding in findings.drain(..) {
        let cause = (
            finding.guilty,
            (finding.grid, finding.unit),
            finding.offset,
            finding.severity,
        );
        let same = known.get(&cause).copied();
        if same.is_none() && finding.layer != finding.guilty {
            known.insert(cause, kept.len());
        }
        match (same, finding.layer) {
            (Some(index), Some(layer)) => more[index].push(layer),
            _ => {
                kept.push(finding);
                more.push(Vec::new());
            }
        }
    }
    for (finding, more) in kept.iter_mut().zip(more) {
        if !more.is_empty() {
            let names: Vec<_> = more.iter().take(4).map(|layer| case.name(*layer)).collect();
            let rest = more.len().saturating_sub(4);
            let rest = if rest > 0 {
                format!(" and {rest} more")
            } else {
                String::new()
            };
            finding
                .why
                .push_str(&format!("; so do {}{rest}", names.join(", ")));
        }
    }
    findings.extend(kept);
}
