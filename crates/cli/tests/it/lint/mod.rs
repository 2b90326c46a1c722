//! Images as builders make them, by the tools that they use: sizes, ends, firmware, both sector sizes.

mod boot;
mod outputs;
mod policy;
mod sectors;
mod sizes;
mod upload;

use std::path::{Path, PathBuf};

use ioalign_testkit::Disk;
use ioalign_testkit::gpt::{self, ESP, LINUX};
use ioalign_testkit::run::{text, tool};

/// A GPT for 512-byte sectors with one partition from 1 MiB to 1 MiB before the end of a disk of `bytes`.
fn plain(bytes: u64) -> Disk {
    let disk = Disk::new("disk.img", bytes);
    let sectors = (bytes >> 20 << 11) - 4096;
    gpt::write(&disk, 512, &[(LINUX, 2048, sectors)]);
    disk
}

/// `qemu-img convert` to a VHD beside the disk.
fn vhd(disk: &Disk, options: &str) -> PathBuf {
    let path = disk.folder().join("disk.vhd");
    let raw = text(disk.path());
    tool(
        "qemu-img",
        &[
            "convert",
            "-f",
            "raw",
            "-O",
            "vpc",
            "-o",
            options,
            raw,
            text(&path),
        ],
    );
    path
}

/// FAT with sectors of `sector` bytes and clusters of 4 KiB in a file of `kib` KiB.
fn fat(folder: &Path, sector: &str, kib: &str) -> PathBuf {
    let path = folder.join(format!("fat{sector}"));
    let cluster = if sector == "512" { "8" } else { "1" };
    let options = ["-C", "-S", sector, "-s", cluster, text(&path), kib];
    tool("mkfs.fat", &options);
    path
}

/// A disk of 64 MiB with a GPT for `sector` and an EFI system partition of 16 MiB that holds FAT with sectors
/// of `fat_sector` bytes.
fn with_esp(sector: u64, fat_sector: &str) -> Disk {
    let disk = Disk::new("esp.img", 64 << 20);
    let lba = |mib: u64| (mib << 20) / sector;
    let entries = [(ESP, lba(1), lba(16)), (LINUX, lba(17), lba(46))];
    gpt::write(&disk, sector, &entries);
    disk.splice(1 << 20, &fat(disk.folder(), fat_sector, "16384"));
    disk
}
