//! Disks and partitions: the acceptance scenarios by their numbers.

use ioalign_core::{Bytes, Confidence, Kind, Map, Origin, Role, Severity, Tier};
use ioalign_inspect::host::Root;

use super::sysroot::{Read as _, Sysroot, SysrootDisk};
use super::{grid, has_remark, id, layer, off};

#[test]
fn a04_starts_in_the_gap_and_off_the_block() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sdb", 41_943_040).limits(512, 4096, 4096, 0))
        .partition("sdb", 1, 1, 7_020_404)
        .partition("sdb", 2, 7_020_405, 34_922_635)
        .read();
    let block = grid(&host, "sdb", "physical-block").unwrap();
    assert_eq!((block.size, block.tier), (Bytes::new(4096), Tier::Rmw));
    assert_eq!(block.confidence, Confidence::High);
    assert_eq!(off(&host, "sdb1", block), 512);
    assert_eq!(off(&host, "sdb2", block), 2560);
    assert_eq!(layer(&host, "sdb1").kind, Kind::Partition);
    assert_eq!(layer(&host, "sdb1").start_sectors.unwrap().count(), 1);
}

#[test]
fn a06_mkfs_xfs_will_refuse() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 512, 4096, 0))
        .partition("sda", 1, 34, 1 << 20)
        .set("sda1", "alignment_offset", 3072)
        .read();
    let unit = grid(&host, "sda", "minimum-io").unwrap();
    assert_eq!(off(&host, "sda1", unit), 1024);
    assert_eq!(
        has_remark(&host, "sda1", "mkfs-xfs-refuses"),
        Some(Severity::Note)
    );
    assert_eq!(has_remark(&host, "sda1", "kernel-alignment-differs"), None);
}

#[test]
fn a07_usb_bridge_with_a_bogus_optimal_size() {
    let host = Sysroot::new()
        .disk(
            SysrootDisk::new("sda", 1_953_525_168)
                .limits(512, 512, 512, 33_553_920)
                .usb(),
        )
        .partition("sda", 1, 4096, 1_953_517_568)
        .read();
    let optimal = grid(&host, "sda", "optimal-io").unwrap();
    let why = optimal.distrust.as_deref().unwrap();
    assert!(
        why.contains("0xFFFF × 512") && why.contains("32 MiB less 512"),
        "{why}"
    );
    assert_eq!(layer(&host, "sda").all_facts()["transport"], "usb");
    assert!(
        host.stack
            .grids
            .iter()
            .filter(|g| g.trusted())
            .all(|g| g.size.get() <= 4096)
    );
}

#[test]
fn a10_a_boot_loader_partition_has_its_role_from_udev() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 34, 2014);
    let number = tree.number("sda1");
    let host = tree
        .file(
            &format!("run/udev/data/b{number}"),
            "S:disk/by-id/x\nE:ID_PART_ENTRY_TYPE=21686148-6449-6e6f-744e-656564454649\n",
        )
        .read();
    assert_eq!(layer(&host, "sda1").role, Role::BiosBoot);
}

#[test]
fn a11_a_card_prefers_its_erase_size_with_low_confidence() {
    let host = Sysroot::new()
        .disk(
            SysrootDisk::new("mmcblk0", 62_333_952)
                .bus("platform/soc/mmc_host/mmc0/mmc0:0001")
                .flash()
                .attr("device/preferred_erase_size", 4_194_304)
                .attr("device/name", "SD128"),
        )
        .partition("mmcblk0", 4, 30_929_920, 1 << 20)
        .read();
    let erase = grid(&host, "mmcblk0", "erase-block").unwrap();
    assert_eq!(
        (erase.tier, erase.confidence),
        (Tier::Preference, Confidence::Low)
    );
    assert_eq!(erase.origin, Origin::Reported);
    assert_ne!(off(&host, "mmcblk0p4", erase), 0);
    let page = grid(&host, "mmcblk0", "physical-block").unwrap();
    assert_eq!(
        (off(&host, "mmcblk0p4", page), page.confidence),
        (0, Confidence::Low)
    );
    assert_eq!(layer(&host, "mmcblk0").all_facts()["transport"], "mmc");
}

#[test]
fn a13_a_jumpered_drive_wants_lba_7_mod_8() {
    let host = Sysroot::new()
        .disk(
            SysrootDisk::new("sda", 1 << 31)
                .limits(512, 4096, 4096, 0)
                .attr("alignment_offset", 3584),
        )
        .partition("sda", 1, 63, 1953)
        .set("sda1", "alignment_offset", 0)
        .partition("sda", 2, 2048, 1 << 20)
        .set("sda2", "alignment_offset", 3584)
        .read();
    let block = grid(&host, "sda", "physical-block").unwrap();
    assert_eq!(block.phase, Bytes::new(3584));
    assert_eq!(off(&host, "sda1", block), 0);
    assert_eq!(off(&host, "sda2", block), 512);
    for sector in [2047, 2055] {
        assert!(block.offset_of(Bytes::new(sector * 512)).is_zero());
    }
    assert_eq!(has_remark(&host, "sda1", "kernel-alignment-differs"), None);
    assert_eq!(has_remark(&host, "sda2", "kernel-alignment-differs"), None);
}

#[test]
fn the_kernel_is_contradicted_with_a_note() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 31).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 63, 1953)
        .set("sda1", "alignment_offset", 0)
        .read();
    let rule = has_remark(&host, "sda1", "kernel-alignment-differs");
    assert_eq!(rule, Some(Severity::Note));
}

