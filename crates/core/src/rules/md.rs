//! RAID superblocks of Linux md.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const MD_CHECKSUM: &str = "md-checksum";
pub const MD_DATA_PAST_END: &str = "md-data-past-end";
pub const MD_SEVERAL_SUPERBLOCKS: &str = "md-several-superblocks";
pub const MD_RESHAPE: &str = "md-reshape";
pub const MD_DEGRADED: &str = "md-degraded";
pub const MD_DATA_OFFSETS_DIFFER: &str = "md-data-offsets-differ";
pub const MD_LAYOUT_UNKNOWN: &str = "md-layout-unknown";
pub const MD_LEVEL_UNKNOWN: &str = "md-level-unknown";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Linux md",
    rules: &[
        Rule {
            id: MD_CHECKSUM,
            severity: Severity::Broken,
            title: "An md superblock with a wrong checksum",
            means: "The superblock is there, but its checksum is wrong.",
            costs: "The kernel does not take the member.",
            source: "Linux drivers/md/md.c calc_sb_1_csum, calc_sb_csum.",
            fix: "Assemble the array without it, then add it again.",
            ignore: "When it is a remnant of an older array.",
        },
        Rule {
            id: MD_DATA_PAST_END,
            severity: Severity::Broken,
            title: "md data that reach past the device",
            means: "Data offset and size of this member end behind the device or its superblock.",
            costs: "The member is refused, or the array's end fails.",
            source: "Linux drivers/md/md.c super_1_load.",
            fix: "Restore the member's size; the device was shrunk or the image cut off.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: MD_SEVERAL_SUPERBLOCKS,
            severity: Severity::Note,
            title: "Several md superblocks on one device",
            means: "Superblocks of different versions lie at different places; the newest is \
            taken.",
            costs: "A system may assemble the old array instead.",
            source: "md(4): 0.90 and 1.0 at the end, 1.1 at the start, 1.2 at 4 KiB.",
            fix: "mdadm --zero-superblock --metadata=VERSION on the stale one.",
            ignore: "Never for long.",
        },
        Rule {
            id: MD_RESHAPE,
            severity: Severity::Note,
            title: "A reshape in progress",
            means: "The array is being changed to another number of disks, chunk or layout; one \
            part has the old geometry, the other the new.",
            costs: "Alignment is judged by one geometry only.",
            source: "Linux drivers/md/raid5.c reshape_position.",
            fix: "Check again when it is complete.",
            ignore: "While it lasts.",
        },
        Rule {
            id: MD_DEGRADED,
            severity: Severity::Note,
            title: "An array with missing members",
            means: "The array runs without some of its members.",
            costs: "Alignment is not affected; redundancy is.",
            source: "/sys/block/mdX/md/degraded.",
            fix: "Replace the member.",
            ignore: "When it is known.",
        },
        Rule {
            id: MD_DATA_OFFSETS_DIFFER,
            severity: Severity::Note,
            title: "Members whose data start at different offsets",
            means: "Members were added by different versions of mdadm, so their data areas start \
            at different places.",
            costs: "Nothing as long as each is aligned: they are judged one by one.",
            source: "mdadm Create.c and Manage.c choose the offset by version and size.",
            fix: "Nothing to do.",
            ignore: "Always, when all are aligned.",
        },
        Rule {
            id: MD_LAYOUT_UNKNOWN,
            severity: Severity::Unknown,
            title: "An md level or layout that is not known",
            means: "The superblock names a combination of level, layout and disks that no reader \
            here knows.",
            costs: "Nothing above it is judged.",
            source: "Linux drivers/md; a reshape, or a level removed from the kernel.",
            fix: "Check the assembled array on its host.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: MD_LEVEL_UNKNOWN,
            severity: Severity::Note,
            title: "An md level that is not known",
            means: "sysfs names a level for which no geometry is known here.",
            costs: "Its stripe is not judged.",
            source: "/sys/block/mdX/md/level.",
            fix: "Name the geometry: --grid SIZE:full-stripe:preference.",
            ignore: "When its members are aligned and it has no stripes.",
        },
    ],
};
