//! Disks whose partitions are being moved: said in every form in which one may lie, and nothing else is.

use std::path::Path;

use ioalign_core::judge::{JudgeOptions, Judgement, judge};
use ioalign_core::move_marker::{MarkerFound, MoveMarker, set_aside};
use ioalign_core::{Severity, move_words};
use ioalign_inspect::assemble;
use ioalign_testkit::Disk;
use ioalign_testkit::run::{text, tool};

const MIB: u64 = 1 << 20;

fn marker() -> MoveMarker {
    MoveMarker {
        run: 0xfeed,
        host: "db7".to_owned(),
        journal: "/var/lib/ioalign/x.journal".into(),
        old_table: [0; 70],
    }
}

/// A disk with a partition that is off its grid, and the marker over its table.
fn marked() -> Disk {
    let disk = Disk::new("disk.img", 16 * MIB);
    tool("mke2fs", &["-q", "-F", text(disk.path())]);
    disk.write(0, &marker().encode(16 * MIB / 512));
    disk
}

fn judged(path: &Path) -> Judgement {
    let found = assemble::image(path, &assemble::AssembleOptions::default()).unwrap();
    judge(&found.stack, &JudgeOptions::default())
}

#[test]
fn a_marked_disk_is_broken_and_nothing_else_is_said() {
    needs!(Packages);
    let disk = marked();
    let judgement = judged(disk.path());
    assert_eq!(judgement.verdict, Severity::Broken);
    let rules: Vec<_> = judgement.findings.iter().map(|found| found.rule).collect();
    assert_eq!(rules, ["move-in-flight"]);
    let found = &judgement.findings[0];
    assert!(
        found.why.contains("/var/lib/ioalign/x.journal on host db7"),
        "{}",
        found.why
    );
    let way = move_words::ways(disk.path(), None);
    assert!(found.steps[0].contains(&way), "{:?}", found.steps);
}

#[test]
fn every_format_of_an_image_shows_the_marker() {
    needs!(Packages);
    let disk = marked();
    for (format, kind) in [
        ("qcow2", "qcow2"),
        ("vmdk", "vmdk"),
        ("vdi", "vdi"),
        ("vhdx", "vhdx"),
        ("vpc", "vhd"),
    ] {
        let image = disk.folder().join(format!("disk.{kind}"));
        tool(
            "qemu-img",
            &["convert", "-O", format, text(disk.path()), text(&image)],
        );
        let judgement = judged(&image);
        let rules: Vec<_> = judgement.findings.iter().map(|found| found.rule).collect();
        assert!(rules.contains(&"move-in-flight"), "{format}: {rules:?}");
        assert_eq!(judgement.verdict, Severity::Broken, "{format}");
        let found = ioalign_inspect::moving::marker_of(&image).unwrap();
        assert_eq!(found, Some(MarkerFound::Whole(marker())), "{format}");
    }
}

#[test]
fn a_damaged_marker_is_still_one() {
    needs!(Packages);
    let disk = marked();
    disk.write(250, b"X");
    let judgement = judged(disk.path());
    assert_eq!(judgement.verdict, Severity::Broken);
    assert!(judgement.findings[0].why.contains("damaged"));
}

#[test]
fn a_partition_by_itself_shows_that_its_superblock_is_set_aside() {
    for at in [0, 1024, 65536] {
        let disk = Disk::new("part.img", 4 * MIB);
        disk.write(at, &set_aside(7, 4096));
        let judgement = judged(disk.path());
        let rules: Vec<_> = judgement.findings.iter().map(|found| found.rule).collect();
        assert_eq!(rules, ["move-in-flight"], "at {at}");
    }
}
