//! What `check` says of two owners: an alarm only where one is there by accident.

use super::*;

/// The severity of the finding that two claim the same bytes.
fn accident(disk: &Disk) -> Option<String> {
    let run = check_image(disk.path(), &[]);
    let found = run.of_rule("filesystem-under-table");
    found
        .first()
        .map(|one| one["severity"].as_str().unwrap().to_owned())
}

#[test]
fn a_file_system_under_a_table_is_a_risk() {
    needs!(Packages);
    for name in ["ext4", "btrfs under a GPT", "fat32", "ntfs", "swap"] {
        let made = made::ALL.iter().find(|made| made.name == name).unwrap();
        assert_eq!(
            accident(&made.disk()).as_deref(),
            Some("data-risk"),
            "{name}"
        );
    }
}

#[test]
fn layers_and_discs_are_none() {
    needs!(Packages);
    for name in ["md 1.0 RAID 1", "md 0.90 RAID 1", "DDF", "Intel", "DRBD 9"] {
        let hand = by_hand::ALL.iter().find(|hand| hand.name == name).unwrap();
        assert_eq!(accident(&hand.disk()), None, "{name}");
    }
    for name in ["iso9660", "udf", "luks2"] {
        let made = made::ALL.iter().find(|made| made.name == name).unwrap();
        assert_eq!(accident(&made.disk()), None, "{name}");
    }
    // A healthy mirror of whole disks with an aligned partition is no alarm at all.
    let disk = Disk::new("disk.img", 100 * MIB);
    sfdisk(disk.path(), "label: dos\n2048,100000,83\n");
    let run_on = |made: &str| made::run_on(made, disk.path(), "mirror");
    run_on(
        "truncate -s 51200000 fs; mkfs.ext4 -q -F fs; dd if=fs of=\"$1\" bs=1M seek=1 conv=notrunc,sparse status=none",
    );
    ioalign_testkit::md::MdMember {
        version: "1.0",
        level: 1,
        start: 0,
        len: 100 * MIB,
    }
    .write(&disk);
    let run = check_image(disk.path(), &[]);
    assert!(matches!(run.verdict(), "ok" | "note"), "{:#}", run.json);
}
