//! Disks that `ioalign fix` is at work on.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const MOVE_IN_FLIGHT: &str = "move-in-flight";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Moves of partitions",
    rules: &[Rule {
        id: MOVE_IN_FLIGHT,
        severity: Severity::Broken,
        title: "Partitions of this disk are being moved",
        means: "The first sector holds the marker of `ioalign fix` in place of the partition table, \
        or a superblock is set aside in its journal: a move is running, or was interrupted.",
        costs: "Until the move has ended, parts of a partition lie in its old place and parts \
            in its new one. Nothing can be mounted, and any write to the disk is lost or \
            destroys moved data.",
        source: "docs/fix-method.md; the format of the marker is in crates/core/src/move_marker.rs.",
        fix: "Run `ioalign fix DISK --resume`, or --rollback, on the machine that has the journal: \
        the finding names both.",
        ignore: "Never: the contents can be read again only when the move has ended.",
    }],
};
