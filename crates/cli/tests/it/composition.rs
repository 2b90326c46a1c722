//! What only composing all layers gets right, on stacks that a real kernel made.
//!
//! The fixtures come from Debian's kernel in a microVM (`cargo xtask fixtures`): each is read as a
//! captured host and, where that makes sense, as the bare disks.

use ioalign_testkit::run::fixture;
use ioalign_testkit::{CheckRun, check};
use serde_json::Value;

use super::PROGRAM;

fn captured(name: &str) -> CheckRun {
    let folder = fixture(name);
    check(PROGRAM, ["--sysroot".as_ref(), folder.as_os_str()])
}

fn together(name: &str, devices: &[&str], more: &[&str]) -> CheckRun {
    let folder = fixture(name).join("dev");
    let mut arguments = vec!["--together".to_owned()];
    arguments.extend(devices.iter().map(|d| folder.join(d).display().to_string()));
    arguments.extend(more.iter().map(|text| (*text).to_owned()));
    check(PROGRAM, arguments)
}

const DISKS: [&str; 4] = ["vda", "vdb", "vdc", "vdd"];

fn about<'a>(checked: &'a CheckRun, layer: &str) -> Vec<&'a Value> {
    let ends = |value: &Value| value.as_str().is_some_and(|id| id.ends_with(layer));
    checked
        .findings()
        .iter()
        .filter(|f| ends(&f["layer"]) || ends(&f["guilty_layer"]))
        .collect()
}

#[test]
fn lvm_on_sector_63_is_right_and_the_partition_only_noted() {
    needs!(Fixtures);
    let checked = captured("lvm-on-63");
    let rules = checked.rules();
    let defects: Vec<_> = checked
        .findings()
        .iter()
        .filter(|f| f["why"].as_str().unwrap().contains("md0p1"))
        .collect();
    assert!(
        defects.iter().all(|f| f["severity"] == "note"),
        "{rules:?} {defects:#?}"
    );
    assert!(
        !checked.of_rule("start-repaired-above").is_empty(),
        "{rules:?}"
    );
    assert_eq!(checked.offset("vg/data", 64 << 10), Some(0));
}

#[test]
fn the_same_stack_from_the_bare_disks() {
    needs!(Fixtures);
    let checked = together("lvm-on-63", &DISKS, &[]);
    assert_eq!(
        checked.layer("lvm-pv:p1")["below"][0]["start_bytes"],
        2113 * 512
    );
    assert!(
        !checked.of_rule("start-repaired-above").is_empty(),
        "{:?}",
        checked.rules()
    );
    assert_eq!(checked.offset("vg/data", 64 << 10), Some(0));
    assert_eq!(checked.of_rule("start-misaligned").len(), 0);
}

#[test]
fn the_second_volume_is_off_a_stripe_of_three() {
    needs!(Fixtures);
    for checked in [
        captured("lvm-on-raid5"),
        together("lvm-on-raid5", &DISKS, &[]),
    ] {
        let off = checked.of_rule("start-suboptimal");
        assert_eq!(off.len(), 1, "{:?}", checked.rules());
        assert_eq!(off[0]["unit_bytes"], 192 << 10);
        assert_eq!(off[0]["offset_bytes"], 64 << 10);
        assert!(
            off[0]["guilty_layer"].as_str().unwrap().contains("second"),
            "{off:#?}"
        );
        // A full-stripe write touches two stripes, both in part: measured 2.1 to 2.4 × slower.
        let rows = off[0]["cost"].as_array().unwrap();
        let full = rows
            .iter()
            .find(|row| row["io_bytes"] == 192 << 10)
            .unwrap();
        assert_eq!(
            (&full["cells_ratio"], &full["rmw_ratio"]),
            (&2.0.into(), &2.0.into())
        );
    }
}

#[test]
fn md_raid5_members_at_sectors_63_64_and_2048() {
    needs!(Fixtures);
    // The members' data areas start 1 MiB into partitions: the disks' own blocks decide.
    let bad = captured("md-raid5-63");
    let good = captured("md-raid5-2048");
    assert_eq!(bad.layer("md0")["kind"], "md");
    for checked in [&bad, &good] {
        let xfs = checked.layer("filesystem:xfs");
        assert_eq!(xfs["block_bytes"], 4096);
        assert_eq!(checked.of_rule("fs-geometry-missing").len(), 0);
        assert_eq!(checked.of_rule("fs-geometry-mismatch").len(), 0);
        assert!(
            about(checked, "md0")
                .iter()
                .all(|f| f["severity"] != "broken")
        );
    }
    assert_eq!(
        good.of_rule("start-misaligned").len(),
        0,
        "{:?}",
        good.rules()
    );
    assert_ne!(
        bad.of_rule("start-misaligned").len(),
        0,
        "{:?}",
        bad.rules()
    );
}

