//! Disks that have become longer, and partitions that have to be shorter.

use std::fs::File;

use super::*;

fn longer(image: &Image, mib: u64) {
    let file = File::options().write(true).open(image.path()).unwrap();
    file.set_len(mib * MIB).unwrap();
}

#[test]
fn a_longer_image_is_used_to_its_end() {
    needs!(Packages);
    let script =
        "label: gpt\nstart=2048,size=20480,type=L,name=\"a\"\nstart=22528,size=40960,type=L\n";
    let image = Image::new(40, script);
    let before = image.table();
    let path = text(image.path());
    assert_eq!(
        fix(&[path, "--grow"]).status.code(),
        Some(0),
        "31 of 40 MiB are used"
    );
    longer(&image, 100);
    refused(&[path], 65, &["--grow moves it there"]);
    let shown = fix(&[path, "--grow"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    for words in [
        "No data move",
        "partition 2 becomes longer",
        "--grow --apply --expect",
    ] {
        assert!(shown.contains(words), "{shown}");
    }
    let done = document(&[path, "--grow", "--apply"]);
    assert_eq!(done["result"], "moved");
    assert_eq!(done["plan"]["partitions"][1]["new_size_bytes"], 88 * MIB);
    image.holds();
    let after = image.table();
    assert_eq!(after[0], before[0]);
    assert_eq!(
        (after[1].start, &after[1].rest),
        (before[1].start, &before[1].rest)
    );
    assert_eq!(after[1].start + after[1].size, 99 * MIB);
    assert!(tool("sgdisk", &["--verify", path]).contains("No problems found"));
    assert_eq!(document(&[path, "--grow"])["needed"], false);
}

/// The file system is made smaller by its tool, then its partition, then it moves; it needs a loop device.
#[test]
fn the_last_file_system_makes_room() {
    needs!(Packages, Root);
    let mut image = Image::new(
        40,
        "label: gpt\nfirst-lba: 34\nstart=63,size=81824,type=L\n",
    );
    image.parts.clear();
    let path = text(image.path());
    let make = "dd if=/dev/zero of=\"$1.fs\" bs=512 count=81824 status=none; seq 1 200000 > \"$1.txt\"; mkfs.ext4 -q -b 4096 \"$1.fs\"; \
        debugfs -w -R \"write $1.txt file\" \"$1.fs\" 2>&1; dd if=\"$1.fs\" of=\"$1\" bs=512 seek=63 conv=notrunc status=none";
    tool("sh", &["-ec", make, "-", path]);
    refused(&[path, "--align", "1M"], 65, &["--shrink-last", "--grow"]);
    let plan = document(&[path, "--align", "1M", "--shrink-last"]);
    let stated = plan["plan"]["consequences"].to_string();
    assert!(stated.contains("resize2fs PARTITION"), "{stated}");
    let before = image.whole();
    assert_eq!(
        plan["plan"]["partitions"][0]["new_size_bytes"]
            .as_u64()
            .unwrap()
            + MIB,
        81824 * 512
    );
    assert!(before == image.whole(), "a look changes nothing");
    let name = plan["plan"]["name"].as_str().unwrap();
    let done = fix(&[
        path,
        "--align",
        "1M",
        "--shrink-last",
        "--apply",
        "--expect",
        name,
    ]);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert_eq!(
        done.status.code(),
        Some(0),
        "this test needs root: {errors}"
    );
    assert!(errors.contains("e2fsck -f -p /dev/loop"), "{errors}");
    assert_eq!(image.table()[0].start, MIB);
    let check = "dd if=\"$1\" of=\"$1.fs\" bs=512 skip=2048 count=79776 status=none; e2fsck -fn \"$1.fs\" >&2; debugfs -R \"cat file\" \"$1.fs\" 2>/dev/null | cmp - \"$1.txt\" && echo same";
    assert!(tool("sh", &["-ec", check, "-", path]).contains("same"));
}
