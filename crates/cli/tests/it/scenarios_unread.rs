//! Hosts without root, and captured trees without copies of devices: sysfs alone gives verdicts.

use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};

use super::{check_host, why};

fn partitioned(start: u64) -> Sysroot {
    Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 4096, 4096, 0))
        .partition("sda", 1, start, 1 << 20)
}

#[test]
fn partitions_are_judged_without_reading_a_device() {
    for (start, verdict, code) in [(2048, "ok", 0), (63, "misaligned", 1)] {
        let checked = check_host(&partitioned(start), &[]);
        assert_eq!(
            (checked.verdict(), checked.code),
            (verdict, code),
            "{:?}",
            checked.rules()
        );
        let notes = checked.of_rule("not-readable");
        assert_eq!(notes.len(), 2, "the table and the content: {notes:#?}");
        assert!(notes.iter().all(|note| note["severity"] == "note"));
        let inside = checked.finding("not-readable", "sda1");
        assert!(why(inside).contains("stays unknown"), "{inside:#}");
        let table = checked.finding("not-readable", "disk:sda");
        assert!(why(table).contains("partition table"), "{table:#}");
        assert_eq!(checked.of_rule("nothing-recognised").len(), 0);
    }
}

#[test]
fn types_that_udev_knows_need_no_table() {
    let tree = partitioned(2048);
    let number = tree.number("sda1");
    let tree = tree.file(
        &format!("run/udev/data/b{number}"),
        "E:ID_PART_ENTRY_TYPE=0fc63daf-8483-4772-8e79-3d69d8477de4\n",
    );
    assert_eq!(check_host(&tree, &[]).of_rule("not-readable").len(), 1);
}

#[test]
fn a_bare_disk_beside_others_is_a_note() {
    let tree = partitioned(2048).disk(SysrootDisk::new("sdb", 1 << 30));
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    assert_eq!(checked.finding("not-readable", "sdb")["severity"], "note");
}

#[test]
fn when_nothing_can_be_judged_the_verdict_is_unknown() {
    let bare = Sysroot::new().disk(SysrootDisk::new("sda", 1 << 30));
    let checked = check_host(&bare, &[]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    assert_eq!(checked.rules(), ["not-readable=unknown"]);
    let volume = bare.dm("dm-0", "vg-lv", "LVM-lv", 1 << 20, &["sda"]);
    assert_eq!(check_host(&volume, &[]).verdict(), "unknown");
}

#[test]
fn volumes_without_tables_leave_their_partitions_judged() {
    let tree = partitioned(2048).dm("dm-0", "vg-lv", "LVM-lv", 1 << 20, &["sda1"]);
    let checked = check_host(&tree, &[]);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("ok", 0),
        "{:?}",
        checked.rules()
    );
    let unread = checked.of_rule("not-readable");
    assert!(
        unread.iter().any(|note| why(note).contains("dm-table")),
        "{unread:#?}"
    );
}

#[test]
fn what_the_kernel_tells_otherwise_is_not_missed() {
    // An array on two partitions, mounted: only the file system's own words are missing.
    let tree = ["sda", "sdb"].iter().fold(Sysroot::new(), |tree, name| {
        tree.disk(SysrootDisk::new(name, 1 << 30).limits(512, 4096, 4096, 0))
            .partition(name, 1, 2048, 1 << 20)
    });
    let tree = tree.md(
        "md0",
        1 << 20,
        ("raid1", 0, 0),
        &[("sda1", "0", 2048), ("sdb1", "1", 2048)],
    );
    let mounted = format!("1 0 {} / / rw - ext4 /dev/md0 rw\n", tree.number("md0"));
    let checked = check_host(&tree.file("proc/self/mountinfo", mounted), &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    let notes = checked.of_rule("not-readable");
    assert_eq!(notes.len(), 1, "{notes:#?}");
    assert!(why(notes[0]).contains("mount table"), "{notes:#?}");
}

#[test]
fn reserved_volumes_and_boot_areas_hold_nothing_to_miss() {
    let tree = partitioned(2048).partition("sda", 2, 34, 2014);
    let number = tree.number("sda2");
    let kind = "E:ID_PART_ENTRY_TYPE=21686148-6449-6e6f-744e-656564454649\n";
    let checked = check_host(&tree.file(&format!("run/udev/data/b{number}"), kind), &[]);
    assert_eq!(checked.verdict(), "ok");
    let unread = checked.of_rule("not-readable");
    assert!(
        unread.iter().all(|note| note["layer"] != "partition:sda2"),
        "{unread:#?}"
    );
}

#[test]
fn a_disk_that_was_refused_is_no_note() {
    // The marks of a capture that was taken without root.
    let unread = "dev/sdb\tno permission: root may read it\n";
    let tree = partitioned(2048)
        .disk(SysrootDisk::new("sdb", 1 << 30))
        .file("ioalign/unread", unread);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    let sdb = checked.finding("not-readable", "sdb");
    assert_eq!(sdb["severity"], "unknown");
}

#[test]
fn what_is_mounted_from_a_whole_disk_starts_with_it() {
    // With a stripe below, the file system may have another geometry.
    for (minimum, optimal, expected) in [(4096, 0, ("ok", 0)), (65536, 196_608, ("unknown", 3))] {
        let limits = SysrootDisk::new("sda", 1 << 30).limits(512, 4096, minimum, optimal);
        let tree = Sysroot::new().disk(limits);
        let mounted = format!("1 0 {} / / rw - ext4 /dev/sda rw\n", tree.number("sda"));
        let tree = tree.file("proc/self/mountinfo", mounted).file(
            "ioalign/unread",
            "dev/sda\tno permission: root may read it\n",
        );
        let checked = check_host(&tree, &[]);
        assert_eq!(
            (checked.verdict(), checked.code),
            expected,
            "{:?}",
            checked.rules()
        );
    }
}

#[test]
fn an_empty_drive_is_a_note() {
    let unread = "dev/sr0\tCannot open it: No medium found (os error 123)\n";
    let tree = partitioned(2048)
        .disk(SysrootDisk::new("sr0", 1 << 21))
        .file("ioalign/unread", unread);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    assert_eq!(checked.finding("not-readable", "sr0")["severity"], "note");
}

#[test]
fn properties_in_the_place_of_bytes_are_no_content() {
    let udev = "MODE=brw-rw----\nID_FS_TYPE=ext4\nID_PART_ENTRY_SCHEME=gpt\n\
                ID_PART_ENTRY_TYPE=c12a7328-f81f-11d2-ba4b-00a0c93ec93b\n";
    let tree = partitioned(2048).file("dev/sda1", udev);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    assert_eq!(checked.layer("sda1")["role"], "esp");
    assert_eq!(checked.layer("sda1")["facts"]["udev-content"], "ext4");
}

#[test]
fn a_partition_of_one_sector_of_4_kib_is_no_extended_one() {
    let large =
        || Sysroot::new().disk(SysrootDisk::new("sda", 1 << 30).limits(4096, 4096, 4096, 0));
    let one = large().partition("sda", 1, 2048, 8);
    assert_eq!(check_host(&one, &[]).layer("sda1")["role"], "data");
    let chain = large()
        .partition("sda", 1, 2048, 8)
        .partition("sda", 5, 4096, 1 << 20);
    assert_eq!(check_host(&chain, &[]).layer("sda1")["role"], "extended");
}
