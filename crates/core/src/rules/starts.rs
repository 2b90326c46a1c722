//! Starts of partitions, volumes and data regions on the grids below them.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const START_MISALIGNED: &str = "start-misaligned";
pub const START_INVALID: &str = "start-invalid";
pub const START_SUBOPTIMAL: &str = "start-suboptimal";
pub const START_OFF_ASSUMED_GRID: &str = "start-off-assumed-grid";
pub const START_OFF_CONVENIENT_GRID: &str = "start-off-convenient-grid";
pub const START_REPAIRED_ABOVE: &str = "start-repaired-above";
pub const START_HARMLESS: &str = "start-harmless";
pub const START_NOT_ON_TARGET_SECTOR: &str = "start-not-on-target-sector";
pub const OVER_ALIGNED: &str = "over-aligned";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Starts",
    rules: &[
        Rule {
            id: START_MISALIGNED,
            severity: Severity::Misaligned,
            title: "Data start off a block that the storage rewrites as a whole",
            means: "The first byte of the data lies between two boundaries of a unit that is \
            only written as a whole: a 4 KiB physical block, a flash indirection unit, a volume \
            block. Every block of the file system above straddles two of them.",
            costs: "A random write of one block becomes a read, a change and a write of two \
            units: at least one revolution more on a hard disk, more wear on flash. Reads that fit \
            one unit touch two. Sequential streams hardly notice.",
            source: "T10/T13 (Long Physical Sector Alignment, READ CAPACITY(16)), NVMe NPWG and \
            NPWA; Linux block/blk-settings.c queue_limit_alignment_offset. The classic causes \
            are sector 63 (every partitioning program before 2009) and off-by-one ends of \
            installers.",
            fix: "Create the layer named as the cause again at the suggested start and restore \
            it, or move it while it is not in use (ioalign fix). For a container format that \
            puts data off the grid (VDI, dynamic VHD) convert the image: moving partitions \
            inside does not help.",
            ignore: "When the device is only read, when its writes are large and sequential, or \
            when the unit was declared or assumed and you know that the storage below has a \
            smaller one: then declare it with --grid.",
        },
        Rule {
            id: START_INVALID,
            severity: Severity::Broken,
            title: "A start between two logical sectors",
            means: "The data start at a byte that is no multiple of the logical sector of the \
            device: no request can address it.",
            costs: "I/O fails with EINVAL, or the layer cannot be activated at all.",
            source: "The logical block is the smallest addressable unit (SCSI SBC, ATA ACS, NVMe \
            LBA Format Data Size).",
            fix: "Write a new table or mapping for this sector size; if the image was made for \
            512-byte sectors, it has to be made again for 4096.",
            ignore: "Never, unless the sector size given by --target-logical or a grid is not \
            the one of the real target.",
        },
        Rule {
            id: START_SUBOPTIMAL,
            severity: Severity::Suboptimal,
            title: "Data start off a stripe or preferred unit",
            means: "The data start off a boundary that the storage prefers but does not need: a \
            stripe of an array with parity, a stripe unit, an optimal I/O size, an erase block.",
            costs: "Full-stripe writes cover parts of two stripes, so parity must be read before \
            it can be written; on arrays without parity a share of requests occupies two disks \
            instead of one.",
            source: "md, LVM and controller metadata give chunk and data disks; Linux \
            Documentation/admin-guide/md.rst; util-linux issue 688 (a stripe of three data disks \
            is no power of two, so 1 MiB is off it).",
            fix: "Start the partition or volume at the suggested multiple of the full stripe, \
            and tell the file system its geometry (mkfs.xfs -d su=,sw=; mke2fs -E \
            stride=,stripe_width=).",
            ignore: "For random I/O much smaller than the chunk: it seldom meets a boundary. The \
            share of requests that do is in the cost rows.",
        },
        Rule {
            id: START_OFF_ASSUMED_GRID,
            severity: Severity::Note,
            title: "Off a boundary that this target is not known to have",
            means: "The start is off 64 KiB or 1 MiB, or off a full stripe that costs little \
            here. Nothing says that this target has such a grid; most arrays and most \
            partitioning programs use it.",
            costs: "Nothing on a single disk. On an array with that stripe unit, a share of \
            requests occupies two disks.",
            source: "The 1 MiB convention of parted, fdisk, Windows Vista and later; 64 KiB is \
            the usual stripe unit of hardware RAID and the grain of VMware VMFS-3.",
            fix: "Nothing to do. If an array lies below, name it: --profile-grid raid:64kx5.",
            ignore: "Nearly always, unless you know of an array below.",
        },
        Rule {
            id: START_OFF_CONVENIENT_GRID,
            severity: Severity::Note,
            title: "Off a length that is only convenient",
            means: "The start is off a full stripe without parity, or off an optimal I/O size \
            that is no stripe: such grids name a convenient length, nothing is rewritten as a \
            whole there.",
            costs: "Large sequential requests are split at one more place; small ones do not \
            notice.",
            source: "Linux Documentation/ABI/stable/sysfs-block, optimal_io_size.",
            fix: "Nothing to do; new partitions can start at the suggested multiple.",
            ignore: "Nearly always.",
        },
        Rule {
            id: START_REPAIRED_ABOVE,
            severity: Severity::Note,
            title: "An odd start that the layer above compensates",
            means: "The partition starts off the grid, and the layer on it (usually LVM or md) \
            starts its data at an offset that puts them on the grid again.",
            costs: "Nothing: no data lie off the grid.",
            source: "lvm.conf devices/data_alignment_detection and mdadm --data-offset: they \
            align to the device below the partition.",
            fix: "Nothing to do.",
            ignore: "Always; only remember it when the layer above is replaced.",
        },
        Rule {
            id: START_HARMLESS,
            severity: Severity::Note,
            title: "An odd start of a region that holds no data",
            means: "A BIOS boot partition, a Microsoft reserved partition or a reserved slice \
            starts off the grid, as its specification has it. No workload goes through it.",
            costs: "Nothing. It is read once at power-on, if at all.",
            source: "UEFI partition type GUIDs; Windows places the MSR at LBA 34, GRUB's BIOS \
            boot partition often fills LBA 34 to 2047.",
            fix: "Nothing to do.",
            ignore: "Always. Grading such regions like data is the false alarm most often \
            reported for alignment checkers.",
        },
        Rule {
            id: START_NOT_ON_TARGET_SECTOR,
            severity: Severity::Broken,
            title: "A start that the target disk cannot express",
            means: "You asked with --target-logical whether the image works on a disk with \
            larger sectors. This partition starts between two of them, and tables count in whole \
            sectors.",
            costs: "The image cannot be converted by rewriting its table: this partition's data \
            have to move.",
            source: "GPT and DOS tables count logical sectors (UEFI 5.3, 512 × LBA on 512-byte \
            disks).",
            fix: "Make the image with starts that are multiples of the larger sector; 1 MiB \
            always is.",
            ignore: "When the image will never see such a disk.",
        },
        Rule {
            id: OVER_ALIGNED,
            severity: Severity::Note,
            title: "Sector 2048 of a 4Kn disk",
            means: "The start is sector 2048 of 4096 bytes, which is 8 MiB: right, and probably \
            1 MiB was meant. A program took 2048 for a number of sectors of any size.",
            costs: "7 MiB of space; nothing else.",
            source: "disko issue 509 and others: constants in sectors instead of bytes.",
            fix: "Nothing to do; new disks can start at sector 256.",
            ignore: "Always.",
        },
    ],
};
