//! Disks that start from partitions that moved: a BIOS in an emulator loads the boot loader, which reads its
//! configuration and says so on the serial line. Root is needed to make them.

use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_testkit::device::{Loop, MountGuard};
use ioalign_testkit::run::{command, tool};

use super::{Plan, image_of, shift, write};

/// What every configuration says.
const WORDS: &str = "it-has-started";
/// How long an emulator may take on a machine with other work.
const MOST: Duration = Duration::from_secs(120);
const DOS: &str = "label: dos\nlabel-id: 0x12345678\nstart=63, size=80000, type=83, bootable\n";
const GPT: &str = "label: gpt\nfirst-lba: 34\n\
    start=34, size=1000, type=21686148-6449-6E6F-744E-656564454649\nstart=20001, size=60000, type=L\n";
const GRUB: &str = "serial --unit=0\nterminal_output serial\necho it-has-started\nhalt\n";
const EXTLINUX: &str = "SERIAL 0\nDEFAULT it-has-started\n";

/// An ext2 in a partition with a file, and what `then` does with the disk and its mount.
fn fill(path: &Path, number: u32, file: &str, text: &str, then: impl FnOnce(&Loop, &Path)) {
    let disk = Loop::new(path, &[]);
    tool("partx", &["--add", disk.text()]);
    let partition = format!("{}p{number}", disk.text());
    tool("/usr/sbin/mke2fs", &["-q", "-F", "-t", "ext2", &partition]);
    let mount = MountGuard::new(&[&partition], &path.with_extension("mount"));
    let file = mount.path().join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
    then(&disk, mount.path());
}

fn grub(mount: &Path, more: &[&str], device: &str) {
    let folder = format!("--boot-directory={}/boot", mount.display());
    let all = ["--target=i386-pc", "--no-floppy", &folder];
    tool("/usr/sbin/grub-install", &[&all, more, &[device]].concat());
}

/// The MBR code that starts the active partition.
fn plain_mbr(path: &Path) {
    let code = std::fs::read("/usr/lib/EXTLINUX/mbr.bin").unwrap();
    write(path, 0, &[&code[..440], b"\x78\x56\x34\x12\0\0"].concat());
}

/// Waits until the disk came as far as its configuration; gives what the serial line said.
fn said(path: &Path) -> String {
    let serial = path.with_extension("serial");
    std::fs::write(&serial, "").unwrap();
    let mut emulator = command("qemu-system-x86_64")
        .args([
            "-machine",
            "pc,accel=tcg",
            "-m",
            "64",
            "-display",
            "none",
            "-no-reboot",
        ])
        .arg("-drive")
        .arg(format!("file={},format=raw,snapshot=on", path.display()))
        .arg("-serial")
        .arg(format!("file:{}", serial.display()))
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let mut text = String::new();
    while !text.contains(WORDS) && begun.elapsed() < MOST {
        std::thread::sleep(Duration::from_millis(100));
        text = String::from_utf8_lossy(&std::fs::read(&serial).unwrap()).into_owned();
        if emulator.try_wait().unwrap().is_some() {
            break;
        }
    }
    // It may have ended by itself.
    let _ = emulator.kill();
    emulator.wait().unwrap();
    text
}

/// It starts before the move and after it.
fn starts(path: &Path, plan: Plan<'_>) {
    let before = said(path);
    assert!(before.contains(WORDS), "before the move: {before}");
    shift(path, 512, plan);
    let after = said(path);
    assert!(after.contains(WORDS), "after the move: {after}");
}

#[test]
fn grub_starts_from_a_bios_boot_partition_that_moved() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, GPT);
    fill(&path, 2, "boot/grub/grub.cfg", GRUB, |disk, mount| {
        grub(mount, &[], disk.text());
    });
    starts(&path, &[(1, 2048), (2, 20480)]);
}

#[test]
fn grub_starts_from_the_gap_and_a_partition_that_moved() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, DOS);
    fill(&path, 1, "boot/grub/grub.cfg", GRUB, |disk, mount| {
        grub(mount, &[], disk.text());
    });
    starts(&path, &[(1, 2048)]);
}

#[test]
fn grub_starts_from_a_boot_sector_that_moved() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, DOS);
    fill(&path, 1, "boot/grub/grub.cfg", GRUB, |disk, mount| {
        grub(mount, &["--force"], &format!("{}p1", disk.text()));
    });
    plain_mbr(&path);
    starts(&path, &[(1, 2048)]);
}

#[test]
fn extlinux_starts_from_a_partition_that_moved() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, DOS);
    fill(&path, 1, "extlinux.conf", EXTLINUX, |_, mount| {
        tool("extlinux", &["--install", mount.to_str().unwrap()]);
    });
    plain_mbr(&path);
    write(&path, 63 * 512 + 0x1c, &63u32.to_le_bytes());
    starts(&path, &[(1, 2048)]);
}
