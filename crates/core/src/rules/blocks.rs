//! Blocks smaller than the unit below: aligned, and still read-modify-write.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const BLOCK_BELOW_RMW_UNIT: &str = "block-below-rmw-unit";
pub const ASHIFT_BELOW_PHYSICAL_BLOCK: &str = "ashift-below-physical-block";
pub const THIN_CHUNK_NOT_STRIPE_MULTIPLE: &str = "thin-chunk-not-stripe-multiple";
pub const THIN_CHUNK_LARGE: &str = "thin-chunk-large";
pub const THIN_CHUNK_UNKNOWN: &str = "thin-chunk-unknown";
pub const EXTENT_NOT_STRIPE_MULTIPLE: &str = "extent-not-stripe-multiple";
pub const TORN_PAGE_RISK: &str = "torn-page-risk";
pub const ZFS_NATIVE_HINT: &str = "zfs-native-hint";
pub const ZFS_ASHIFT_UNKNOWN: &str = "zfs-ashift-unknown";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Blocks and granules",
    rules: &[
        Rule {
            id: BLOCK_BELOW_RMW_UNIT,
            severity: Severity::Suboptimal,
            title: "Blocks smaller than what the storage rewrites",
            means: "The file system or database writes blocks smaller than the unit that the \
            device changes at a time: 4 KiB blocks on a drive with a 16 KiB indirection unit, 1 \
            KiB blocks on a 4 KiB sector.",
            costs: "A random write of one block makes the device read and write the whole unit: \
            write amplification of up to unit over block.",
            source: "NVMe NPWG; Ceph issues on 16 KiB and 64 KiB indirection units (Solidigm \
            P5336 and P5316); ScyllaDB issue 8156.",
            fix: "Use larger blocks or pages where they are chosen (mkfs -b, ext4 bigalloc -C, \
            zvol volblocksize, database page), or leave it where writes are mostly sequential.",
            ignore: "When the workload writes in large runs: page cache and journal merge most \
            small writes.",
        },
        Rule {
            id: ASHIFT_BELOW_PHYSICAL_BLOCK,
            severity: Severity::Misaligned,
            title: "A ZFS vdev with too small an ashift",
            means: "ashift is the smallest power of two that ZFS writes on this vdev, and it is \
            below the physical block of the device: by the vdev's label and the device, or by zpool \
            status, which complains of \"512B configured, 4096B native\".",
            costs: "Every metadata and small data write is a read-modify-write in the drive.",
            source: "OpenZFS module/zfs/vdev.c and cmd/zpool (pull request 11088); ashift is fixed \
            when a vdev is made.",
            fix: "Create the vdev again with -o ashift=12 (13 for 8 KiB flash pages), or \
            replace mirrors by a new mirror vdev. Not above 16.",
            ignore: "When the pool is nearly read-only.",
        },
        Rule {
            id: THIN_CHUNK_NOT_STRIPE_MULTIPLE,
            severity: Severity::Suboptimal,
            title: "A thin pool whose chunk is not whole stripes",
            means: "The pool allocates chunks that are no multiple of the full stripe of the \
            array below.",
            costs: "Every new chunk is a partial-stripe write: parity is read and written again, \
            and the write hole of RAID 5 and 6 gets wider.",
            source: "harvester docs issue 1083; LVM man page lvmthin(7) on chunk size.",
            fix: "The chunk size is fixed when the pool is made: lvcreate --type thin-pool \
            --chunksize a multiple of the stripe.",
            ignore: "On arrays without parity.",
        },
        Rule {
            id: THIN_CHUNK_LARGE,
            severity: Severity::Note,
            title: "A thin pool with chunks above 2 MiB",
            means: "The first write to a chunk after a snapshot copies the whole chunk.",
            costs: "A 4 KiB write costs megabytes of copying, once a chunk and snapshot.",
            source: "lvmthin(7); Linux drivers/md/dm-thin.c.",
            fix: "Use smaller chunks for pools with snapshots.",
            ignore: "When there are no snapshots: large chunks keep the metadata small.",
        },
        Rule {
            id: THIN_CHUNK_UNKNOWN,
            severity: Severity::Unknown,
            title: "A thin pool of unknown chunk size",
            means: "The metadata do not contain the pool's chunk size, so nothing on it can be \
            placed.",
            costs: "Nothing is known of the alignment of its volumes.",
            source: "LVM metadata text, thin-pool segments.",
            fix: "Give the whole set of physical volumes with --together, or check on the host \
            itself.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: EXTENT_NOT_STRIPE_MULTIPLE,
            severity: Severity::Note,
            title: "LVM extents that are not whole stripes",
            means: "The extent size is no multiple of the full stripe below. The first extent is \
            aligned by LVM, later volumes start wherever the extents before them end.",
            costs: "Volumes after the first start off the stripe on arrays whose data disks are \
            no power of two.",
            source: "lvm.conf data_alignment_detection covers the first extent only.",
            fix: "Choose the extent size when the group is made (vgcreate -s), or allocate \
            volumes in whole stripes.",
            ignore: "On arrays without parity, and for random I/O much smaller than the chunk.",
        },
        Rule {
            id: TORN_PAGE_RISK,
            severity: Severity::DataRisk,
            title: "Pages that can be written in two parts, with the protection off",
            means: "The database's protection against torn pages is off (innodb_doublewrite, \
            full_page_writes), which is only safe where one page is one atomic write. Here pages \
            do not lie on boundaries of their own size all the way down.",
            costs: "A crash or power failure in the middle of a page write loses that page: the \
            database does not recover it.",
            source: "MySQL and PostgreSQL manuals; AWS torn write prevention and Google Cloud \
            need starts on 16 KiB multiples and ext4 bigalloc or XFS.",
            fix: "Turn the protection on again. Turn it off only when every layer starts on a \
            multiple of the page and the device guarantees atomic writes of that size.",
            ignore: "When the data can be thrown away.",
        },
        Rule {
            id: ZFS_NATIVE_HINT,
            severity: Severity::Note,
            title: "A native size in zpool status that is only a hint",
            means: "zpool status calls a large size native. Above 4 KiB that is a preference \
            that the device reports, or left from the device that was there before.",
            costs: "Nothing that is known.",
            source: "OpenZFS issues 13917, 14409 and 17327.",
            fix: "Look at physical_block_size in sysfs and at zdb -C before anything is rebuilt.",
            ignore: "Nearly always.",
        },
        Rule {
            id: ZFS_ASHIFT_UNKNOWN,
            severity: Severity::Note,
            title: "A pool whose ashift is not that of its vdevs",
            means: "The pool's property ashift is that of new vdevs, or 0; each vdev has its \
            own.",
            costs: "Nothing: the block size of the vdevs is not known from this text.",
            source: "zpoolprops(7).",
            fix: "zdb -C shows the ashift of every vdev.",
            ignore: "When zdb -C is at hand as well.",
        },
    ],
};
