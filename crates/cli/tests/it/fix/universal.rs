//! Images for disks of both sectors.

use super::convert::image;
use super::*;

const BOTH: &str = "--universal";

#[test]
fn a_dry_run_writes_nothing_and_both_ways_give_the_same_bytes() {
    needs!(Packages);
    let image = image();
    let path = text(image.path());
    let before = image.whole();
    let rows = image.table();
    let plan = document(&[path, BOTH]);
    let conversion = &plan["conversion"];
    assert_eq!(conversion["universal"], true);
    assert_eq!(
        conversion["partitions"][0]["rebuilt"]["new_cluster_bytes"],
        4096
    );
    let stated = conversion["consequences"].to_string();
    assert!(
        stated.contains("BOOTX64.EFI") && stated.contains("growpart"),
        "{stated}"
    );
    assert_eq!(fix(&[path, BOTH, "--exit-code"]).status.code(), Some(1));
    let new = image.disk.folder().join("new.img");
    assert_eq!(
        document(&[path, BOTH, "--output", text(&new)])["result"],
        "copied"
    );
    assert!(image.whole() == before, "the original stays");
    let name = conversion["name"].as_str().unwrap();
    let done = document(&[path, BOTH, "--apply", "--expect", name]);
    assert_eq!(done["result"], "converted");
    assert!(image.whole() == std::fs::read(&new).unwrap());
    assert!(!image.journal().exists());
    assert_eq!(image.table(), rows);
    assert_eq!(fix(&[path, BOTH, "--exit-code"]).status.code(), Some(0));
    assert_eq!(document(&[path, BOTH])["conversion"]["needed"], false);
}

#[test]
fn check_judges_both_tables() {
    needs!(Packages);
    let image = image();
    let path = text(image.path());
    done(&[path, BOTH, "--apply"]);
    for target in ["512", "4096"] {
        let checked = check_image(image.path(), &["--target-logical", target]);
        assert_eq!(
            (checked.verdict(), checked.code),
            ("ok", 0),
            "{:?}",
            checked.rules()
        );
    }
    let whole = image.whole();
    let end = 40 << 20;
    // Header and entries of each of the four copies; where the believed one is damaged that is the finding.
    for (at, rule) in [
        (4104, "gpt-other-table-damaged"),
        (8200, "gpt-other-table-damaged"),
        (520, "gpt-other-table-damaged"),
        (24600, "gpt-other-table-damaged"),
        (end - 4088, "gpt-other-table-damaged"),
        (end - 20480, "gpt-other-table-damaged"),
        (end - 504, "gpt-backup-damaged"),
        (end - 36864, "gpt-backup-damaged"),
    ] {
        image.disk.write(at, b"damage");
        let checked = check_image(image.path(), &[]);
        assert_eq!(
            (checked.verdict(), checked.of_rule(rule).len()),
            ("data-risk", 1),
            "{at}: {:?}",
            checked.rules()
        );
        image.disk.write(0, &whole);
    }
    tool("sgdisk", &["--delete=2", path]);
    let checked = check_image(image.path(), &[]);
    assert_eq!(
        checked.of_rule("gpt-tables-disagree").len(),
        1,
        "{:?}",
        checked.rules()
    );
    refused(
        &[path, BOTH, "--apply"],
        65,
        &["name different places", "--sector-size"],
    );
    done(&[path, BOTH, "--sector-size", "4096", "--apply"]);
    assert!(image.whole() == whole);
}

/// Moves and growth would write one table and leave the other behind.
#[test]
fn other_fixes_keep_away_from_two_tables() {
    needs!(Packages);
    let image = image();
    let path = text(image.path());
    done(&[path, BOTH, "--apply"]);
    let whole = image.whole();
    let words = ["tables for sectors of 512 and of 4096 bytes", "--universal"];
    refused(
        &[path, "--partition", "2", "--align", "4M", "--apply"],
        65,
        &words,
    );
    assert!(image.whole() == whole);
    std::fs::File::options()
        .write(true)
        .open(image.path())
        .unwrap()
        .set_len(60 << 20)
        .unwrap();
    refused(&[path, "--grow", "--apply"], 65, &words);
    done(&[path, BOTH, "--apply"]);
    assert_eq!(
        check_image(image.path(), &["--target-logical", "4096"]).verdict(),
        "ok"
    );
}

#[test]
fn what_cannot_be_both_is_refused() {
    needs!(Packages);
    let image = image();
    let path = text(image.path());
    let make = "truncate --size 20M \"$1.ext\"; mkfs.ext4 -q -F -b 1024 \"$1.ext\"; dd if=\"$1.ext\" of=\"$1\" bs=1M seek=11 conv=notrunc status=none";
    tool("sh", &["-ec", make, "-", path]);
    let before = image.whole();
    let words = [
        "partition 2",
        "block of 1024 bytes",
        "mkfs.ext4 -b 4096",
        "nothing was written",
    ];
    refused(&[path, BOTH, "--apply"], 64, &words);
    assert!(image.whole() == before);
    refused(&[path, BOTH, "--grow"], 64, &["cannot be used with"]);
    let dos = Image::old();
    refused(
        &[text(dos.path()), BOTH],
        65,
        &["an MBR counts in sectors of one size", "sgdisk --mbrtogpt"],
    );
}
