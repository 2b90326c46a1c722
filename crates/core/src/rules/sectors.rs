//! What was written for another sector size than the disk has.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const TABLE_SECTOR_MISMATCH: &str = "table-sector-mismatch";
pub const FS_SECTOR_MISMATCH: &str = "fs-sector-mismatch";
pub const END_NOT_ON_TARGET_SECTOR: &str = "end-not-on-target-sector";
pub const ESP_SECTOR_MISMATCH: &str = "esp-sector-mismatch";
pub const MIXED_LOGICAL_SECTORS: &str = "mixed-logical-sectors";
pub const GPT_FOREIGN_SECTOR: &str = "gpt-foreign-sector";
pub const DOS_FOREIGN_SECTOR: &str = "dos-foreign-sector";
pub const USB_LOGICAL_4096: &str = "usb-logical-4096";
pub const SQLSERVER_SECTOR_TOO_LARGE: &str = "sqlserver-sector-too-large";
pub const HIDDEN_SECTORS_MISMATCH: &str = "hidden-sectors-mismatch";
pub const LOG_SECTOR_MISMATCH: &str = "log-sector-mismatch";
pub const REQUEST_BELOW_LOGICAL_BLOCK: &str = "request-below-logical-block";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Logical sectors",
    rules: &[
        Rule {
            id: TABLE_SECTOR_MISMATCH,
            severity: Severity::Broken,
            title: "A partition table for another sector size",
            means: "The table counts in sectors of one size and the disk has another: GPT's \
            header lies at byte 512 or 4096, and a system looks only where its own sector 1 is.",
            costs: "Firmware and kernel see no partitions, or wrong ones: the machine does not \
            boot.",
            source: "UEFI 5.3.1 (header at LBA 1); systemd issue 35258, home-assistant \
            operating-system issue 4766.",
            fix: "Write a new table for the disk's sectors, each start and size divided or \
            multiplied by eight; FAT file systems inside need their boot sector rewritten too.",
            ignore: "Never on that disk; without --target-logical the disk's own sector is the \
            measure.",
        },
        Rule {
            id: FS_SECTOR_MISMATCH,
            severity: Severity::Broken,
            title: "A file system for smaller sectors than the disk has",
            means: "The file system was made with sectors smaller than the logical sector of the \
            device: it would have to read a part of one.",
            costs: "It cannot be mounted (XFS: \"device supports … byte sectors\"; FAT: \
            \"logical sector size too small for device\").",
            source: "Linux fs/xfs/xfs_buf.c xfs_setsize_buftarg, fs/fat/inode.c.",
            fix: "Create it again with the larger sectors (mkfs.xfs -s size=4096, mkfs.fat -S \
            4096) and copy the files.",
            ignore: "Never on that disk.",
        },
        Rule {
            id: END_NOT_ON_TARGET_SECTOR,
            severity: Severity::Note,
            title: "A partition that ends inside a sector of the target",
            means: "With --target-logical: the size of the partition is no whole number of the \
            target's sectors, so a table for the target has to end it earlier.",
            costs: "Nothing while nothing lies in the tail; where what is on the partition needs \
            it, that no longer fits (data-risk).",
            source: "UEFI 5.3.3: entries count whole logical blocks.",
            fix: "Make the partition a multiple of the larger sector, as every partitioner does \
            that works in MiB.",
            ignore: "When the image never sees such a disk.",
        },
        Rule {
            id: ESP_SECTOR_MISMATCH,
            severity: Severity::Note,
            title: "An EFI system partition with larger sectors than the disk",
            means: "The FAT was made with sectors (BPB_BytsPerSec) larger than the disk's logical \
            sector.",
            costs: "Linux and EDK II read it. U-Boot wants equal sizes and does not start from it.",
            source: "U-Boot fs/fat/fat.c (\"FAT sector size mismatch\"); EDK II \
            FatPkg/EnhancedFatDxe/Init.c and Linux fs/fat/inode.c take larger sectors.",
            fix: "mkfs.fat -S with the disk's logical sector.",
            ignore: "On an image for both kinds of disk that is started by EDK II: 4096 is the \
            one size that Linux mounts on both.",
        },
        Rule {
            id: MIXED_LOGICAL_SECTORS,
            severity: Severity::Broken,
            title: "Members with different logical sectors",
            means: "An array, volume group or file system has members with 512-byte and with \
            4096-byte logical sectors. The whole gets the largest.",
            costs: "A file system made while only the smaller ones were active stops mounting \
            when the larger one joins; XFS refuses at once.",
            source: "Linux block/blk-settings.c blk_stack_limits; stratisd issue 1196, \
            libstorage-ng issue 709, mdadm issue 187.",
            fix: "Replace the odd member, or format it to the others' sector size (nvme format \
            --lbaf) before it joins.",
            ignore: "When every file system on it was made with the larger sector.",
        },
        Rule {
            id: GPT_FOREIGN_SECTOR,
            severity: Severity::Broken,
            title: "A GPT at the place of another sector size",
            means: "There is a GPT header, at the byte where a disk with other sectors has its \
            sector 1. This disk's systems do not look there.",
            costs: "No partition is seen; only the protective MBR is.",
            source: "UEFI 5.3.1; the usual cause is an image made for 512-byte sectors written \
            to a 4Kn disk, or a drive moved from a USB bridge that showed 4096.",
            fix: "Read it with --sector-size, or write a new table for this disk.",
            ignore: "When the disk goes back to the adapter that it was made on.",
        },
        Rule {
            id: DOS_FOREIGN_SECTOR,
            severity: Severity::Broken,
            title: "A DOS table that counts other sectors",
            means: "Nothing is found at the places of the entries, but something is if they \
            count sectors of the other size.",
            costs: "Partitions are looked for eight times too near or too far.",
            source: "DOS tables have no field for the sector size; the reader compares what lies \
            at both places.",
            fix: "Write a new table with converted starts and sizes.",
            ignore: "When the disk goes back to the adapter that it was made on.",
        },
        Rule {
            id: USB_LOGICAL_4096,
            severity: Severity::Note,
            title: "A USB bridge that shows 4096-byte sectors",
            means: "The bridge presents 4096-byte sectors; the drive behind it mostly has 512. \
            On another port or bridge the same drive shows 512.",
            costs: "A partition table written here is not found there.",
            source: "grub4dos issue 47 and many reports of USB-SATA adapters larger than 2 TiB.",
            fix: "Keep drive and bridge together, or make the table where the drive will stay.",
            ignore: "When the drive never leaves its enclosure.",
        },
        Rule {
            id: SQLSERVER_SECTOR_TOO_LARGE,
            severity: Severity::Broken,
            title: "SQL Server on physical sectors above 4 KiB",
            means: "The device reports physical sectors larger than 4 KiB, and SQL Server takes \
            that for the size of an atomic write.",
            costs: "SQL Server does not start, or does not open the files.",
            source: "Microsoft: Troubleshoot errors related to system disk sector size greater \
            than 4 KB (PhysicalBytesPerSectorForAtomicity).",
            fix: "Set ForcedPhysicalSectorSizeInBytes to \"* 4095\" for stornvme, as Microsoft \
            documents, or use another device.",
            ignore: "If the server runs already; then the workaround is in place.",
        },
        Rule {
            id: HIDDEN_SECTORS_MISMATCH,
            severity: Severity::Note,
            title: "A boot sector with another start",
            means: "FAT, exFAT and NTFS keep the number of sectors before them (hidden sectors), \
            and it is not where the partition starts.",
            costs: "Nothing for data. Booting from it by its own boot code fails.",
            source: "Microsoft FAT specification BPB_HiddSec, NTFS boot sector offset 0x1C.",
            fix: "Let the system's own tools rewrite it when the partition is moved (Windows: \
            bootrec /fixboot, mkfs.fat -h).",
            ignore: "When nothing boots from it, and always for a volume inside LVM, md or LUKS.",
        },
        Rule {
            id: LOG_SECTOR_MISMATCH,
            severity: Severity::Broken,
            title: "The kernel log refuses a mount for its sectors",
            means: "A line of the kernel log says that a file system was made for other sectors \
            than the device has.",
            costs: "It cannot be mounted.",
            source: "XFS and FAT print \"device supports … byte sectors\" and \"logical sector \
            size too small for device\" (Linux fs/xfs/xfs_mount.c, fs/fat/inode.c).",
            fix: "Create it again with the larger sectors and copy the files, or use a device \
            with the smaller ones.",
            ignore: "When the line is old and the device has been replaced.",
        },
        Rule {
            id: REQUEST_BELOW_LOGICAL_BLOCK,
            severity: Severity::Broken,
            title: "Requests that are not whole logical blocks",
            means: "The kernel log shows requests that start or end inside a logical block: what \
            lies above was made for smaller sectors than the device has.",
            costs: "They fail with an I/O error.",
            source: "Linux drivers/scsi/sd.c \"request not aligned to the logical block size\", \
            \"Unaligned partial completion\".",
            fix: "Find the layer that was made for 512-byte sectors: its table, file system or \
            virtual disk has to be created again.",
            ignore: "When the line is old and the device has been replaced.",
        },
    ],
};
