//! Device-mapper: LVM, crypt, thin, multipath from tables in a captured tree.

use ioalign_core::{Bytes, Kind, Map, Role, Severity, Tier};

use super::sysroot::{Read as _, Sysroot, SysrootDisk};
use super::{grid, has_remark, layer};

fn two_disks() -> Sysroot {
    Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 31).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 2048, 1 << 30)
        .disk(SysrootDisk::new("sdb", 1 << 31).limits(512, 4096, 4096, 0))
}

#[test]
fn an_lv_of_two_segments_is_linear() {
    let host = two_disks()
        .dm("dm-0", "my--vg-root", "LVM-abc", 16384, &["sda1"])
        .tables(
            "my--vg-root: 0 8192 linear {sda1} 2048\nmy--vg-root: 8192 8192 linear {sda1} 32768\n",
        )
        .read();
    let lv = layer(&host, "dm-0");
    assert_eq!((lv.kind, lv.name.as_str()), (Kind::LvmLv, "my-vg/root"));
    let Map::Linear(runs) = &lv.below[0].map else {
        panic!("linear");
    };
    assert_eq!(runs.resolve(0).unwrap().0, 1 << 20);
    assert_eq!(runs.resolve(8192 * 512).unwrap().0, 32768 * 512);
    for name in ["my-vg/root", "/dev/mapper/my--vg-root", "dm-0"] {
        assert_eq!(host.device(name).unwrap().name, "dm-0", "{name}");
    }
}

#[test]
fn without_a_table_the_place_is_opaque_and_unread() {
    let host = two_disks()
        .dm("dm-0", "vg-lv", "LVM-abc", 8192, &["sda1"])
        .read();
    let lv = layer(&host, "dm-0");
    assert!(matches!(&lv.below[0].map, Map::Opaque(why) if why.contains("table not readable")));
    let unread: Vec<_> = host
        .unread
        .iter()
        .filter(|u| u.what.ends_with("dm-table"))
        .collect();
    assert_eq!(unread.len(), 1);
    assert!(unread[0].unknown.contains("dm-0"));
}

#[test]
fn luks_with_4096_byte_sectors() {
    let host = two_disks()
        .dm(
            "dm-0",
            "secret",
            "CRYPT-LUKS2-abc-secret",
            1 << 20,
            &["sda1"],
        )
        .set("dm-0", "queue/logical_block_size", 4096)
        .tables(
            "secret: 0 1048576 crypt aes-xts-plain64 deadbeef 0 {sda1} 32768 1 sector_size:4096\n",
        )
        .read();
    let crypt = layer(&host, "dm-0");
    assert_eq!(crypt.kind, Kind::Crypt);
    assert_eq!(
        crypt.below[0].map,
        Map::Shift {
            start: Bytes::new(16 << 20)
        }
    );
    assert_eq!(crypt.size_unit, Some(Bytes::new(4096)));
    let sector = grid(&host, "dm-0", "logical-sector").unwrap();
    assert_eq!((sector.size.get(), sector.tier), (4096, Tier::Validity));
    assert!(
        !format!("{host:?}").contains("deadbeef"),
        "the key is nowhere"
    );
}

#[test]
fn thin_volumes_lie_in_chunks_of_their_pool() {
    let host = two_disks()
        .dm("dm-0", "vg-pool_tmeta", "LVM-a-tmeta", 8192, &["sda1"])
        .dm("dm-1", "vg-pool_tdata", "LVM-a-tdata", 1 << 20, &["sda1"])
        .dm("dm-2", "vg-pool-tpool", "LVM-a-tpool", 1 << 20, &["dm-0", "dm-1"])
        .dm("dm-3", "vg-thin", "LVM-b", 1 << 20, &["dm-2"])
        .tables(
            "vg-pool_tmeta: 0 8192 linear {sda1} 2048\nvg-pool_tdata: 0 1048576 linear {sda1} 10240\n\
             vg-pool-tpool: 0 1048576 thin-pool {dm-0} {dm-1} 1024 0 1 skip_block_zeroing\n\
             vg-thin: 0 1048576 thin {dm-2} 1\n",
        )
        .read();
    assert_eq!(layer(&host, "dm-2").kind, Kind::ThinPool);
    assert_eq!(
        grid(&host, "dm-2", "thin-chunk").unwrap().size.get(),
        512 << 10
    );
    let scattered = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(512 << 10),
    };
    assert_eq!(layer(&host, "dm-3").below[0].map, scattered);
    assert_eq!(layer(&host, "dm-0").role, Role::Reserved);
}

#[test]
fn striped_volumes_and_their_growth() {
    let base = || two_disks().dm("dm-0", "vg-s", "LVM-s", 1 << 21, &["sda1", "sdb"]);
    let one = base()
        .tables("vg-s: 0 2097152 striped 2 128 {sda1} 2048 {sdb} 4096\n")
        .read();
    let second = Map::Striped {
        start: Bytes::new(2 << 20),
        chunk: Bytes::new(65536),
        data: 2,
        column: Some(1),
    };
    assert_eq!(layer(&one, "dm-0").below[1].map, second);
    assert_eq!(
        grid(&one, "dm-0", "full-stripe").unwrap().size.get(),
        131_072
    );
    let grown = base()
        .tables(
            "vg-s: 0 1048576 striped 2 128 {sda1} 2048 {sdb} 4096\n\
             vg-s: 1048576 1048576 striped 2 128 {sda1} 9999360 {sdb} 9999360\n",
        )
        .read();
    let scattered = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(65536),
    };
    assert_eq!(layer(&grown, "dm-0").below[0].map, scattered);
}

