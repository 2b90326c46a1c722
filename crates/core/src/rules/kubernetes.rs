//! Storage classes of Kubernetes, before the first volume is made.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const STORAGE_CLASS_OFF_GRID: &str = "storage-class-off-grid";
pub const STORAGE_CLASS_REFUSED: &str = "storage-class-refused";
pub const STORAGE_CLASS_UNKNOWN: &str = "storage-class-unknown";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Storage classes of Kubernetes",
    rules: &[
        Rule {
            id: STORAGE_CLASS_OFF_GRID,
            severity: Severity::Suboptimal,
            title: "Sizes in a storage class that do not line up",
            means: "Two sizes of the class are no multiples of each other: the stripe unit of mkfs and the unit of \
            the volume, or a stripe unit and 4096 bytes.",
            costs: "Allocations begin inside units and I/O crosses them; no volume of the class can be changed later.",
            source: "mkfs.xfs(8), mke2fs(8); the parameters of the drivers are cited in docs/fleet.md.",
            fix: "Change the options in a new class, before the first volume is made.",
            ignore: "When the volumes are raw block devices and nothing is made with these options.",
        },
        Rule {
            id: STORAGE_CLASS_REFUSED,
            severity: Severity::Broken,
            title: "A storage class whose volumes cannot be made or mounted",
            means: "The driver, or the mkfs that it calls, refuses a parameter: a size out of range, a stripe width that \
            is no multiple of its unit, blocks smaller than the sectors.",
            costs: "Claims stay pending, or pods wait for a mount that fails; the message is in an event of the pod.",
            source: "mkfs.xfs(8), mke2fs(8), lvmthin(7), rbd(8); the parameters of the drivers are cited in docs/fleet.md.",
            fix: "Change the parameter in a new class: those of a class are immutable.",
            ignore: "Never before the class is used.",
        },
        Rule {
            id: STORAGE_CLASS_UNKNOWN,
            severity: Severity::Unknown,
            title: "A storage class whose unit is not in it",
            means: "The driver makes its volumes on disks, pools or arrays of the nodes, or its rule is not published: what \
            has to line up is not in the class.",
            costs: "Nothing is known: the volumes may be aligned or not.",
            source: "The parameters of the drivers are cited in docs/fleet.md.",
            fix: "Run ioalign capture on a node and check the file beside the manifests, or check a volume on its node.",
            ignore: "When a volume of the class was checked on its node.",
        },
    ],
};
