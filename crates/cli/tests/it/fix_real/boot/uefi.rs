//! GRUB for UEFI on an EFI system partition at an odd sector, the root file system behind it.

use std::path::Path;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard};

use super::super::image::{Image, SECTOR};
use super::machine::Firmware;
use super::{before_and_after, root};

pub const ESP: &str = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
pub const ROOT: &str = "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709";

/// Sectors of each of the two partitions.
const SECTORS: u64 = 48 << 11;

#[test]
fn grub_on_an_efi_system_partition() {
    needs!(Packages, Root);
    let table = format!(
        "label: gpt\nfirst-lba: 34\nstart=35,size={SECTORS},type={ESP}\nstart={},size={SECTORS},type={ROOT}\n",
        35 + SECTORS + 4
    );
    let image = Image::new(100, &table);
    esp(&image.device(&image.slot(1)), 35, image.folder());
    file_system(&image.device(&image.slot(2)), image.folder());
    let variables = image.folder().join("variables.fd");
    std::fs::copy("/usr/share/OVMF/OVMF_VARS_4M.fd", &variables)
        .expect("ovmf is needed for this test");
    before_and_after(&image, &Firmware::Uefi(variables));
    assert_ne!(image.slot(1).start * SECTOR, 35 * SECTOR);
}

fn file_system(device: &Loop, scratch: &Path) {
    tool("mkfs.ext4", &["-q", "-U", root::UUID, device.text()]);
    let mount = MountGuard::new(&["-t", "ext4", device.text()], &scratch.join("mounted"));
    root::fill(mount.path());
}

pub fn esp(device: &Loop, start: u64, scratch: &Path) {
    let tree = scratch.join("esp.d");
    let loader = tree.join("EFI/BOOT");
    std::fs::create_dir_all(&loader).unwrap();
    let program = loader.join("BOOTX64.EFI");
    let fixed = ["-O", "x86_64-efi", "-p", "/", "-o", text(&program)];
    let modules = ["part_gpt", "fat", "normal", "linux"];
    tool("grub-mkimage", &[&fixed[..], &modules[..]].concat());
    std::fs::write(tree.join("grub.cfg"), root::GRUB).unwrap();
    root::boot_files(&tree.join("boot"), scratch);
    let start = start.to_string();
    let arguments = [
        "-F",
        "32",
        "-s",
        "1",
        "-n",
        "ESP",
        "-h",
        &start,
        device.text(),
    ];
    tool("mkfs.fat", &arguments);
    let copy = "mcopy -s -Q -i \"$1\" \"$2\"/* ::";
    tool("sh", &["-ec", copy, "sh", device.text(), text(&tree)]);
}