#[test]
fn a15_minus_one_on_an_lvm_mirror_names_region_and_extent() {
    let host = two_disks()
        .dm("dm-0", "vg-lv_rmeta_0", "LVM-r0", 8192, &["sda1"])
        .dm("dm-1", "vg-lv_rimage_0", "LVM-i0", 1 << 30, &["sda1"])
        .dm("dm-2", "vg-lv_rmeta_1", "LVM-r1", 8192, &["sdb"])
        .dm("dm-3", "vg-lv_rimage_1", "LVM-i1", 1 << 30, &["sdb"])
        .dm("dm-4", "vg-lv", "LVM-lv", 1 << 30, &["dm-0", "dm-1", "dm-2", "dm-3"])
        .set("dm-4", "alignment_offset", -1)
        .tables(
            "vg-lv_rmeta_0: 0 8192 linear {sda1} 2048\nvg-lv_rimage_0: 0 1073741824 linear {sda1} 10240\n\
             vg-lv_rmeta_1: 0 8192 linear {sdb} 2048\nvg-lv_rimage_1: 0 1073741824 linear {sdb} 10240\n\
             vg-lv: 0 1073741824 raid raid1 3 0 region_size 4096 2 {dm-0} {dm-1} {dm-2} {dm-3}\n",
        )
        .read();
    let lv = layer(&host, "dm-4");
    let rule = has_remark(&host, "dm-4", "kernel-misaligned-stack");
    assert_eq!(rule, Some(Severity::Misaligned));
    let why = &lv.remarks[0].why;
    assert!(
        why.contains("region is 2 MiB") && why.contains("remainder 1 MiB"),
        "{why}"
    );
    assert_eq!(lv.below.len(), 2, "images only");
    assert!(matches!(lv.below[0].map, Map::Mirror { .. }));
}

#[test]
fn lvm_raid5_has_md_grids() {
    let mut tree = two_disks();
    let mut table = String::new();
    for i in 0..3 {
        let (dm, name) = (format!("dm-{i}"), format!("vg-r5_rimage_{i}"));
        tree = tree.dm(&dm, &name, "LVM-i", 1 << 20, &["sda1"]);
        table.push_str(&format!(
            "{name}: 0 1048576 linear {{sda1}} {}\n",
            2048 + 2_000_000 * i
        ));
    }
    table.push_str(
        "vg-r5: 0 2097152 raid raid5_ls 3 128 region_size 1024 3 - {dm-0} - {dm-1} - {dm-2}\n",
    );
    let host = tree
        .dm(
            "dm-3",
            "vg-r5",
            "LVM-r5",
            1 << 21,
            &["dm-0", "dm-1", "dm-2"],
        )
        .tables(&table)
        .read();
    assert_eq!(layer(&host, "dm-3").below.len(), 3);
    assert_eq!(
        grid(&host, "dm-3", "full-stripe").unwrap().size.get(),
        131_072
    );
    assert_eq!(
        grid(&host, "dm-3", "md-stripe-cache-page").unwrap().tier,
        Tier::Rmw
    );
}

#[test]
fn multipath_and_kpartx_partitions() {
    let host = two_disks()
        .dm("dm-0", "mpatha", "mpath-3600", 1 << 31, &["sda", "sdb"])
        .dm("dm-1", "mpatha1", "part1-mpath-3600", 1 << 20, &["dm-0"])
        .tables(
            "mpatha: 0 2147483648 multipath 0 0 1 1 service-time 0 2 2 {sda} 1 1 {sdb} 1 1\n\
             mpatha1: 0 1048576 linear {dm-0} 63\n",
        )
        .read();
    let paths = &layer(&host, "dm-0").below;
    assert_eq!(paths.len(), 2);
    assert!(
        paths
            .iter()
            .all(|e| e.map == Map::Mirror { start: Bytes::ZERO })
    );
    let partition = layer(&host, "dm-1");
    assert_eq!(partition.kind, Kind::Partition);
    assert_eq!(partition.start_sectors.unwrap().count(), 63);
    assert_eq!(partition.facts["number"], "1");
}

#[test]
fn targets_without_a_linear_relation_are_opaque() {
    let host = two_disks()
        .dm("dm-0", "v", "VDO-x", 8192, &["sda1"])
        .dm("dm-1", "z", "", 8192, &[])
        .tables("v: 0 8192 vdo V4 {sda1} 262144 4096 32768 16380\nz: 0 8192 zero\n")
        .read();
    assert!(matches!(&layer(&host, "dm-0").below[0].map, Map::Opaque(why) if why.contains("vdo")));
    assert!(layer(&host, "dm-1").below.is_empty());
}
