//! qcow2 tables, and what can happen to any image file.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const QCOW2_CORRUPT: &str = "qcow2-corrupt";
pub const QCOW2_DIRTY: &str = "qcow2-dirty";
pub const QCOW2_BAD_ENTRIES: &str = "qcow2-bad-entries";
pub const IMAGE_CUT_OFF: &str = "image-cut-off";
pub const IMAGE_MAP_TRUNCATED: &str = "image-map-truncated";
pub const IMAGE_MAP_CUT: &str = "image-map-cut";
pub const FAT32_TOO_FEW_CLUSTERS: &str = "fat32-too-few-clusters";
pub const ZFS_POOL_DESTROYED: &str = "zfs-pool-destroyed";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "qcow2 and all images",
    rules: &[
        Rule {
            id: QCOW2_CORRUPT,
            severity: Severity::DataRisk,
            title: "A qcow2 image marked corrupt",
            means: "QEMU found damaged tables and set the corrupt bit; it opens the image for \
            reading only.",
            costs: "Guest data may be lost.",
            source: "QEMU docs/interop/qcow2.txt, incompatible feature bit 1.",
            fix: "qemu-img check -r all on a copy.",
            ignore: "Never.",
        },
        Rule {
            id: QCOW2_DIRTY,
            severity: Severity::Note,
            title: "A qcow2 image that was not closed",
            means: "Lazy reference counts are on and the image was not closed cleanly, or is in \
            use.",
            costs: "Nothing; QEMU repairs it when it is opened for writing.",
            source: "QEMU docs/interop/qcow2.txt, incompatible feature bit 0.",
            fix: "Nothing to do.",
            ignore: "While the machine runs.",
        },
        Rule {
            id: QCOW2_BAD_ENTRIES,
            severity: Severity::DataRisk,
            title: "qcow2 tables that cannot be followed",
            means: "Entries of L1 or L2 tables point outside the file or between clusters.",
            costs: "The guest data behind them cannot be read.",
            source: "QEMU docs/interop/qcow2.txt.",
            fix: "qemu-img check on a copy, or restore from a backup.",
            ignore: "Never.",
        },
        Rule {
            id: IMAGE_CUT_OFF,
            severity: Severity::DataRisk,
            title: "An image file that was cut off",
            means: "Tables point at data behind the end of the file; they read as zeros or fail.",
            costs: "Guest data are lost.",
            source: "An interrupted copy or a full disk.",
            fix: "Copy it again.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: IMAGE_MAP_TRUNCATED,
            severity: Severity::Note,
            title: "An image too fragmented to keep its whole map",
            means: "More than 262,144 pieces were found; shares are those of the first.",
            costs: "Nothing; the verdict rests on a part of the image.",
            source: "A limit of this program, to bound its memory.",
            fix: "qemu-img convert makes a copy in order.",
            ignore: "Always, when the verdict is clear.",
        },
        Rule {
            id: IMAGE_MAP_CUT,
            severity: Severity::Note,
            title: "A block map that is shown in part",
            means: "The map has too many pieces to keep; where data lie is known up to the byte \
            named.",
            costs: "Nothing; the verdict rests on a part of the image.",
            source: "A limit of this program, to bound its memory.",
            fix: "Convert the image to a new file in order.",
            ignore: "Always, when the verdict is clear.",
        },
        Rule {
            id: FAT32_TOO_FEW_CLUSTERS,
            severity: Severity::Note,
            title: "FAT32 with too few clusters",
            means: "The specification distinguishes FAT16 from FAT32 by the number of clusters alone, \
            and this one is too small for FAT32.",
            costs: "Strict firmware takes it for FAT16 and does not boot.",
            source: "Microsoft FAT specification, FAT type determination.",
            fix: "Make it larger, or with smaller clusters (mkfs.fat -s 1).",
            ignore: "When the firmware reads it.",
        },
        Rule {
            id: ZFS_POOL_DESTROYED,
            severity: Severity::Note,
            title: "A destroyed ZFS pool",
            means: "The label says that the pool was destroyed.",
            costs: "Nothing.",
            source: "OpenZFS, pool state 2.",
            fix: "zpool labelclear removes it; zpool import -D brings it back.",
            ignore: "Always.",
        },
    ],
};
