//! Acceptance scenarios of arrays, volume groups and thin pools on captured hosts.

use ioalign_testkit::CheckRun;
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};
use serde_json::json;

use super::{check_host, cost, why};

/// Disks with 4 KiB blocks, one partition at 1 MiB each.
fn disks(names: &[&str]) -> Sysroot {
    names.iter().fold(Sysroot::new(), |tree, name| {
        tree.disk(SysrootDisk::new(name, 1 << 31).limits(512, 4096, 4096, 0))
            .partition(name, 1, 2048, (1 << 31) - 4096)
    })
}

/// RAID 5 of four, with this chunk, whose data start 129 MiB into each partition.
fn raid5(chunk: u64) -> Sysroot {
    disks(&["sda", "sdb", "sdc", "sdd"]).md(
        "md0",
        3 << 31,
        ("raid5", chunk, 2),
        &[
            ("sda1", "0", 264_192),
            ("sdb1", "1", 264_192),
            ("sdc1", "2", 264_192),
            ("sdd1", "3", 264_192),
        ],
    )
}

#[test]
fn sector_64_on_raid5_costs_16_kib_pages_nothing() {
    let tree = raid5(65536).partition("md0", 1, 64, 1 << 30);
    let checked = check_host(&tree, &[]);
    assert_eq!(
        checked.of_rule("start-misaligned").len(),
        0,
        "{:?}",
        checked.rules()
    );
    let finding = checked.finding("start-suboptimal", "md0p1");
    assert_eq!(finding["unit_bytes"], 65536);
    assert_eq!(cost(finding, 16384), (0.0, 1.0));
}

#[test]
fn sector_63_on_raid5_costs_whole_pages() {
    let tree = raid5(65536).partition("md0", 1, 63, 1 << 30);
    let checked = check_host(&tree, &[]);
    assert_eq!(checked.verdict(), "misaligned");
    assert_eq!(
        checked.finding("start-misaligned", "md0p1")["unit_bytes"],
        4096
    );
}

#[test]
fn one_bad_start_is_one_finding() {
    // Off the disks' blocks, md's pages, the chunk and the stripe: one move puts all of it right.
    let tree = raid5(65536).partition("md0", 1, 63, 1 << 30);
    let checked = check_host(&tree, &[]);
    let starts: Vec<_> = checked
        .findings()
        .iter()
        .filter(|f| f["rule"].as_str().unwrap().starts_with("start-"))
        .collect();
    assert_eq!(starts.len(), 1, "{:?}", checked.rules());
    let why = why(starts[0]);
    for unit in [
        "64 KiB (raid-chunk)",
        "192 KiB (full-stripe)",
        "4 KiB (md-stripe-cache-page)",
    ] {
        assert_eq!(why.matches(unit).count(), 1, "{why}");
    }
    assert_eq!(starts[0]["suggest"]["start_sectors"], 6144);
}

#[test]
fn a_member_off_its_blocks_is_replaced_one_at_a_time() {
    let tree = disks(&["sda"])
        .disk(SysrootDisk::new("sdb", 1 << 31).limits(512, 4096, 4096, 0))
        .partition("sdb", 1, 63, 1 << 30)
        .md(
            "md0",
            1 << 29,
            ("raid1", 0, 0),
            &[("sda1", "0", 2048), ("sdb1", "1", 2048)],
        );
    let checked = check_host(&tree, &[]);
    let finding = checked.finding("start-misaligned", "sdb1");
    assert!(
        finding["do"][0].as_str().unwrap().contains("--remove sdb1"),
        "{finding:#}"
    );
}

#[test]
fn one_mib_on_raid5_of_three_data_disks_is_off_the_stripe() {
    let tree = raid5(65536).partition("md0", 1, 2048, 1 << 30);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("suboptimal", 1));
    let finding = checked.finding("start-suboptimal", "md0p1");
    assert_eq!(finding["unit_bytes"], 196_608);
    assert_eq!(cost(finding, 196_608).1, 2.0);
    assert_eq!(
        finding["suggest"]["start_sectors"], 6144,
        "a multiple of 1 MiB and of the stripe"
    );
}

/// A mirrored LV whose images start 1 MiB into their regions of 2 MiB.
fn mirrored_volume() -> Sysroot {
    disks(&["sda", "sdb"])
        .dm("dm-0", "vg-lv_rmeta_0", "LVM-r0", 8192, &["sda1"])
        .dm("dm-1", "vg-lv_rimage_0", "LVM-i0", 1 << 30, &["sda1"])
        .dm("dm-2", "vg-lv_rmeta_1", "LVM-r1", 8192, &["sdb1"])
        .dm("dm-3", "vg-lv_rimage_1", "LVM-i1", 1 << 30, &["sdb1"])
        .dm("dm-4", "vg-lv", "LVM-lv", 1 << 30, &["dm-0", "dm-1", "dm-2", "dm-3"])
        .set("dm-4", "alignment_offset", -1)
        .tables(
            "vg-lv_rmeta_0: 0 8192 linear {sda1} 2048\nvg-lv_rimage_0: 0 1073741824 linear {sda1} 10240\n\
             vg-lv_rmeta_1: 0 8192 linear {sdb1} 2048\nvg-lv_rimage_1: 0 1073741824 linear {sdb1} 10240\n\
             vg-lv: 0 1073741824 raid raid1 3 0 region_size 4096 2 {dm-0} {dm-1} {dm-2} {dm-3}\n",
        )
}

