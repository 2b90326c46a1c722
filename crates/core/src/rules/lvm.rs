//! Physical volumes, metadata and volumes of LVM2.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const LVM_LABEL_CRC: &str = "lvm-label-crc";
pub const LVM_METADATA: &str = "lvm-metadata";
pub const LVM_METADATA_LOST: &str = "lvm-metadata-lost";
pub const LVM_METADATA_DIFFERS: &str = "lvm-metadata-differs";
pub const LVM_METADATA_ELSEWHERE: &str = "lvm-metadata-elsewhere";
pub const LVM_FOREIGN_METADATA: &str = "lvm-foreign-metadata";
pub const LVM_PE_START_DIFFERS: &str = "lvm-pe-start-differs";
pub const LVM_PV_TOO_SMALL: &str = "lvm-pv-too-small";
pub const LVM_RAID_UNKNOWN: &str = "lvm-raid-unknown";
pub const LVM_REPORT_INCOMPLETE: &str = "lvm-report-incomplete";
pub const LVM_BACKUP_DAMAGED: &str = "lvm-backup-damaged";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "LVM",
    rules: &[
        Rule {
            id: LVM_LABEL_CRC,
            severity: Severity::Broken,
            title: "An LVM label with a wrong CRC",
            means: "The label is there, but its CRC is wrong.",
            costs: "LVM does not see the physical volume.",
            source: "LVM2 lib/label/label.c.",
            fix: "pvck --repairtype label_header.",
            ignore: "When it is a remnant.",
        },
        Rule {
            id: LVM_METADATA,
            severity: Severity::Broken,
            title: "LVM metadata that cannot be read",
            means: "The metadata area is there and its text is damaged or contradicts itself.",
            costs: "The group's volumes cannot be activated from this PV alone.",
            source: "LVM2 lib/format_text.",
            fix: "vgcfgrestore from /etc/lvm/backup or /etc/lvm/archive.",
            ignore: "Never.",
        },
        Rule {
            id: LVM_METADATA_LOST,
            severity: Severity::Broken,
            title: "No copy of the LVM metadata can be read",
            means: "Every metadata area of this PV is damaged: the group's volumes are not known \
            from it.",
            costs: "The group cannot be activated from this PV alone.",
            source: "LVM2 lib/format_text.",
            fix: "vgcfgrestore from /etc/lvm/backup or /etc/lvm/archive, or check all disks of \
            the group together: --together.",
            ignore: "Never.",
        },
        Rule {
            id: LVM_METADATA_DIFFERS,
            severity: Severity::Note,
            title: "Copies of the LVM metadata that differ",
            means: "Metadata areas hold different sequence numbers; the newest is taken.",
            costs: "Nothing while the newest is right.",
            source: "LVM2 writes all areas of a group; one was away at the last change.",
            fix: "vgck --updatemetadata VG.",
            ignore: "When the group is one of a snapshot.",
        },
        Rule {
            id: LVM_METADATA_ELSEWHERE,
            severity: Severity::Note,
            title: "A physical volume without metadata of its own",
            means: "pvcreate was run with --metadatacopies 0; the group is described on other \
            disks.",
            costs: "Its volumes are not known from this disk alone.",
            source: "pvcreate --metadatacopies 0.",
            fix: "Check all disks of the group together: --together.",
            ignore: "When the host itself is checked.",
        },
        Rule {
            id: LVM_FOREIGN_METADATA,
            severity: Severity::Broken,
            title: "A physical volume that its own metadata do not name",
            means: "The metadata on it describe a group in which this PV is not: it was removed, \
            or copied with its old label.",
            costs: "LVM does not use it.",
            source: "LVM2 lib/metadata.",
            fix: "Run vgreduce and pvcreate again, or restore the right metadata.",
            ignore: "When the disk is a leftover.",
        },
        Rule {
            id: LVM_PE_START_DIFFERS,
            severity: Severity::Note,
            title: "Two statements on where the extents start",
            means: "The PV header and the metadata text name different starts of extent 0; the \
            text decides.",
            costs: "Nothing; other readers may take the wrong one.",
            source: "LVM2 lib/format_text/format-text.c.",
            fix: "Nothing to do.",
            ignore: "Always.",
        },
        Rule {
            id: LVM_PV_TOO_SMALL,
            severity: Severity::Broken,
            title: "A physical volume longer than what holds it",
            means: "The extents, or the length in the label, reach past the end of the device: it was shrunk or \
            cut off. A data risk where all extents are still there.",
            costs: "Volumes that use the end cannot be activated, or lose data.",
            source: "LVM2 compares the size in the metadata with the device's when it activates.",
            fix: "Give the device its size back: `ioalign fix DISK --enlarge-partition N` where the space behind \
            the partition is free. vgck and pvck show what is missing.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: LVM_RAID_UNKNOWN,
            severity: Severity::Unknown,
            title: "A RAID type of LVM that is not known",
            means: "The segment type names a layout that no reader here knows.",
            costs: "Nothing on it is judged.",
            source: "lvmraid(7).",
            fix: "Check the active volume on its host.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: LVM_REPORT_INCOMPLETE,
            severity: Severity::Note,
            title: "Reports without the places of volumes",
            means: "pvs, vgs and lvs were printed without the columns that place the volumes on \
            the disks.",
            costs: "Those volumes are not judged.",
            source: "lvs(8): segtype, stripes, stripesize, chunksize, seg_pe_ranges.",
            fix: "Print them with these columns, or take a file of vgcfgbackup, which has \
            everything.",
            ignore: "When only the partitions matter.",
        },
        Rule {
            id: LVM_BACKUP_DAMAGED,
            severity: Severity::Note,
            title: "A backup of LVM metadata that cannot be used",
            means: "The file of vgcfgbackup, or of /etc/lvm/archive, breaks off or contradicts \
            itself.",
            costs: "Its facts about the group are missing.",
            source: "LVM2 lib/format_text.",
            fix: "Take a newer one from /etc/lvm/backup or /etc/lvm/archive.",
            ignore: "If other texts have the same facts.",
        },
    ],
};
