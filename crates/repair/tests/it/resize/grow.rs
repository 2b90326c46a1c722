//! Disks that have become longer.

use std::fs::File;

use ioalign_repair::boot::Weight;
use ioalign_testkit::device::Loop;

use super::*;

#[test]
fn the_last_partition_goes_to_the_end_of_a_longer_image() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    two(
        &path,
        "label: gpt\nstart=2048, size=20480, type=L, name=\"a\"\nstart=22528, size=40960, type=L, name=\"b\"\n",
    );
    shell(
        "mkfs.ext4 -q -b 4096 -E offset=11534336 \"$1\" 20480k >&2",
        &[&path],
    );
    let before = image::dump(&path, 512).1;
    assert!(plan(&path, &[1, 2], &Choices::default()).is_empty());
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(200 * MIB)
        .unwrap();
    let plan_grow = plan(&path, &[1, 2], &GROW);
    assert!(plan_grow.job.moves.is_empty() && !plan_grow.is_empty());
    let stated = &plan_grow.consequences[0];
    assert_eq!(stated.weight, Weight::Told);
    assert!(
        stated.advice.as_ref().unwrap().contains("resize2fs"),
        "{stated:?}"
    );
    apply(&path, &plan_grow);
    verified(&path);
    let rows = image::dump(&path, 512).1;
    assert_eq!(rows[0], before[0]);
    assert_eq!(
        (rows[1].start, &rows[1].rest),
        (before[1].start, &before[1].rest)
    );
    assert_eq!((rows[1].start + rows[1].size) * 512, 199 * MIB);
    assert!(
        plan(&path, &[1, 2], &GROW).is_empty(),
        "there is no more room"
    );
    let old_backup = shell(
        "dd if=\"$1\" bs=512 skip=131071 count=1 status=none | tr -d '\\0' | wc -c",
        &[&path],
    );
    assert_eq!(old_backup.trim(), "0", "nothing is left of the old backup");
    // What the advice says works.
    let device = Loop::new(&path, &["--offset=11534336", "--sizelimit=197132288"]);
    shell(
        "e2fsck -fp \"$1\" >&2; resize2fs \"$1\" >&2; e2fsck -fn \"$1\" >&2",
        &[device.path()],
    );
}

/// An MBR with the last partition in an extended one, which grows with it.
#[test]
fn a_logical_partition_grows_with_its_container() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    two(
        &path,
        "label: dos\nstart=2048, size=2048, type=83\nstart=4096, size=40960, type=5\nstart=6144, size=8192, type=83\nstart=16384, size=8192, type=83\n",
    );
    apply(&path, &plan(&path, &[1, 5, 6], &GROW));
    let rows = image::dump(&path, 512).1;
    let last = rows.iter().find(|row| row.number == 6).unwrap();
    let container = rows.iter().find(|row| row.number == 2).unwrap();
    assert_eq!((last.start + last.size) * 512, 64 * MIB);
    assert_eq!((container.start + container.size) * 512, 64 * MIB);
    shell("sfdisk --verify \"$1\"", &[&path]);
}

/// A move to the right that only a longer disk has room for.
#[test]
fn growth_makes_room_for_a_move() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    two(
        &path,
        "label: gpt\nfirst-lba: 34\nstart=63, size=130976, type=L\n",
    );
    let text = "the data of a partition that starts at 63";
    shell(
        &format!("printf '{text}' | dd of=\"$1\" bs=1 seek=32256 conv=notrunc status=none"),
        &[&path],
    );
    let mut disk = crate::image::opened(&path);
    let wish = Choices {
        align: Some(MIB),
        ..Choices::default()
    };
    let refused = fix::plan(&mut disk, &survey(&[1]), &wish)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("--grow") && refused.contains("--shrink-last"),
        "{refused}"
    );
    drop(disk);
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(67 * MIB)
        .unwrap();
    let wish = Choices {
        align: Some(MIB),
        ..GROW
    };
    apply(&path, &plan(&path, &[1], &wish));
    verified(&path);
    let rows = image::dump(&path, 512).1;
    assert_eq!(
        (rows[0].start, rows[0].start + rows[0].size),
        (2048, 66 * 2048)
    );
    let read = shell(
        "dd if=\"$1\" bs=1 skip=1048576 count=41 status=none",
        &[&path],
    );
    assert_eq!(read, text);
}
