//! Sizes that are no multiple of what lies on them, and ends past the end.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const SIZE_NOT_MULTIPLE: &str = "size-not-multiple";
pub const IMAGE_SIZE_NOT_MULTIPLE: &str = "image-size-not-multiple";
pub const SIZE_NOT_SECTOR_MULTIPLE: &str = "size-not-sector-multiple";
pub const LUKS_SIZE_NOT_MULTIPLE: &str = "luks-size-not-multiple";
pub const PARTITION_PAST_END: &str = "partition-past-end";
pub const LABEL_PAST_END: &str = "label-past-end";
pub const FILESYSTEM_PAST_END: &str = "filesystem-past-end";
pub const FILESYSTEM_UNDER_TABLE: &str = "filesystem-under-table";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Sizes and ends",
    rules: &[
        Rule {
            id: SIZE_NOT_MULTIPLE,
            severity: Severity::Note,
            title: "A size that is no multiple of 4 KiB",
            means: "The partition does not end on a 4 KiB boundary.",
            costs: "LUKS2 with 4 KiB sectors (its default on 4 KiB disks since cryptsetup 2.4) \
            refuses it or loses the tail, and O_DIRECT programs cannot use the last piece.",
            source: "fedora-coreos-tracker issue 1384, cloud-utils issue 46; GPT's last usable \
            LBA is 33 sectors before the end, so a partition that fills the disk ends at an odd \
            place.",
            fix: "End it at the suggested size, a few sectors earlier.",
            ignore: "When it is never encrypted and holds a plain file system.",
        },
        Rule {
            id: IMAGE_SIZE_NOT_MULTIPLE,
            severity: Severity::Note,
            title: "An image whose size is no multiple of 4 KiB, or of what was asked for",
            means: "The virtual size of the image is no whole number of 4 KiB blocks, or of the \
            size given with --size-multiple.",
            costs: "QEMU with cache=none on a host with 4 KiB sectors refuses a raw image of such \
            a size; loop devices and LUKS2 with 4 KiB sectors leave out the tail. A note, and \
            broken when the operator asks for the multiple.",
            source: "QEMU block/io.c (\"Image size is not a multiple of request alignment\"); \
            containerized-data-importer pull request 1873; losetup(8) --sector-size.",
            fix: "qemu-img resize or truncate -s %4096 to the next multiple, then sgdisk -e.",
            ignore: "When the image only ever lies on hosts with 512-byte sectors.",
        },
        Rule {
            id: SIZE_NOT_SECTOR_MULTIPLE,
            severity: Severity::Broken,
            title: "A size that is no multiple of the layer's own sector",
            means: "The layer works in sectors of the size given, and the device below it is not \
            a whole number of them.",
            costs: "It cannot be opened: cryptsetup says \"Device size is not aligned to \
            requested sector size\".",
            source: "Linux drivers/md/dm-crypt.c (crypt_ctr: device size is not a multiple of \
            the sector size).",
            fix: "Make the device below smaller, or larger, by the remainder.",
            ignore: "Never.",
        },
        Rule {
            id: LUKS_SIZE_NOT_MULTIPLE,
            severity: Severity::Broken,
            title: "An encrypted area that is not whole sectors",
            means: "The area that LUKS encrypts is no multiple of its encryption sector, usually \
            because the partition was grown to the last sector of the disk.",
            costs: "The volume does not open until the size is right; nothing is lost.",
            source: "Linux drivers/md/dm-crypt.c; cryptsetup FAQ on sector sizes.",
            fix: "Shrink the partition by the remainder, or grow it by a whole sector.",
            ignore: "Never.",
        },
        Rule {
            id: PARTITION_PAST_END,
            severity: Severity::Broken,
            title: "A partition that ends behind the disk",
            means: "The table gives the partition more sectors than the device has: the disk was \
            shrunk, or the image was cut off or copied to a smaller disk.",
            costs: "The kernel cuts the partition off or leaves it out; the file system in it \
            may not mount, and data behind the end are lost.",
            source: "Linux block/partitions/core.c (\"extends beyond EOD\").",
            fix: "Restore from the larger original, or enlarge the disk, then check the file \
            system.",
            ignore: "When it is a piece of a disk on purpose, such as the first gigabytes cut \
            off for a report.",
        },
        Rule {
            id: LABEL_PAST_END,
            severity: Severity::Broken,
            title: "A disk label that describes more than there is",
            means: "The label's geometry (cylinders × heads × sectors) covers more bytes than \
            the device has.",
            costs: "Slices at the end reach past it.",
            source: "SPARC disk label, Linux block/partitions/sun.c.",
            fix: "Copy from the original again, or relabel with the right geometry.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: FILESYSTEM_PAST_END,
            severity: Severity::DataRisk,
            title: "A file system larger than what holds it",
            means: "The superblock counts more blocks than the partition or volume has: the \
            partition was made too small, or the image was cut off.",
            costs: "It does not mount, or fails when the end is first used: blocks there are \
            lost.",
            source: "ext4 \"bad geometry: block count exceeds size of device\", XFS and Btrfs \
            have the like.",
            fix: "Enlarge the partition to the file system's size before anything else: `ioalign fix DISK \
            --enlarge-partition N` does that where the space behind it is free. Do not run a repairing \
            fsck first: it would delete the data behind the end.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: FILESYSTEM_UNDER_TABLE,
            severity: Severity::DataRisk,
            title: "A file system and a partition table over the same bytes",
            means: "The disk has a partition table, and a file system or swap space that begins with the \
            disk and not with a partition: a table was written over a disk that was formatted as a whole, or \
            the superblock is left from the time before the table.",
            costs: "Programs that obey the table write over the files of the other, and the other way round. \
            What mounts the whole disk still finds the old file system.",
            source: "libblkid calls it an ambivalent result; sfdisk --wipe never, and tables written with dd.",
            fix: "Mount the whole disk and its partitions read-only (mount -o ro) and see which of them is in \
            use. Save that. If the file system over the whole disk is the one that is left over, `wipefs` shows the \
            byte of its magic number and `wipefs -b -o BYTE DISK` takes it away.",
            ignore: "Never: it is a matter of time until one destroys the other.",
        },
    ],
};
