//! `--target-logical`: one image on disks with 512-byte and with 4096-byte sectors.

use std::process::Command;

use ioalign_testkit::Disk;
use ioalign_testkit::gpt::{self, ESP, LINUX};
use ioalign_testkit::run::text;

use super::{fat, plain};
use crate::{check_image, why};

#[test]
fn a_table_for_512_alone_is_broken_on_4kn_with_what_to_do() {
    let disk = plain(64 << 20);
    let checked = check_image(disk.path(), &["--target-logical", "4096"]);
    assert_eq!((checked.verdict(), checked.code), ("broken", 2));
    let finding = checked.finding("table-sector-mismatch", "disk.img");
    let steps = finding["do"].to_string();
    assert!(
        steps.contains("write a new table for 4096 B sectors"),
        "{steps}"
    );
    assert_eq!(
        check_image(disk.path(), &["--target-logical", "512"]).verdict(),
        "ok"
    );
}

/// Tables for both sector sizes that name the same bytes, and an ESP that Linux mounts on both.
fn hybrid(second: u64) -> Disk {
    let disk = Disk::new("hybrid.img", 64 << 20);
    let large = [(ESP, 256, 4096), (LINUX, second, 8192)];
    gpt::write(&disk, 4096, &large);
    // Behind the arrays for 4096, at both ends.
    let arrays = (64, 131_072 - 128);
    let small = [(ESP, 2048, 32768), (LINUX, 34816, 65536)];
    gpt::write_at(&disk, 512, &small, arrays);
    disk.splice(1 << 20, &fat(disk.folder(), "4096", "16384"));
    disk
}

/// First sectors of the partitions, as fdisk reads them with sectors of this size.
fn fdisk(disk: &Disk, sector: &str) -> Vec<u64> {
    let mut command = Command::new("fdisk");
    command
        .env("LC_ALL", "C")
        .args(["-b", sector, "-o", "Start", "-l", text(disk.path())]);
    let output = command.output().unwrap();
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    listed
        .lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect()
}

#[test]
fn an_image_with_both_tables_is_right_on_both_disks() {
    needs!(Packages);
    let disk = hybrid(4352);
    assert_eq!(fdisk(&disk, "512"), [2048, 34816]);
    assert_eq!(fdisk(&disk, "4096"), [256, 4352]);
    for target in ["512", "4096"] {
        let checked = check_image(disk.path(), &["--target-logical", target]);
        assert_eq!(
            (checked.verdict(), checked.code),
            ("ok", 0),
            "{target}: {:?}",
            checked.rules()
        );
        assert_eq!(checked.of_rule("gpt-two-sector-sizes").len(), 1);
        assert_eq!(checked.of_rule("gpt-tables-disagree").len(), 0);
    }
}

#[test]
fn tables_that_name_different_bytes_are_a_risk() {
    needs!(Packages);
    let disk = hybrid(4353);
    assert_eq!(fdisk(&disk, "4096"), [256, 4353]);
    let checked = check_image(disk.path(), &[]);
    assert_eq!((checked.verdict(), checked.code), ("data-risk", 2));
    checked.finding("gpt-tables-disagree", "hybrid.img");
}

#[test]
fn an_end_inside_a_sector_of_the_target_is_told_with_what_lies_there() {
    needs!(Packages);
    let disk = Disk::new("end.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 32769), (LINUX, 36864, 32769)]);
    // 16384.5 KiB: the boot sector counts 32769 sectors, the last one behind 16 MiB.
    let part = fat(disk.folder(), "512", "16384");
    disk.splice(1 << 20, &part);
    disk.write((1 << 20) + 19, &[0, 0]);
    disk.write((1 << 20) + 32, &32769_u32.to_le_bytes());
    let checked = check_image(disk.path(), &["--target-logical", "4096"]);
    let full = checked.finding("end-not-on-target-sector", "p1");
    assert_eq!(
        (&full["severity"], &full["offset_bytes"]),
        (&"data-risk".into(), &512.into())
    );
    assert!(why(full).contains("fat16"), "{}", why(full));
    let free = checked.finding("end-not-on-target-sector", "p2");
    assert_eq!(free["severity"], "note");
    assert_eq!(free["suggest"]["size_bytes"], 16 << 20);
}
