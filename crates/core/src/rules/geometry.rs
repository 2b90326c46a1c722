//! The geometry that a file system was made for, against that of the RAID below it.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const FS_GEOMETRY_MISSING: &str = "fs-geometry-missing";
pub const FS_GEOMETRY_MISMATCH: &str = "fs-geometry-mismatch";
pub const XFS_GEOMETRY_BOGUS: &str = "xfs-geometry-bogus";
pub const EXT_GEOMETRY_BOGUS: &str = "ext-geometry-bogus";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "RAID geometry of file systems",
    rules: &[
        Rule {
            id: FS_GEOMETRY_MISSING,
            severity: Severity::Suboptimal,
            title: "A file system without the geometry of its RAID",
            means: "XFS and ext4 place their allocations by stripe unit and width if mkfs gets \
            the geometry or can query it; here it did not.",
            costs: "On arrays with parity large files are not laid out in full stripes, so more \
            parity is read. Small random I/O is not affected.",
            source: "mkfs.xfs(8) su and sw, mke2fs(8) stride and stripe_width; hardware RAID and \
            virtual disks do not pass their geometry on.",
            fix: "XFS: mount with sunit= and swidth= (in 512-byte units). ext4: tune2fs -E \
            stride=,stripe_width=. Old files keep their place.",
            ignore: "For arrays without parity, and for databases that write in place.",
        },
        Rule {
            id: FS_GEOMETRY_MISMATCH,
            severity: Severity::Suboptimal,
            title: "A file system with the geometry of another RAID",
            means: "Stripe unit or width in the superblock are not those of the array below: it \
            was grown or reshaped, or the image was moved to another one.",
            costs: "Allocations are aligned to false boundaries.",
            source: "As fs-geometry-missing; util-linux issue 369 and rear issue 2777 (sunit in \
            512-byte units or in blocks).",
            fix: "Write the right values: mount -o sunit=,swidth= or tune2fs -E \
            stride=,stripe_width=.",
            ignore: "When the array will be reshaped again soon.",
        },
        Rule {
            id: XFS_GEOMETRY_BOGUS,
            severity: Severity::Suboptimal,
            title: "XFS stripe width that is no multiple of its unit",
            means: "The superblock holds a stripe width that is not a whole number of stripe \
            units, often from a RAID firmware that reports an optimal size below its minimum.",
            costs: "Newer kernels may refuse to mount it.",
            source: "Linux fs/xfs/libxfs/xfs_sb.c xfs_validate_stripe_geometry (commit \
            15922f5d).",
            fix: "mount -o sunit=,swidth= with sane values writes them to the superblock.",
            ignore: "Never for long: a kernel update can make it unmountable.",
        },
        Rule {
            id: EXT_GEOMETRY_BOGUS,
            severity: Severity::Suboptimal,
            title: "ext4 stripe values that cannot be right",
            means: "Stride and stripe width in the superblock contradict each other or come \
            from a device limit that is not a stripe, such as 33553920 bytes.",
            costs: "The allocator aligns to a false boundary; space is fragmented.",
            source: "e2fsprogs misc/mke2fs.c takes optimal_io_size as it is.",
            fix: "tune2fs -E stride=,stripe_width= with the real values, or 0 for none.",
            ignore: "On a single disk with little writing.",
        },
    ],
};
