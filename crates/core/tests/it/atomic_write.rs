//! Certificates of stacks: which layer decides, by the kernel's rules.

use ioalign_core::atomic_write::{
    AtomicFileLimits, AtomicLimits, AtomicQuestion, AtomicSubject, AtomicVerdict, certify,
};
use ioalign_core::layer::detail::{ArrayLevel, Detail, DiskDetail, MappedDevice};
use ioalign_core::{Bytes, Kind, Layer, LayerId, Map, Stack};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

const fn limits(unit_max: u64, boundary: u64) -> AtomicLimits {
    AtomicLimits {
        unit_min: if unit_max == 0 { 0 } else { 512 },
        unit_max,
        max: unit_max,
        boundary,
    }
}

/// A stack on one disk of this transport, with these limits, on this kernel.
struct Tower {
    stack: Stack,
    top: LayerId,
}

impl Tower {
    fn new(transport: &'static str, limits: Option<AtomicLimits>, kernel: &str) -> Self {
        let mut stack = Stack::new();
        stack.kernel = Some(kernel.to_owned());
        let mut disk = Layer::new(Kind::Disk, "sda").sized(Bytes::new(1 << 30));
        disk.detail = Detail::Disk(DiskDetail {
            transport,
            ..DiskDetail::default()
        });
        disk.atomic = limits;
        let top = stack.push(disk);
        Self { stack, top }
    }

    fn on(mut self, layer: Layer, start: u64) -> Self {
        let map = Map::Shift {
            start: Bytes::new(start),
        };
        self.top = self.stack.push(layer.on(self.top, map));
        self
    }

    fn partition(self, start: u64) -> Self {
        self.on(Layer::new(Kind::Partition, "sda1"), start)
    }

    fn filesystem(self, kind: &str, cluster: Option<u64>, reflink: Option<bool>) -> Self {
        let mut layer = Layer::new(Kind::Filesystem, kind);
        layer.block = Some(Bytes::new(4096));
        layer.cluster = cluster.map(Bytes::new);
        if let Some(detail) = layer.detail.filesystem_mut() {
            detail.reflink = reflink;
        }
        self.on(layer, 0)
    }

    fn database(self, name: &str) -> Self {
        let mut layer = Layer::new(Kind::Database, name);
        layer.block = Some(Bytes::new(16 * KIB));
        self.on(layer, 0)
    }

    fn asked(&self, page: u64, file: Option<AtomicFileLimits>) -> AtomicSubject {
        let question = AtomicQuestion {
            page: Some(Bytes::new(page)),
            file,
            path: None,
        };
        let mut found = certify(&self.stack, &question);
        assert_eq!(found.subjects.len(), 1, "{found:?}");
        assert_eq!(found.predicted, found.subjects[0].predicted);
        found.subjects.remove(0)
    }

    #[track_caller]
    fn is(&self, page: u64, expected: AtomicVerdict, weakest: Option<&str>) -> AtomicSubject {
        let found = self.asked(page, None);
        assert_eq!(
            (found.predicted, found.weakest.as_deref()),
            (expected, weakest),
            "{found:?}"
        );
        found
    }
}

use AtomicVerdict::{Guaranteed, NotGuaranteed, Unknown};

fn nvme(unit_max: u64) -> Tower {
    Tower::new("nvme", Some(limits(unit_max, 0)), "6.18.4-arch1")
}

#[test]
fn ext4_needs_clusters_of_the_page_and_a_device_that_writes_them() {
    let clusters = |unit_max| {
        nvme(unit_max)
            .partition(MIB)
            .filesystem("ext4", Some(16 * KIB), None)
    };
    clusters(16 * KIB).is(16 * KIB, Guaranteed, None);
    clusters(64 * KIB).is(4 * KIB, Guaranteed, None);
    clusters(64 * KIB).is(32 * KIB, NotGuaranteed, Some("filesystem:ext4"));
    clusters(8 * KIB).is(16 * KIB, NotGuaranteed, Some("disk:sda"));
    clusters(0).is(16 * KIB, NotGuaranteed, Some("disk:sda"));
    let plain = nvme(64 * KIB).filesystem("ext4", None, None);
    plain.is(4 * KIB, Guaranteed, None);
    let found = plain.is(16 * KIB, NotGuaranteed, Some("filesystem:ext4"));
    assert!(
        found.why.contains("mkfs.ext4 -O bigalloc -C 16384"),
        "{}",
        found.why
    );
    nvme(64 * KIB).filesystem("ext3", None, None).is(
        4 * KIB,
        NotGuaranteed,
        Some("filesystem:ext3"),
    );
}

