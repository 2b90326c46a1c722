//! Master boot records and the chains of extended partitions.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const START_IN_MBR_GAP: &str = "start-in-mbr-gap";
pub const PARTITION_COVERS_TABLE: &str = "partition-covers-table";
pub const EXTENDED_EMPTY: &str = "extended-empty";
pub const EBR_SIGNATURE: &str = "ebr-signature";
pub const EBR_LOOP: &str = "ebr-loop";
pub const EBR_LINK_OUTSIDE: &str = "ebr-link-outside";
pub const EBR_CHAIN_TOO_LONG: &str = "ebr-chain-too-long";
pub const EBR_INSIDE_LOGICAL: &str = "ebr-inside-logical";
pub const LOGICAL_OVER_EBR: &str = "logical-over-ebr";
pub const LOGICAL_OUTSIDE_EXTENDED: &str = "logical-outside-extended";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "DOS tables",
    rules: &[
        Rule {
            id: START_IN_MBR_GAP,
            severity: Severity::Note,
            title: "A partition inside the boot loader's gap",
            means: "It starts before sector 63, where boot loaders embed their second stage.",
            costs: "Installing GRUB in the MBR writes over the partition, or fails.",
            source: "GRUB manual, BIOS installation; cloud-init issue 3243 (start at sector 1).",
            fix: "Start it at sector 2048.",
            ignore: "When nothing boots from the disk.",
        },
        Rule {
            id: PARTITION_COVERS_TABLE,
            severity: Severity::Note,
            title: "A partition that starts at sector 0",
            means: "The partition contains its own table, as isohybrid images and some USB \
            sticks have it.",
            costs: "Making a file system on it erases the table.",
            source: "isohybrid (syslinux); ISO 9660 leaves the first 32 KiB free for this.",
            fix: "Nothing, where it is meant.",
            ignore: "For boot media.",
        },
        Rule {
            id: EXTENDED_EMPTY,
            severity: Severity::Note,
            title: "An extended partition without logical ones",
            means: "The container holds no table yet.",
            costs: "Nothing.",
            source: "Linux block/partitions/msdos.c parse_extended.",
            fix: "Nothing to do.",
            ignore: "Always.",
        },
        Rule {
            id: EBR_SIGNATURE,
            severity: Severity::Broken,
            title: "A link to a place where no EBR is",
            means: "The chain of logical partitions points at a sector without the 55 AA \
            signature.",
            costs: "The logical partitions behind it are lost to every system; the bytes are \
            still there.",
            source: "Linux block/partitions/msdos.c; util-linux issue 3568 (sfdisk --move-data \
            overwrites the next EBR).",
            fix: "Restore the table from a backup (sfdisk -d), or let testdisk look for the \
            partitions.",
            ignore: "Never.",
        },
        Rule {
            id: EBR_LOOP,
            severity: Severity::Broken,
            title: "A chain of logical partitions that runs in a circle",
            means: "An EBR links to one that was read before.",
            costs: "Systems cut it off at different places: numbers and partitions differ.",
            source: "Linux stops after 100 links.",
            fix: "Write a new table with sfdisk.",
            ignore: "Never.",
        },
        Rule {
            id: EBR_LINK_OUTSIDE,
            severity: Severity::Broken,
            title: "A link out of the extended partition",
            means: "An EBR points behind the end of its container or of the disk.",
            costs: "The logical partitions behind it are lost.",
            source: "Links count from the start of the extended partition, starts from their own \
            EBR.",
            fix: "Write a new table with sfdisk.",
            ignore: "Never.",
        },
        Rule {
            id: EBR_CHAIN_TOO_LONG,
            severity: Severity::Broken,
            title: "More logical partitions than are followed",
            means: "The chain is longer than any system follows.",
            costs: "Partitions at its end have no device.",
            source: "Linux block/partitions/msdos.c (100 links).",
            fix: "Use GPT.",
            ignore: "Never.",
        },
        Rule {
            id: EBR_INSIDE_LOGICAL,
            severity: Severity::Broken,
            title: "A logical partition that contains a later EBR",
            means: "The table of a later logical partition lies inside an earlier one's data.",
            costs: "Writing there destroys the rest of the chain.",
            source: "util-linux issue 3568.",
            fix: "Back up, then write a new table without the overlap.",
            ignore: "Never.",
        },
        Rule {
            id: LOGICAL_OVER_EBR,
            severity: Severity::Broken,
            title: "A logical partition that starts on its own table",
            means: "Its start is sector 0 relative to its EBR.",
            costs: "Making a file system on it erases the chain.",
            source: "Linux block/partitions/msdos.c.",
            fix: "Start it at least one sector later; 2048 is usual.",
            ignore: "Never.",
        },
        Rule {
            id: LOGICAL_OUTSIDE_EXTENDED,
            severity: Severity::Broken,
            title: "A logical partition that leaves its container",
            means: "Start or end lies outside the extended partition.",
            costs: "It may overlap a primary one; systems cut it off or leave it out.",
            source: "Linux and Windows differ here.",
            fix: "Write a new table with sfdisk.",
            ignore: "Never.",
        },
    ],
};
