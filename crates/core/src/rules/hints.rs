//! What devices and the kernel say of themselves, and whether it can be so.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const BOGUS_HINT: &str = "bogus-hint";
pub const KERNEL_MISALIGNED_STACK: &str = "kernel-misaligned-stack";
pub const KERNEL_ALIGNMENT_DIFFERS: &str = "kernel-alignment-differs";
pub const MKFS_XFS_REFUSES: &str = "mkfs-xfs-refuses";
pub const HUGE_OPTIMAL_IO: &str = "huge-optimal-io";
pub const READ_AHEAD_FROM_HINT: &str = "read-ahead-from-hint";
pub const VIRTUAL_DISK_TOPOLOGY: &str = "virtual-disk-topology";
pub const NVME_ATOMIC_OFFSET: &str = "nvme-atomic-offset";
pub const DM_DEVICE_MISSING: &str = "dm-device-missing";
pub const MKFS_MISALIGNED: &str = "mkfs-misaligned";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Hints of devices and the kernel",
    rules: &[
        Rule {
            id: BOGUS_HINT,
            severity: Severity::Note,
            title: "A device limit that is not credible",
            means: "The device reports an impossible size: 33553920 (65535 sectors, the largest \
            transfer of a USB bridge), an optimal size below the minimum, a physical block of \
            hundreds of KiB.",
            costs: "Nothing here, because it is not used. Tools that use it place partitions \
            and stripes on false boundaries.",
            source: "util-linux issues 1221 and 1224 (libfdisk, LVM and newer kernels filter it, \
            parted and mke2fs do not); OpenZFS issue 13917.",
            fix: "Give the values to such tools by hand: parted -a none with unit s, mkfs.xfs \
            -d noalign, zpool create -o ashift=12.",
            ignore: "Always, once you know why your tools propose odd starts.",
        },
        Rule {
            id: KERNEL_MISALIGNED_STACK,
            severity: Severity::Misaligned,
            title: "The kernel itself calls this stack misaligned",
            means: "alignment_offset is -1: the blocks of the devices below start at \
            incompatible places.",
            costs: "Some writes are read-modify-writes for any start.",
            source: "Linux block/blk-settings.c blk_stack_limits; libblkid and cryptsetup read \
            -1 as 0, so fdisk, parted and mkfs do not show it.",
            fix: "Compare the starts of the members and make them equal; RAID1 volumes on LVM \
            with regions larger than extents give it without harm (lvm2 issue 183).",
            ignore: "When only a full stripe of unequal members is meant and the members \
            themselves are aligned.",
        },
        Rule {
            id: KERNEL_ALIGNMENT_DIFFERS,
            severity: Severity::Note,
            title: "The kernel computes another offset",
            means: "The kernel's alignment_offset of this partition is not what follows from its \
            start and the disk's granularity.",
            costs: "Nothing by itself: one of the two numbers comes from a wrong device limit.",
            source: "Linux block/blk-settings.c queue_limit_alignment_offset.",
            fix: "Look at the disk's own alignment_offset and minimum I/O size.",
            ignore: "When the disk's own grids are aligned.",
        },
        Rule {
            id: MKFS_XFS_REFUSES,
            severity: Severity::Note,
            title: "mkfs.xfs will refuse this partition",
            means: "alignment_offset is not zero, and mkfs.xfs stops with \"device is not \
            properly aligned\" unless it is forced.",
            costs: "An installer or operator fails at mkfs.",
            source: "xfsprogs mkfs/xfs_mkfs.c; csi-baremetal issue 667, heketi issue 668.",
            fix: "Move the partition to the suggested start rather than to force it.",
            ignore: "When XFS is not wanted there.",
        },
        Rule {
            id: HUGE_OPTIMAL_IO,
            severity: Severity::Note,
            title: "An optimal I/O size of many megabytes",
            means: "The hint is legal and so large that partitions aligned to it waste space.",
            costs: "Partitioning programs that follow it refuse small partitions or leave large \
            gaps.",
            source: "blivet issues 228, 243 and 815.",
            fix: "Align to the minimum I/O size or 1 MiB instead.",
            ignore: "When there is one partition on the disk.",
        },
        Rule {
            id: READ_AHEAD_FROM_HINT,
            severity: Severity::Note,
            title: "Read-ahead made from a large optimal I/O size",
            means: "Linux reads ahead twice the optimal I/O size that a device claims, at least \
            128 KiB. A claim of 32 MiB makes 64 MiB of it.",
            costs: "Each page fault of a mapped file, and each sequential read through the page \
            cache, may read that much: 60 faults at random places of a loop device read 1,525 MiB with \
            65,536 KiB of read-ahead, 7.4 MiB with 128 KiB (Linux 6.18). Random reads by pread() and \
            direct I/O are not touched.",
            source: "Linux block/blk-settings.c (blk_apply_bdi_limits, before 6.11 \
            disk_update_readahead); azure-vm-utils issue 99.",
            fix: "echo 128 > /sys/block/DISK/queue/read_ahead_kb, and a udev rule that sets \
            ATTR{queue/read_ahead_kb} to keep it.",
            ignore: "When files are read from start to end, or nothing is mapped.",
        },
        Rule {
            id: VIRTUAL_DISK_TOPOLOGY,
            severity: Severity::Note,
            title: "A virtual disk that hides the storage below",
            means: "The hypervisor always presents 512-byte blocks; 4 KiB is assumed.",
            costs: "Nothing by itself: the verdict rests on an assumption.",
            source: "virt-manager issue 483; QEMU's blockio settings can pass the real values \
            on.",
            fix: "Name the real unit with --grid or --profile-grid, or set logical_block_size \
            and physical_block_size in the hypervisor.",
            ignore: "When the storage below is known to have 4 KiB blocks.",
        },
        Rule {
            id: NVME_ATOMIC_OFFSET,
            severity: Severity::Note,
            title: "Atomic writes that are shifted",
            means: "The namespace gives power-fail atomic boundaries that do not start at byte 0 \
            (NABO).",
            costs: "Linux offers no atomic writes on it.",
            source: "NVMe base specification, NABSPF and NABO; Linux drivers/nvme/host/core.c.",
            fix: "Nothing, unless torn-page protection is to be turned off: then use another \
            namespace.",
            ignore: "When no database relies on atomic writes.",
        },
        Rule {
            id: DM_DEVICE_MISSING,
            severity: Severity::Note,
            title: "A mapping to a device that is not listed",
            means: "A device-mapper table names a device number that sysfs does not show: it is \
            gone, or the capture is not complete.",
            costs: "Data on that part are not followed.",
            source: "dmsetup table, /sys/dev/block.",
            fix: "Check on the host as root, or take the capture again.",
            ignore: "When the device was removed on purpose.",
        },
        Rule {
            id: MKFS_MISALIGNED,
            severity: Severity::Misaligned,
            title: "mkfs found the device misaligned",
            means: "A log holds mkfs's own complaint that the device is not properly aligned.",
            costs: "As start-misaligned: small writes become read-modify-write.",
            source: "xfsprogs mkfs/xfs_mkfs.c; e2fsprogs and mkswap print the like. They go by \
            the kernel's alignment_offset.",
            fix: "Check the table itself (fdisk -l, sfdisk -d) for the start, and move the \
            partition.",
            ignore: "When the device reports an alignment_offset that is not believed.",
        },
    ],
};