#[test]
fn xfs_with_reflink_needs_nothing_below() {
    let device = |unit_max| nvme(unit_max).filesystem("xfs", None, Some(true));
    device(0).is(4 * KIB, Guaranteed, None);
    // How far it goes is in its log: statx says.
    let found = device(0).is(16 * KIB, Unknown, Some("filesystem:xfs"));
    assert!(found.why.contains("statx"), "{}", found.why);
    let stated = AtomicFileLimits {
        unit_min: 4096,
        unit_max: MIB,
        unit_max_opt: 0,
    };
    assert_eq!(
        device(0).asked(16 * KIB, Some(stated)).predicted,
        Guaranteed
    );
    assert_eq!(
        device(0).asked(2 * MIB, Some(stated)).predicted,
        NotGuaranteed
    );
    assert_eq!(
        device(0).asked(2 * KIB, Some(stated)).predicted,
        NotGuaranteed
    );

    let without = |unit_max| nvme(unit_max).filesystem("xfs", None, Some(false));
    without(0).is(4 * KIB, NotGuaranteed, Some("disk:sda"));
    without(16 * KIB).is(4 * KIB, Guaranteed, None);
    without(16 * KIB).is(16 * KIB, NotGuaranteed, Some("filesystem:xfs"));
    nvme(0)
        .filesystem("xfs", None, None)
        .is(4 * KIB, Unknown, Some("filesystem:xfs"));
}

#[test]
fn the_word_of_the_kernel_overrules_the_rule() {
    let tower = nvme(0).filesystem("xfs", None, Some(true));
    let none = tower.asked(4 * KIB, Some(AtomicFileLimits::default()));
    assert_eq!(none.predicted, NotGuaranteed);
    let ext4 = nvme(0).filesystem("ext4", None, None);
    let stated = AtomicFileLimits {
        unit_min: 4096,
        unit_max: 65536,
        unit_max_opt: 0,
    };
    assert_eq!(ext4.asked(16 * KIB, Some(stated)).predicted, Guaranteed);
}

#[test]
fn file_systems_without_atomic_writes_are_what_has_to_go() {
    for kind in ["btrfs", "tmpfs", "ntfs", "f2fs"] {
        let label = format!("filesystem:{kind}");
        nvme(64 * KIB)
            .filesystem(kind, None, None)
            .is(16 * KIB, NotGuaranteed, Some(&label));
        nvme(0)
            .filesystem(kind, None, None)
            .is(4 * KIB, NotGuaranteed, Some(&label));
    }
    let zfs = nvme(0).filesystem("zfs", None, None).asked(16 * KIB, None);
    assert_eq!(zfs.predicted, Unknown);
    assert!(zfs.why.contains("zfs get recordsize"), "{}", zfs.why);
}

#[test]
fn partitions_start_at_the_boundary() {
    let at = |start, boundary| {
        let disk = Some(limits(16 * KIB, boundary));
        Tower::new("nvme", disk, "6.18.0")
            .partition(start)
            .filesystem("ext4", Some(16 * KIB), None)
    };
    at(63 * 512, 0).is(16 * KIB, Guaranteed, None);
    at(MIB, 32 * KIB).is(16 * KIB, Guaranteed, None);
    let found = at(63 * 512, 32 * KIB).is(16 * KIB, NotGuaranteed, Some("partition:sda1"));
    assert!(
        found
            .why
            .contains("starts at byte 32256, which is no multiple of 32 KiB"),
        "{}",
        found.why
    );
}

fn over(kind: Kind, unit_max: Option<u64>, level: Option<&str>, target: Option<&str>) -> Tower {
    let mut layer = Layer::new(kind, "md0");
    layer.atomic = unit_max.map(|unit_max| limits(unit_max, 0));
    layer.level = level.map(ArrayLevel::new);
    layer.mapped = target.map(|target| MappedDevice {
        target: Some(target.to_owned()),
        ..MappedDevice::default()
    });
    nvme(64 * KIB).partition(MIB).on(layer, MIB)
}

#[test]
fn drivers_that_pass_nothing_on_are_named() {
    for (level, file) in [
        ("raid5", "drivers/md/raid5.c"),
        ("raid6", "drivers/md/raid5.c"),
    ] {
        // With its queue's word, and by the rule alone.
        for word in [Some(0), None] {
            let tower = over(Kind::Md, word, Some(level), None);
            let found = tower.is(16 * KIB, NotGuaranteed, Some("md:md0"));
            assert!(found.why.contains(file), "{}", found.why);
        }
    }
    over(Kind::Volume, None, None, Some("thin")).is(4 * KIB, NotGuaranteed, Some("volume:md0"));
    over(Kind::Crypt, None, None, Some("crypt")).is(4 * KIB, Unknown, Some("crypt:md0"));
    over(Kind::Bcache, None, None, None).is(4 * KIB, NotGuaranteed, Some("bcache:md0"));
    over(Kind::Volume, None, None, Some("new-target")).is(4 * KIB, Unknown, Some("volume:md0"));
}

