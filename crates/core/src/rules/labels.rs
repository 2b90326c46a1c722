//! Overlaps and order, and the labels of BSD, Solaris, Apple, IRIX and Windows dynamic disks.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const PARTITION_OVERLAP: &str = "partition-overlap";
pub const PARTITION_ORDER: &str = "partition-order";
pub const PARTITION_OVER_TABLE: &str = "partition-over-table";
pub const PARTITION_OUTSIDE_USABLE: &str = "partition-outside-usable";
pub const BSD_CHECKSUM: &str = "bsd-checksum";
pub const BSD_OUTSIDE_SLICE: &str = "bsd-outside-slice";
pub const SGI_CHECKSUM: &str = "sgi-checksum";
pub const VTOC_CHECKSUM: &str = "vtoc-checksum";
pub const CYLINDER_OFF_GRID: &str = "cylinder-off-grid";
pub const APM_ENTRY_MISSING: &str = "apm-entry-missing";
pub const LDM_NOT_FOLLOWED: &str = "ldm-not-followed";
pub const TABLE_NOT_READ: &str = "table-not-read";
pub const LDM_GROUP: &str = "ldm-group";
pub const STORAGE_SPACES_NOT_FOLLOWED: &str = "storage-spaces-not-followed";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Other tables and what all have in common",
    rules: &[
        Rule {
            id: PARTITION_OVERLAP,
            severity: Severity::Broken,
            title: "Partitions that share bytes",
            means: "Two entries cover the same part of the disk.",
            costs: "Writing to one destroys the other.",
            source: "GPT and DOS tables forbid it; BSD and Solaris labels have whole-disk \
            slices, and there it is a note.",
            fix: "Find out by the superblocks which one is in use, then correct the other.",
            ignore: "On labels where one slice covers the disk by convention.",
        },
        Rule {
            id: PARTITION_ORDER,
            severity: Severity::Note,
            title: "Numbers that are not in disk order",
            means: "A partition with a higher number lies before one with a lower number.",
            costs: "Nothing; people and scripts are misled.",
            source: "sfdisk --reorder, gdisk's s command.",
            fix: "Nothing to do. Renumbering breaks /etc/fstab entries that name devices by \
            number.",
            ignore: "Always.",
        },
        Rule {
            id: PARTITION_OVER_TABLE,
            severity: Severity::Broken,
            title: "A partition that lies over the table's own entries",
            means: "It contains the sectors of the GPT's array.",
            costs: "Making a file system on it erases the table.",
            source: "UEFI 5.3.1, FirstUsableLBA.",
            fix: "Back up and create it again behind the array.",
            ignore: "Never.",
        },
        Rule {
            id: PARTITION_OUTSIDE_USABLE,
            severity: Severity::Note,
            title: "A partition outside the usable range of its table",
            means: "The header names the first and last usable LBA, and the partition leaves \
            them without touching the table itself.",
            costs: "Strict tools refuse to work on the disk.",
            source: "UEFI 5.3.2.",
            fix: "sgdisk --verify explains it; moving the partition or widening the range (gdisk \
            expert command) cures it.",
            ignore: "When every tool in use accepts it.",
        },
        Rule {
            id: BSD_CHECKSUM,
            severity: Severity::Broken,
            title: "A BSD disklabel with a wrong checksum",
            means: "The label is there, but its checksum is wrong.",
            costs: "BSD systems refuse it.",
            source: "sys/disklabel.h dkcksum.",
            fix: "disklabel -R restores it from a saved copy.",
            ignore: "When it is a remnant of an old installation.",
        },
        Rule {
            id: BSD_OUTSIDE_SLICE,
            severity: Severity::Note,
            title: "A BSD partition outside the space of its label",
            means: "Its offset lies before or behind the slice that holds the label. Offsets may \
            count from the disk or from the slice.",
            costs: "The partition is not shown.",
            source: "FreeBSD and OpenBSD disklabels differ in what offsets count from.",
            fix: "Nothing, where systems of both kinds share the disk.",
            ignore: "When that partition belongs to another slice.",
        },
        Rule {
            id: SGI_CHECKSUM,
            severity: Severity::Broken,
            title: "An IRIX volume header with a wrong checksum",
            means: "The header is there, but its checksum is wrong.",
            costs: "IRIX and Linux refuse it.",
            source: "Linux block/partitions/sgi.c.",
            fix: "Write a new one with fx or fdisk.",
            ignore: "When it is a remnant.",
        },
        Rule {
            id: VTOC_CHECKSUM,
            severity: Severity::Broken,
            title: "A Solaris VTOC without a valid checksum",
            means: "The label's checksum is wrong. Linux reads it anyway.",
            costs: "Solaris refuses it.",
            source: "usr/src/uts/common/sys/dklabel.h.",
            fix: "fmthard -s restores it from a saved prtvtoc.",
            ignore: "When only Linux reads the disk.",
        },
        Rule {
            id: CYLINDER_OFF_GRID,
            severity: Severity::Note,
            title: "Cylinders that are no multiple of 4 KiB",
            means: "Slices of a SPARC label start on cylinders, and a cylinder is an odd number \
            of sectors.",
            costs: "Few slices can be aligned at all.",
            source: "Sun disk labels hold starts in cylinders.",
            fix: "Choose start cylinders by the suggested multiple, or use an EFI label.",
            ignore: "On disks with 512-byte blocks.",
        },
        Rule {
            id: APM_ENTRY_MISSING,
            severity: Severity::Broken,
            title: "An Apple partition map that breaks off",
            means: "The map says how many entries it has, and one of them is not there.",
            costs: "The partitions behind it are lost.",
            source: "Inside Macintosh: Devices, chapter 3.",
            fix: "Write a new map, or use GPT.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: LDM_NOT_FOLLOWED,
            severity: Severity::Unknown,
            title: "A Windows dynamic disk whose volumes are not followed",
            means: "The disk is recognised, what is inside its data partition is not read.",
            costs: "Nothing is known of the alignment of the volumes.",
            source: "LDM database, the last MiB of the disk.",
            fix: "Read the volume's offset on Windows: Get-Partition, or diskpart detail volume.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: TABLE_NOT_READ,
            severity: Severity::Unknown,
            title: "A partition table that is recognised and not read",
            means: "The disk has a label of an IBM DASD volume or of an Atari.",
            costs: "Nothing is known of where its partitions start.",
            source: "The kernel's block/partitions/ibm.c and atari.c.",
            fix: "Ask the kernel or the table's own tool for the starts, and check that output.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: LDM_GROUP,
            severity: Severity::Note,
            title: "A member of a dynamic disk group",
            means: "Windows joins its dynamic disks to groups; this disk belongs to the one \
            named.",
            costs: "Nothing.",
            source: "LDM private header.",
            fix: "Nothing to do.",
            ignore: "Always.",
        },
        Rule {
            id: STORAGE_SPACES_NOT_FOLLOWED,
            severity: Severity::Unknown,
            title: "A member of Storage Spaces",
            means: "The partition belongs to a pool of Windows Storage Spaces, whose virtual \
            disks are not followed.",
            costs: "Nothing is known of the alignment of the virtual disks.",
            source: "GPT type E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D.",
            fix: "Check the virtual disks on Windows: Get-VirtualDisk shows Interleave and \
            columns.",
            ignore: "Never: it is an open question.",
        },
    ],
};