#[test]
fn md_arrays_from_bare_disks_show_their_file_system() {
    needs!(Fixtures);
    for (name, level) in [
        ("md-raid5-63", "raid5"),
        ("md-raid5-2048", "raid5"),
        ("md-raid10", "raid10"),
    ] {
        let checked = together(name, &DISKS, &[]);
        let layers = checked.target()["layers"].as_array().unwrap();
        let md = layers.iter().find(|layer| layer["kind"] == "md").unwrap();
        assert_eq!(md["facts"]["level"], level, "{md:#}");
        checked.layer("filesystem:xfs");
    }
}

#[test]
fn mirrors_with_old_metadata() {
    needs!(Fixtures);
    for (name, metadata) in [("md-raid1-1.0", "1.0"), ("md-raid1-0.90", "0.90")] {
        let checked = together(name, &DISKS[..2], &[]);
        let layers = checked.target()["layers"].as_array().unwrap();
        let md = layers.iter().find(|layer| layer["kind"] == "md").unwrap();
        assert_eq!(md["facts"]["metadata"], metadata);
        assert_eq!(md["below"][0]["map"], "mirror");
        assert_eq!(md["below"][0]["start_bytes"], 0);
    }
}

#[test]
fn a_one_aligned_drive_wants_63() {
    needs!(Fixtures);
    let checked = captured("topology-one-aligned");
    assert_eq!(checked.offset("sda1", 4096), Some(0));
    assert!(
        about(&checked, "sda1")
            .iter()
            .all(|f| f["severity"] == "note"),
        "{:?}",
        checked.rules()
    );
}

#[test]
fn a_bogus_optimal_size_is_shown_and_judges_nothing() {
    needs!(Fixtures);
    let checked = captured("topology-bogus-optimal");
    let grids = checked.target()["grids"].as_array().unwrap();
    let bogus: Vec<_> = grids
        .iter()
        .filter(|grid| grid["trusted"] == false)
        .collect();
    assert!(!bogus.is_empty(), "{grids:#?}");
    assert!(bogus.iter().all(|grid| grid["why"].is_string()));
    assert!(
        about(&checked, "sda1")
            .iter()
            .all(|f| f["severity"] == "note"),
        "{:?}",
        checked.rules()
    );
}

#[test]
fn cryptsetup_repairs_a_partition_at_63_as_lvm_does() {
    needs!(Fixtures);
    // luksFormat adds alignment_offset: the payload starts 512 bytes past 16 MiB.
    let checked = captured("luks2");
    assert_eq!(
        checked.layer("crypt:secret63")["below"][0]["start_bytes"],
        (16 << 20) + 512
    );
    assert_eq!(checked.offset("crypt:secret63", 4096), Some(0));
    assert_eq!(
        checked.of_rule("start-misaligned").len(),
        0,
        "{:?}",
        checked.rules()
    );
    checked.finding("start-repaired-above", "vda1");
    assert_eq!(
        checked.layer("crypt:secret2048")["logical_sector_bytes"],
        4096
    );
    // mke2fs chose 1 KiB blocks for a small volume; the disk changes 4 KiB at a time.
    assert_eq!(
        checked.finding("block-below-rmw-unit", "ext4")["severity"],
        "suboptimal"
    );
}

#[test]
fn striped_mirrored_and_thin_volumes() {
    needs!(Fixtures);
    let folder = captured("lvm-segments");
    let bare = together("lvm-segments", &DISKS, &[]);
    assert_eq!(bare.layer("vg/striped")["below"][0]["map"], "striped");
    assert_eq!(bare.layer("vg/mirrored")["below"][0]["map"], "mirror");
    assert_eq!(bare.layer("thin-pool:vg/pool")["block_bytes"], 64 << 10);
    assert_eq!(bare.layer("vg/thin")["below"][0]["map"], "scattered");
    for checked in [&folder, &bare] {
        assert_eq!(
            checked.of_rule("start-misaligned").len(),
            0,
            "{:?}",
            checked.rules()
        );
    }
}
