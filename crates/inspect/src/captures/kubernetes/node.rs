//! What a node says beside a class: Longhorn's v2 engine and disks with large sectors.

use ioalign_core::{Remark, Severity, rules};

use super::drivers::LONGHORN_V2;
use crate::captures::{Said, TextEvidence};

/// Compares classes with the disks of the nodes among the texts, once all are read.
pub(crate) fn join(evidence: &mut TextEvidence) {
    let sectors: Vec<_> = evidence
        .devices
        .iter()
        .filter(|said| said.parents.is_empty() && !is_class(said))
        .filter_map(|said| Some((said.name.clone(), said.claims.as_ref()?.logical?)))
        .collect();
    if sectors.is_empty() {
        return;
    }
    let large = sectors.iter().find(|(_, sector)| *sector > 512);
    for class in evidence.devices.iter_mut().filter(|said| is_class(said)) {
        if !class
            .facts
            .iter()
            .any(|(name, value)| *name == "engine" && value == LONGHORN_V2)
        {
            continue;
        }
        class
            .remarks
            .retain(|remark| remark.rule != rules::STORAGE_CLASS_UNKNOWN);
        if let Some((disk, sector)) = large {
            let why = format!(
                "The v2 engine of Longhorn opens disks with 512-byte blocks, and {disk} of the node has sectors of {sector} B: \
                 it is refused (longhorn#14094)"
            );
            let advice =
                "Give the v2 engine disks with 512-byte sectors, or use the v1 engine on these";
            class.remarks.push(
                Remark::new(rules::STORAGE_CLASS_REFUSED, Severity::Broken, why).advise(advice),
            );
        }
    }
}

fn is_class(said: &Said) -> bool {
    said.name.starts_with("storageclass/") || said.name.starts_with("persistentvolume/")
}