#[test]
fn a32_sysfs_counts_512_byte_units_on_4kn() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 31).limits(4096, 4096, 4096, 0))
        .partition("sda", 1, 16384, 1 << 20)
        .read();
    let partition = layer(&host, "sda1");
    let start = partition.start_sectors.unwrap();
    assert_eq!((start.count(), start.size().get()), (2048, 4096));
    let start = Bytes::new(8 << 20);
    assert_eq!(partition.below[0].map, Map::Shift { start });
    assert_eq!(partition.logical_sector, Some(Bytes::new(4096)));
}

#[test]
fn a39_zones_of_a_host_managed_disk() {
    let zoned = |model: &str| {
        Sysroot::new()
            .disk(
                SysrootDisk::new("sda", 1 << 34)
                    .limits(4096, 4096, 4096, 0)
                    .attr("queue/zoned", model)
                    .attr("queue/chunk_sectors", 524_288),
            )
            .partition("sda", 1, 2048, 1 << 20)
            .partition("sda", 2, 524_288, 1 << 20)
            .read()
    };
    let host = zoned("host-managed");
    let zone = grid(&host, "sda", "zone").unwrap();
    assert_eq!((zone.tier, zone.size.get()), (Tier::Validity, 256 << 20));
    assert_eq!(off(&host, "sda1", zone), 1 << 20);
    assert_eq!(off(&host, "sda2", zone), 0);
    let aware = zoned("host-aware");
    assert_eq!(grid(&aware, "sda", "zone").unwrap().tier, Tier::Preference);
    let plain = zoned("none");
    let boundary = grid(&plain, "sda", "io-boundary").unwrap();
    assert_eq!(boundary.tier, Tier::Preference);
}

#[test]
fn memory_disks_and_empty_loops_are_no_layers() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("loop0", 0).bus("virtual"))
        .disk(SysrootDisk::new("ram0", 8192).bus("virtual"))
        .disk(SysrootDisk::new("zram0", 8192).bus("virtual"))
        .disk(
            SysrootDisk::new("nvme0c0n1", 8192)
                .bus("virtual")
                .attr("hidden", 1),
        )
        .disk(
            SysrootDisk::new("loop1", 8192)
                .bus("virtual")
                .attr("loop/backing_file", "/x.img")
                .attr("loop/offset", 512),
        )
        .read();
    assert_eq!(host.devices.len(), 1);
    assert_eq!(host.skipped.len(), 4);
    let facts = layer(&host, "loop1").all_facts();
    assert_eq!(
        (
            facts["backing-file"].as_str(),
            facts["backing-offset"].as_str()
        ),
        ("/x.img", "512")
    );
}

#[test]
fn an_extended_partition_shows_as_1_kib() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 31).limits(512, 4096, 4096, 0))
        .partition("sda", 2, 2_050_046, 2)
        .partition("sda", 5, 2_050_048, 1 << 20)
        .read();
    assert_eq!(layer(&host, "sda2").role, Role::Extended);
    assert_eq!(layer(&host, "sda5").role, Role::Data);
}

#[test]
fn copies_of_devices_are_readable_and_others_are_listed() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 4096))
        .disk(SysrootDisk::new("sdb", 4096))
        .file("dev/sda", vec![7_u8; 4096])
        .link("dev/sdb", "/etc/passwd");
    let host = tree.read();
    let view = host.device("sda").unwrap().view(&tree.root()).unwrap();
    assert_eq!(view.read(0, 2).unwrap(), [7, 7]);
    let sdb = host.device("/dev/sdb").unwrap();
    assert!(sdb.unreadable.is_some(), "a link does not leave the tree");
    assert!(sdb.view(&tree.root()).is_err());
    assert_eq!(host.unread.len(), 1);
    assert!(host.unread[0].unknown.contains("sdb"));
}

#[test]
fn only_keeps_what_is_below_and_above() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 20))
        .partition("sda", 1, 2048, 4096)
        .partition("sda", 2, 8192, 4096)
        .disk(SysrootDisk::new("sdb", 1 << 20))
        .disk(SysrootDisk::new("sdc", 1 << 20))
        .md(
            "md0",
            4096,
            ("raid1", 0, 0),
            &[("sda1", "0", 0), ("sdb", "1", 0)],
        );
    let host = ioalign_inspect::host::read(&tree.root(), &["/dev/sda1".to_owned()]).unwrap();
    let names: Vec<&str> = host.devices.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["sda", "sda1", "sdb", "md0"]);
    assert!(host.device("sda1").unwrap().held && !host.device("md0").unwrap().held);
    assert_eq!(id(&host, "sda").0, 0);
    let error = ioalign_inspect::host::read(&tree.root(), &["sdz".to_owned()]).unwrap_err();
    assert_eq!(error.kind(), ioalign_inspect::ErrorKind::NotFound);
}

#[test]
fn mounts_and_swaps_name_their_devices() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 20))
        .partition("sda", 1, 2048, 4096);
    let number = tree.number("sda1");
    let mountinfo = format!(
        "1 0 {number} / / rw - ext4 /dev/root rw\n2 1 0:5 / /proc rw - proc proc rw\n\
         3 1 0:40 /@ /data rw - btrfs /dev/sda rw\n"
    );
    let host = tree
        .file("proc/self/mountinfo", mountinfo)
        .file(
            "proc/swaps",
            "Filename Type Size Used Priority\n/dev/sda1 partition 2044 0 -2\n",
        )
        .read();
    assert_eq!(host.mounts.len(), 2);
    assert_eq!(host.mounts[0].device.as_deref(), Some("sda1"));
    assert_eq!(host.mounts[1].device.as_deref(), Some("sda"));
    assert_eq!(host.swaps[0].device.as_deref(), Some("sda1"));
    assert_eq!(host.swaps[0].size, Bytes::new(2044 << 10));
}

#[test]
fn a_folder_without_sys_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::captured(dir.path()).unwrap();
    assert!(ioalign_inspect::host::read(&root, &[]).is_err());
}