#[test]
fn drivers_that_pass_limits_on_are_composed_where_no_queue_says() {
    for level in ["raid0", "raid1", "raid10", "linear"] {
        over(Kind::Md, None, Some(level), None).is(64 * KIB, Guaranteed, None);
        over(Kind::Md, Some(16 * KIB), Some(level), None).is(
            64 * KIB,
            NotGuaranteed,
            Some("md:md0"),
        );
    }
    for target in ["linear", "striped", "mirror"] {
        over(Kind::LvmLv, None, None, Some(target)).is(64 * KIB, Guaranteed, None);
    }
}

#[test]
fn older_kernels_have_none_or_may_have_it_ported_back() {
    let old = Tower::new("nvme", None, "5.15.0-91-generic").filesystem("ext4", None, None);
    let found = old.is(4 * KIB, NotGuaranteed, Some("disk:sda"));
    assert!(found.why.contains("before 6.11"), "{}", found.why);
    let unseen = Tower::new("nvme", None, "6.18.0").filesystem("ext4", None, None);
    unseen.is(4 * KIB, Unknown, Some("disk:sda"));
    let ported = |kernel| {
        Tower::new("nvme", Some(limits(64 * KIB, 0)), kernel).filesystem(
            "ext4",
            Some(16 * KIB),
            None,
        )
    };
    ported("6.12.0-55.el10").is(16 * KIB, Unknown, Some("filesystem:ext4"));
    ported("6.14.2").is(16 * KIB, Unknown, Some("filesystem:ext4"));
    ported("6.14.2").is(4 * KIB, Guaranteed, None);
    ported("6.16.0").is(16 * KIB, Guaranteed, None);
}

#[test]
fn engines_that_mark_nothing_get_no_certificate() {
    let by_device = |transport| {
        let disk = Some(limits(64 * KIB, 0));
        Tower::new(transport, disk, "6.18.0")
            .filesystem("ext4", Some(16 * KIB), None)
            .database("innodb")
    };
    // NVMe holds AWUPF for any write, and nothing keeps the kernel from splitting one.
    by_device("nvme").is(16 * KIB, Unknown, Some("database:innodb"));
    let found = by_device("scsi").is(16 * KIB, NotGuaranteed, Some("database:innodb"));
    assert!(
        found
            .r#do
            .iter()
            .any(|step| step.contains("innodb_doublewrite=ON"))
    );
    let stated = AtomicFileLimits {
        unit_min: 4096,
        unit_max: MIB,
        unit_max_opt: 0,
    };
    let elsewhere = nvme(0)
        .filesystem("xfs", None, Some(true))
        .database("postgresql");
    let found = elsewhere.asked(16 * KIB, Some(stated));
    assert_eq!(found.predicted, NotGuaranteed);
    assert_eq!(found.weakest.as_deref(), Some("database:postgresql"));
    // What lies below is still what decides first.
    nvme(0)
        .filesystem("btrfs", None, None)
        .database("innodb")
        .is(16 * KIB, NotGuaranteed, Some("filesystem:btrfs"));
}

#[test]
fn devices_without_anything_on_them_are_asked_themselves() {
    nvme(16 * KIB).is(16 * KIB, Guaranteed, None);
    let found = nvme(16 * KIB)
        .partition(MIB)
        .is(32 * KIB, NotGuaranteed, Some("disk:sda"));
    assert_eq!(found.why, "it writes 16 KiB at most in one piece");
    Tower::new("", None, "6.18.0").is(4 * KIB, Unknown, Some("disk:sda"));
}

#[test]
fn a_page_is_that_of_the_database_where_none_is_named() {
    let tower = nvme(0).filesystem("btrfs", None, None).database("innodb");
    let found = certify(&tower.stack, &AtomicQuestion::default());
    assert_eq!(
        (found.unit_bytes, found.subjects.len()),
        (Some(16 * KIB), 1)
    );
    let none = certify(
        &nvme(0).filesystem("btrfs", None, None).stack,
        &AtomicQuestion::default(),
    );
    assert_eq!((none.unit_bytes, none.subjects.len()), (None, 0));
    assert_eq!(none.predicted, Unknown);
}

#[test]
fn promises_of_vendors_are_claims() {
    let mut tower = nvme(0).filesystem("ext4", Some(16 * KIB), None);
    let disk = tower.stack.layer_mut(LayerId(0));
    disk.detail = Detail::Disk(DiskDetail {
        transport: "nvme",
        model: Some("Amazon Elastic Block Store".to_owned()),
        ..DiskDetail::default()
    });
    let question = |page| AtomicQuestion {
        page: Some(Bytes::new(page)),
        ..AtomicQuestion::default()
    };
    let found = certify(&tower.stack, &question(16 * KIB));
    assert_eq!(found.predicted, NotGuaranteed, "a promise is no guarantee");
    assert!(found.claims[0].contains("twp-reqs"), "{:?}", found.claims);
    assert!(certify(&tower.stack, &question(32 * KIB)).claims.is_empty());
}