#[test]
fn a15_minus_one_is_a_verdict_and_no_number() {
    let checked = check_host(&mirrored_volume(), &[]);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    let finding = checked.finding("kernel-misaligned-stack", "vg/lv");
    assert!(
        why(finding).contains("alignment_offset -1")
            && why(finding).contains("region is 2 MiB")
            && why(finding).contains("remainder 1 MiB"),
        "{finding:#}"
    );
    assert_eq!(checked.of_rule("start-misaligned").len(), 0);
    assert_eq!(checked.of_rule("kernel-misaligned-stack").len(), 1);
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
    let tree = tree.md("md5", 1 << 32, ("raid5", 65536, 2), &members);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("broken", 2));
    let finding = checked.finding("mixed-logical-sectors", "md5");
    assert!(why(finding).contains("512 → 4096"), "{finding:#}");
}

/// A group on a disk with 512-byte sectors and one with 4096.
fn mixed_group(table: &str) -> CheckRun {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("vda", 1 << 25).virtio())
        .partition("vda", 5, 2048, 1 << 24)
        .disk(
            SysrootDisk::new("vdg", 1 << 25)
                .virtio()
                .limits(4096, 4096, 4096, 0),
        )
        .partition("vdg", 1, 2048, 1 << 24)
        .dm("dm-0", "vg-one", "LVM-one", 1 << 20, &["vda5"])
        .dm("dm-1", "vg-two", "LVM-two", 1 << 20, &["vdg1"])
        .tables(table);
    check_host(&tree, &[])
}

#[test]
fn a21_the_same_for_a_volume_group() {
    let apart =
        mixed_group("vg-one: 0 1048576 linear {vda5} 2048\nvg-two: 0 1048576 linear {vdg1} 2048\n");
    assert_eq!((apart.verdict(), apart.code), ("broken", 2));
    let finding = apart.finding("mixed-logical-sectors", "vdg1");
    assert!(
        why(finding).contains("vda5") && why(finding).contains("512 → 4096"),
        "{finding:#}"
    );
    let spanning = "vg-one: 0 524288 linear {vda5} 2048\nvg-one: 524288 524288 linear {vdg1} 2048\n\
                    vg-two: 0 1048576 linear {vdg1} 1048576\n";
    let spanned = mixed_group(spanning);
    assert_eq!(
        spanned.of_rule("mixed-logical-sectors").len(),
        1,
        "{:?}",
        spanned.rules()
    );
}

/// A thin pool with this chunk on RAID 5 with four data disks and a full stripe of 1 MiB.
fn thin_pool(chunk: u64) -> CheckRun {
    let names = ["sda", "sdb", "sdc", "sdd", "sde"];
    let members = ["sda1", "sdb1", "sdc1", "sdd1", "sde1"];
    let slots = ["0", "1", "2", "3", "4"];
    let members: Vec<_> = members
        .iter()
        .zip(slots)
        .map(|(m, slot)| (*m, slot, 264_192))
        .collect();
    let tree = disks(&names)
        .md("md0", 1 << 33, ("raid5", 256 << 10, 2), &members)
        .dm("dm-0", "vg-pool_tmeta", "LVM-a-tmeta", 8192, &["md0"])
        .dm("dm-1", "vg-pool_tdata", "LVM-a-tdata", 1 << 24, &["md0"])
        .dm("dm-2", "vg-pool-tpool", "LVM-a-tpool", 1 << 24, &["dm-0", "dm-1"])
        .dm("dm-3", "vg-thin", "LVM-b", 1 << 24, &["dm-2"])
        .dm("dm-4", "vg-second", "LVM-c", 1 << 24, &["dm-2"])
        .tables(&format!(
            "vg-pool_tmeta: 0 8192 linear {{md0}} 33554432\nvg-pool_tdata: 0 16777216 linear {{md0}} 2048\n\
             vg-pool-tpool: 0 16777216 thin-pool {{dm-0}} {{dm-1}} {} 0 1 skip_block_zeroing\n\
             vg-thin: 0 16777216 thin {{dm-2}} 1\nvg-second: 0 16777216 thin {{dm-2}} 2\n",
            chunk / 512
        ));
    check_host(&tree, &[])
}

#[test]
fn a27_thin_chunks_smaller_than_the_stripe() {
    let checked = thin_pool(512 << 10);
    assert_eq!((checked.verdict(), checked.code), ("suboptimal", 1));
    let finding = checked.finding("thin-chunk-not-stripe-multiple", "tpool");
    assert_eq!(
        (&finding["unit_bytes"], &finding["offset_bytes"]),
        (&json!(1 << 20), &json!(512 << 10))
    );
    assert!(
        finding["do"][0]
            .as_str()
            .unwrap()
            .contains("--chunksize 1024k"),
        "{finding:#}"
    );
    let defects = checked
        .findings()
        .iter()
        .filter(|f| f["severity"] != "note");
    assert_eq!(defects.count(), 1, "said once: {:?}", checked.rules());
}

#[test]
fn a27_thin_chunks_that_fit() {
    let checked = thin_pool(1 << 20);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("ok", 0),
        "{:?}",
        checked.rules()
    );
    let large = thin_pool(4 << 20);
    assert_eq!((large.verdict(), large.code), ("ok", 0));
    assert_eq!(
        large.finding("thin-chunk-large", "tpool")["severity"],
        "note"
    );
}
