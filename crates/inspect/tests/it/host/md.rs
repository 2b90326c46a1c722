//! md arrays and bcache from sysfs.

use ioalign_core::{Bytes, Kind, Map, Severity, Tier};

use super::sysroot::{Read as _, Sysroot, SysrootDisk};
use super::{grid, has_remark, layer};

fn four_disks() -> Sysroot {
    ["sda", "sdb", "sdc", "sdd"]
        .iter()
        .fold(Sysroot::new(), |tree, name| {
            tree.disk(SysrootDisk::new(name, 1 << 31).limits(512, 4096, 4096, 0))
                .partition(name, 1, 2048, (1 << 31) - 4096)
        })
}

const MEMBERS: [(&str, &str, u64); 4] = [
    ("sda1", "0", 264_192),
    ("sdb1", "1", 264_192),
    ("sdc1", "2", 264_192),
    ("sdd1", "3", 262_144),
];

#[test]
fn raid5_on_partitions() {
    let host = four_disks()
        .md("md0", 1 << 32, ("raid5", 65536, 2), &MEMBERS)
        .read();
    let md = layer(&host, "md0");
    assert_eq!((md.kind, md.below.len()), (Kind::Md, 4));
    let expected = Map::Striped {
        start: Bytes::new(129 << 20),
        chunk: Bytes::new(65536),
        data: 3,
        column: None,
    };
    assert_eq!(md.below[0].map, expected);
    assert_eq!(
        md.below[3].map.start(),
        Some(Bytes::new(128 << 20)),
        "offsets differ by member"
    );
    let stripe = grid(&host, "md0", "full-stripe").unwrap();
    assert_eq!(
        (stripe.size.get(), stripe.tier),
        (192 << 10, Tier::Preference)
    );
    assert_eq!(grid(&host, "md0", "raid-chunk").unwrap().size.get(), 65536);
    let page = grid(&host, "md0", "md-stripe-cache-page").unwrap();
    assert_eq!((page.size.get(), page.tier), (4096, Tier::Rmw));
    assert!(host.device("sda1").unwrap().held);
}

#[test]
fn mirrors_have_no_chunk() {
    let host = four_disks()
        .md("md0", 1 << 31, ("raid1", 0, 0), &MEMBERS[..2])
        .read();
    let md = layer(&host, "md0");
    assert_eq!(
        md.below[1].map,
        Map::Mirror {
            start: Bytes::new(129 << 20)
        }
    );
    assert!(grid(&host, "md0", "raid-chunk").is_none());
}

#[test]
fn raid10_near_and_a_reshape() {
    let host = four_disks()
        .md("md0", 1 << 32, ("raid10", 524_288, 0x102), &MEMBERS)
        .set("md0", "md/raid_disks", "4 (3)")
        .set("md0", "md/reshape_position", 12_345)
        .read();
    let columns: Vec<_> = layer(&host, "md0")
        .below
        .iter()
        .map(|edge| match edge.map {
            Map::Striped { data, column, .. } => (data, column),
            _ => panic!("striped"),
        })
        .collect();
    assert_eq!(
        columns,
        [(2, Some(0)), (2, Some(0)), (2, Some(1)), (2, Some(1))]
    );
    assert_eq!(has_remark(&host, "md0", "md-reshape"), Some(Severity::Note));
}

#[test]
fn a21_a_4kn_spare_breaks_the_array_on_reassembly() {
    let mut tree =
        Sysroot::new().disk(SysrootDisk::new("sdd", 1 << 31).limits(4096, 4096, 4096, 0));
    for name in ["sda", "sdb", "sdc"] {
        tree = tree.disk(SysrootDisk::new(name, 1 << 31));
    }
    let members = [
        ("sda", "0", 2048),
        ("sdb", "1", 2048),
        ("sdc", "2", 2048),
        ("sdd", "none", 2048),
    ];
    let host = tree
        .md("md5", 1 << 32, ("raid5", 65536, 2), &members)
        .read();
    let mixed = has_remark(&host, "md5", "mixed-logical-sectors");
    assert_eq!(mixed, Some(Severity::Broken));
    let why = &layer(&host, "md5").remarks[0].why;
    assert!(
        why.contains("512 → 4096") && why.contains("will not mount"),
        "{why}"
    );
    assert!(matches!(&layer(&host, "md5").below[3].map, Map::Opaque(why) if why.contains("spare")));
    assert_eq!(layer(&host, "md5").facts["raid-disks"], "3");
}

#[test]
fn an_unknown_level_is_opaque_and_said() {
    let host = four_disks()
        .md("md0", 1 << 31, ("raid7", 65536, 0), &MEMBERS)
        .read();
    assert!(
        layer(&host, "md0")
            .below
            .iter()
            .all(|e| matches!(e.map, Map::Opaque(_)))
    );
    assert!(has_remark(&host, "md0", "md-level-unknown").is_some());
}

#[test]
fn bcache_data_start_is_the_difference_of_sizes() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 21))
        .set("sda", "bcache/cache_mode", "[writethrough] writeback")
        .stacked("bcache0", (1 << 21) - 16, 512, &["sda"])
        .read();
    let bcache = layer(&host, "bcache0");
    assert_eq!(bcache.kind, Kind::Bcache);
    assert_eq!(
        bcache.below[0].map,
        Map::Shift {
            start: Bytes::new(8192)
        }
    );
}

#[test]
fn linear_sets_and_unequal_stripes() {
    let sized = |level| {
        four_disks()
            .md("md0", 1 << 32, (level, 65536, 0), &MEMBERS[..2])
            .set("md0", "md/dev-sda1/size", 1_048_576)
            .set("md0", "md/dev-sdb1/size", 2_097_152)
            .read()
    };
    let linear = sized("linear");
    let Map::Linear(runs) = &layer(&linear, "md0").below[1].map else {
        panic!("linear");
    };
    assert_eq!(runs.resolve(1 << 30), Some((129 << 20, 2 << 30)));
    assert_eq!(runs.resolve((1 << 30) - 1), None);
    let striped = sized("raid0");
    let scattered = Map::Scattered {
        start: Bytes::new(129 << 20),
        granule: Bytes::new(65536),
    };
    assert_eq!(layer(&striped, "md0").below[0].map, scattered);
}

#[test]
fn drbd_data_start_at_zero() {
    let host = four_disks()
        .stacked("drbd0", 1 << 20, 512, &["sda1"])
        .read();
    let drbd = layer(&host, "drbd0");
    assert_eq!(
        (drbd.kind, drbd.below[0].map.start()),
        (Kind::Volume, Some(Bytes::ZERO))
    );
}
