//! VHDs for Azure, made by qemu-img: whole MiB, fixed, with the footer counted apart.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use ioalign_testkit::CheckRun;
use ioalign_testkit::run::{text, tool};
use serde_json::Value;

use super::{plain, vhd};
use crate::check_image;

const AZURE: [&str; 2] = ["--upload", "azure"];

fn azure(image: &Path) -> CheckRun {
    check_image(image, &AZURE)
}

#[test]
fn a_fixed_vhd_of_whole_mib_is_taken_with_its_footer() {
    needs!(Packages);
    let disk = plain(100 << 20);
    let image = vhd(&disk, "subformat=fixed,force_size");
    assert_eq!(image.metadata().unwrap().len(), (100 << 20) + 512);
    let checked = azure(&image);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    assert_eq!(
        checked.rules(),
        Vec::<String>::new(),
        "the backup GPT is at the disk's end"
    );
}

#[test]
fn without_force_size_qemu_rounds_to_a_geometry() {
    needs!(Packages);
    let disk = plain(100 << 20);
    let image = vhd(&disk, "subformat=fixed");
    let info = tool(
        "qemu-img",
        &["info", "-f", "vpc", "--output=json", text(&image)],
    );
    let info: Value = serde_json::from_str(&info).unwrap();
    let size = info["virtual-size"].as_u64().unwrap();
    let over = size % (1 << 20);
    assert_ne!(over, 0, "that is the trap");
    let checked = azure(&image);
    assert_eq!((checked.verdict(), checked.code), ("broken", 2));
    let finding = checked.finding("upload-size-not-multiple", "virtual disk");
    assert_eq!(finding["offset_bytes"], over);
    assert_eq!(finding["suggest"]["size_bytes"], size - over + (1 << 20));
    let unasked = check_image(&image, &[]);
    assert_eq!((unasked.verdict(), unasked.code), ("ok", 0));
    let note = unasked.finding("upload-size-not-multiple", "virtual disk");
    assert_eq!(note["severity"], "note");
}

#[test]
fn azure_takes_neither_a_dynamic_vhd_nor_a_raw_image() {
    needs!(Packages);
    let disk = plain(100 << 20);
    let image = vhd(&disk, "subformat=dynamic,force_size");
    let form = |checked: &CheckRun| checked.of_rule("upload-format")[0]["severity"].clone();
    assert_eq!(form(&azure(&image)), "broken");
    let raw = azure(disk.path());
    assert_eq!((raw.verdict(), raw.code), ("broken", 2));
    assert_eq!(form(&raw), "broken");
    let steps = raw.of_rule("upload-format")[0]["do"].to_string();
    assert!(steps.contains("force_size"), "{steps}");
    let odd = plain((100 << 20) + 4096);
    let checked = azure(odd.path());
    assert_eq!(checked.code, 2);
    assert_eq!(
        checked.of_rule("image-size-not-multiple").len(),
        0,
        "said once"
    );
}

#[test]
fn a_file_that_is_not_disk_and_footer_is_refused() {
    needs!(Packages);
    let disk = plain(100 << 20);
    let image = vhd(&disk, "subformat=fixed,force_size");
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&image)
        .unwrap();
    let mut footer = [0; 512];
    file.read_exact_at(&mut footer, 100 << 20).unwrap();
    file.write_all_at(&[0; 512], 100 << 20).unwrap();
    file.write_all_at(&footer, 101 << 20).unwrap();
    let checked = azure(&image);
    let finding = checked.finding("upload-file-length", "virtual disk");
    assert_eq!(finding["suggest"]["size_bytes"], (100 << 20) + 512);
}

#[test]
fn google_wants_whole_gib_of_raw() {
    needs!(Packages);
    let gce = ["--upload", "gce"];
    assert_eq!(check_image(plain(1 << 30).path(), &gce).verdict(), "ok");
    let checked = check_image(plain((1 << 30) + (512 << 20)).path(), &gce);
    let finding = checked.finding("upload-size-not-multiple", "disk.img");
    assert_eq!(finding["suggest"]["size_bytes"], 2_u64 << 30);
    let vhd = check_image(&vhd(&plain(1 << 30), "subformat=fixed,force_size"), &gce);
    assert_eq!(vhd.of_rule("upload-format").len(), 1);
}
