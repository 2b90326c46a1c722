//! Sizes of images, and the backup GPT at their end.

use std::path::Path;

use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, Disk};

use super::{plain, vhd};
use crate::{check_image, why};

#[test]
fn a_raw_image_off_4_kib_is_a_note_until_it_matters() {
    let disk = Disk::new("odd.img", (64 << 20) + 512);
    gpt::write(&disk, 512, &[(LINUX, 2048, 100_000)]);
    let checked = check_image(disk.path(), &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    let note = checked.finding("image-size-not-multiple", "odd.img");
    assert_eq!(
        (&note["severity"], &note["offset_bytes"]),
        (&"note".into(), &512.into())
    );
    assert_eq!(note["suggest"]["size_bytes"], (64 << 20) + 4096);
    assert!(why(note).contains("cache=none"), "{}", why(note));
    let asked = check_image(disk.path(), &["--size-multiple", "4k"]);
    assert_eq!((asked.verdict(), asked.code), ("broken", 2));
    assert_eq!(
        check_image(disk.path(), &["--size-multiple", "512"]).verdict(),
        "ok"
    );
}

#[test]
fn a_multiple_that_is_asked_for_is_another_than_4_kib() {
    let disk = plain((64 << 20) + 4096);
    assert_eq!(
        check_image(disk.path(), &[])
            .of_rule("image-size-not-multiple")
            .len(),
        0
    );
    let asked = check_image(disk.path(), &["--size-multiple", "1MiB"]);
    let finding = asked.finding("image-size-not-multiple", "disk.img");
    assert_eq!(finding["unit_bytes"], 1 << 20);
    assert_eq!(finding["suggest"]["size_bytes"], 65 << 20);
}

fn grow(image: &Path) {
    tool("truncate", &["-s", "+1M", text(image)]);
}

fn not_at_end(checked: &CheckRun) -> usize {
    checked.of_rule("gpt-backup-not-at-end").len()
}

#[test]
fn an_image_that_was_grown_wants_its_backup_gpt_moved() {
    needs!(Packages);
    let disk = Disk::new("grown.img", 64 << 20);
    tool("sgdisk", &["-n1:2048:0", text(disk.path())]);
    assert_eq!(not_at_end(&check_image(disk.path(), &[])), 0);
    grow(disk.path());
    let checked = check_image(disk.path(), &[]);
    let note = checked.finding("gpt-backup-not-at-end", "grown.img");
    assert_eq!(note["severity"], "note");
    assert!(
        why(note).contains("LBA 131071, not at the last LBA 133119"),
        "{}",
        why(note)
    );
    tool("sgdisk", &["-e", text(disk.path())]);
    assert_eq!(not_at_end(&check_image(disk.path(), &[])), 0);
}

#[test]
fn the_same_in_sectors_of_4096_bytes_and_inside_a_vhd() {
    needs!(Packages);
    let disk = Disk::new("grown.img", 64 << 20);
    gpt::write(&disk, 4096, &[(LINUX, 256, 4096)]);
    assert_eq!(not_at_end(&check_image(disk.path(), &[])), 0);
    grow(disk.path());
    let checked = check_image(disk.path(), &[]);
    let note = checked.finding("gpt-backup-not-at-end", "grown.img");
    assert!(
        why(note).contains("LBA 16383, not at the last LBA 16639"),
        "{}",
        why(note)
    );
    let disk = plain(64 << 20);
    grow(disk.path());
    let image = vhd(&disk, "subformat=fixed,force_size");
    assert_eq!(not_at_end(&check_image(&image, &[])), 1);
}
