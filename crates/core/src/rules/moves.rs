//! Disks that `ioalign fix` is at work on.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const MOVE_IN_FLIGHT: &str = "move-in-flight";
pub const FIX_MEMBER_OF: &str = "fix-member-of";
pub const FIX_CONTENT_PAST_END: &str = "fix-content-past-end";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Moves of partitions",
    rules: &[
        Rule {
            id: FIX_MEMBER_OF,
            severity: Severity::Unknown,
            title: "A disk that belongs to something else besides its partitions",
            means: "`ioalign fix` refuses to move partitions: a superblock or signature says that the whole disk \
        is a member of an array, a volume, a pool or a firmware RAID set, or holds a file system under its \
        table. All that `wipefs` and `blkid` know is looked for, at the start and at the end.",
            costs: "Nothing was written. Partitions that are moved on one member of an array differ from those on \
        the others, and a file system over the whole disk is destroyed by any move.",
            source: "Linux md, DRBD, LVM and others keep the table of what they hold in the first sector of a member; \
        mdadm(8), wipefs(8).",
            fix: "Fix the array or volume itself (`ioalign fix /dev/md0`). If the signature is left from an \
        older life of the disk, the message names the `wipefs` call that takes it away, and keeps a backup in \
        the home folder.",
            ignore: "Never: whether a signature is stale is for a person to decide.",
        },
        Rule {
            id: FIX_CONTENT_PAST_END,
            severity: Severity::DataRisk,
            title: "Contents that are longer than their partition",
            means: "`ioalign fix` refuses to move a partition: the file system, swap space, physical volume, array \
        member or encrypted volume in it says that it is longer than the partition.",
            costs: "Nothing was written. A move takes along what the table says: the rest would stay behind and \
        be overwritten.",
            source: "Superblocks of ext4, XFS, btrfs, NTFS, FAT, exFAT and others, headers of LVM, md and LUKS.",
            fix: "`ioalign fix DISK --enlarge-partition N` makes the partition as long as its contents where \
        the space behind it is free. Where it is not, restore the table from a backup, or save the data.",
            ignore: "Never.",
        },
        Rule {
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
        },
    ],
};
