//! GRUB for PCs, as `grub-install` puts it on a disk whose first partition starts at sector 63.

use std::path::Path;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard};

use super::super::image::Image;
use super::machine::Firmware;
use super::{before_and_after, root};

/// MiB of the partition.
const MIB: u64 = 64;

/// A disk that boots; `arguments` go to grub-install.
fn debian(arguments: &[&str]) -> Image {
    let sectors = MIB << 11;
    let table =
        format!("label: dos\nlabel-id: 0x1057a117\nstart=63,size={sectors},type=83,bootable\n");
    let image = Image::new(MIB + 2, &table);
    let partition = image.device(&image.slot(1));
    tool("mkfs.ext4", &["-q", "-U", root::UUID, partition.text()]);
    drop(partition);
    // grub-install wants a disk with partitions, and asks the kernel for them.
    let disk = Loop::new(image.path(), &[]);
    tool("partx", &["--add", disk.text()]);
    let partition = format!("{}p1", disk.text());
    let mount = MountGuard::new(&["-t", "ext4", &partition], &image.folder().join("mounted"));
    fill(mount.path(), image.folder());
    install(&disk, mount.path(), arguments);
    drop(mount);
    drop(disk);
    image
}

fn fill(mounted: &Path, scratch: &Path) {
    root::fill(mounted);
    root::boot_files(&mounted.join("boot"), scratch);
    let grub = mounted.join("boot/grub");
    std::fs::create_dir_all(&grub).unwrap();
    std::fs::write(grub.join("grub.cfg"), root::GRUB).unwrap();
}

fn install(disk: &Loop, mounted: &Path, arguments: &[&str]) {
    let folder = format!("--boot-directory={}/boot", text(mounted));
    let fixed = [
        "--target=i386-pc",
        "--install-modules=normal linux",
        "--locales=",
        "--fonts=",
        "--themes=",
        &folder,
    ];
    tool(
        "grub-install",
        &[&fixed, arguments, &[disk.text()]].concat(),
    );
}

/// Where the boot sector says that the rest of GRUB starts.
fn core(image: &Image) -> u64 {
    u64::from_le_bytes(image.read(0x5c, 8).try_into().unwrap())
}

#[test]
fn grub_behind_the_boot_record() {
    needs!(Packages, Root);
    let image = debian(&["--modules=part_msdos ext2"]);
    assert_eq!(core(&image), 1, "it was to be embedded");
    before_and_after(&image, &Firmware::Bios);
}

/// Too much for 62 sectors: its place in the file system stands in the boot sector, counted on the disk.
#[test]
fn grub_by_block_lists() {
    needs!(Packages, Root);
    let image = debian(&["--force", "--modules=part_msdos ext2 normal linux"]);
    let before = core(&image);
    assert!(before > 63, "it was to be found by block lists");
    before_and_after(&image, &Firmware::Bios);
    let moved = image.slot(1).start - 63;
    assert_eq!(core(&image), before + moved);
}
