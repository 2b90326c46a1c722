//! Block devices: who uses them, and what is on them. These tests need root.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ioalign_device::{ErrorKind, Target, TargetKind, users};
use ioalign_testkit::run::{command, text, tool};
use ioalign_testkit::{Loop, MountGuard};

use super::{MIB, destroying, reading, refused, sized, writing};

fn sparse(folder: &Path, bytes: u64) -> PathBuf {
    let path = folder.join("disk.img");
    File::create(&path).unwrap().set_len(bytes).unwrap();
    path
}

#[test]
fn an_empty_device_is_measured_and_written() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let device = Loop::new(&sparse(folder.path(), 8 * MIB), &[]);
    let target = Target::open(device.path(), &writing()).unwrap();
    assert_eq!(
        (target.kind(), target.size_bytes()),
        (TargetKind::Block, 8 * MIB)
    );
    assert_eq!(target.logical_bytes(), 512);
    assert_eq!(target.direct().unwrap().offset_bytes, 512);
    assert!(target.cached_below().any(|path| path.ends_with("disk.img")));
    target.evict().unwrap();
    let part = Target::open(device.path(), &sized(reading(), MIB)).unwrap();
    assert_eq!(part.size_bytes(), MIB);
    let words = ["has 8 MiB, and 9 MiB were asked for"];
    refused(
        device.path(),
        &sized(reading(), 9 * MIB),
        ErrorKind::Unsupported,
        &words,
    );
}

#[test]
fn sectors_of_4096_bytes_are_seen() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let device = Loop::new(&sparse(folder.path(), 8 * MIB), &["--sector-size=4096"]);
    let target = Target::open(device.path(), &reading()).unwrap();
    assert_eq!(target.logical_bytes(), 4096);
    assert_eq!(target.direct().unwrap().offset_bytes, 4096);
}

#[test]
fn a_device_with_a_file_system_is_kept() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 16 * MIB);
    tool("mkfs.ext4", &["-q", text(&image)]);
    let device = Loop::new(&image, &[]);
    refused(
        device.path(),
        &writing(),
        ErrorKind::Refused,
        &["holds data", "--destroy-data"],
    );

    // Mounted, not even a second naming helps.
    let mount = MountGuard::new(&[text(device.path())], &folder.path().join("mnt"));
    let point = mount.path().display().to_string();
    let words = ["is mounted on", point.as_str(), "umount"];
    refused(
        device.path(),
        &destroying(device.path()),
        ErrorKind::InUse,
        &words,
    );
    let target = Target::open(device.path(), &reading()).unwrap();
    assert!(
        target
            .notes()
            .iter()
            .any(|note| note.contains("is mounted on")),
        "{:?}",
        target.notes()
    );
    drop(mount);
    Target::open(device.path(), &destroying(device.path())).unwrap();
}

#[test]
fn a_mounted_partition_keeps_the_whole_disk() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 32 * MIB);
    tool(
        "sh",
        &["-c", "echo 2048,, | sfdisk -q \"$0\"", text(&image)],
    );
    let device = Loop::new(&image, &[]);
    let name = format!("{}p1", text(device.path()));
    // Some kernels read no partition tables, and some systems make no device nodes.
    tool("partx", &["--add", text(device.path())]);
    let number = Path::new("/sys/class/block")
        .join(name.trim_start_matches("/dev/"))
        .join("dev");
    let number = fs::read_to_string(number).unwrap();
    let (major, minor) = number.trim().split_once(':').unwrap();
    let node = folder.path().join("part");
    tool("mknod", &[text(&node), "b", major, minor]);
    tool("mkfs.ext4", &["-q", text(&node)]);
    let mount = MountGuard::new(&[text(&node)], &folder.path().join("mnt"));
    let words = [name.as_str(), "is mounted on"];
    refused(
        device.path(),
        &destroying(device.path()),
        ErrorKind::InUse,
        &words,
    );
    mount.try_unmount().unwrap();
    tool("partx", &["--delete", text(device.path())]);
}

#[test]
fn paging_space_is_kept() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let device = Loop::new(&sparse(folder.path(), 4 * MIB), &[]);
    tool("mkswap", &[text(device.path())]);
    tool("swapon", &[text(device.path())]);
    let found = users(device.path());
    let error = Target::open(device.path(), &destroying(device.path())).err();
    tool("swapoff", &[text(device.path())]);
    assert!(
        found
            .iter()
            .any(|used| used.to_string().contains("paging space")),
        "{found:?}"
    );
    let error = error.unwrap();
    assert_eq!(error.kind(), ErrorKind::InUse);
    assert!(error.to_string().contains("swapoff"), "{error}");
}

#[test]
fn the_file_of_a_loop_device_is_kept() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 4 * MIB);
    let device = Loop::new(&image, &[]);
    let words = ["is the backing file of", text(device.path())];
    refused(&image, &destroying(&image), ErrorKind::InUse, &words);
}

#[test]
fn a_device_that_was_claimed_is_kept() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let device = Loop::new(&sparse(folder.path(), 4 * MIB), &[]);
    let claim = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_EXCL)
        .open(device.path());
    refused(
        device.path(),
        &writing(),
        ErrorKind::InUse,
        &["has claimed it", "lsblk"],
    );
    drop(claim);
    // And what is being written cannot be mounted.
    tool("mkfs.ext4", &["-q", text(device.path())]);
    let target = Target::open(device.path(), &destroying(device.path())).unwrap();
    let mount = command("mount")
        .args([device.path(), folder.path()])
        .output()
        .unwrap();
    assert!(
        !mount.status.success(),
        "it was mounted while it was claimed"
    );
    drop(target);
}

#[test]
fn a_read_only_device_is_measured_by_reads() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let device = Loop::new(&sparse(folder.path(), 4 * MIB), &["--read-only"]);
    refused(
        device.path(),
        &writing(),
        ErrorKind::Io,
        &["is read-only", "measure reads"],
    );
    Target::open(device.path(), &reading()).unwrap();
}

#[test]
fn a_file_on_a_read_only_file_system_is_measured_by_reads() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let point = folder.path().join("ro");
    let mount = MountGuard::new(&["-t", "tmpfs", "none"], &point);
    let path = mount.path().join("data");
    fs::write(&path, [0; 8192]).unwrap();
    tool("mount", &["-o", "remount,ro", text(&point)]);
    refused(
        &path,
        &writing(),
        ErrorKind::Io,
        &["Read-only", "measure reads"],
    );
    Target::open(&path, &reading()).unwrap();
}

/// By the kernel's own count of cached pages.
#[test]
fn what_is_evicted_is_no_longer_cached() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    fs::write(&image, vec![7; 8 << 20]).unwrap();
    let pages = || {
        tool("fincore", &["-n", "-o", "PAGES", text(&image)])
            .trim()
            .to_owned()
    };
    let device = Loop::new(&image, &[]);
    let target = Target::open(device.path(), &reading()).unwrap();
    fs::read(&image).unwrap();
    assert_eq!(pages(), "2048");
    target.evict().unwrap();
    assert_eq!(
        pages(),
        "0",
        "the backing file of {}",
        device.path().display()
    );
    // A file on its own.
    let file = folder.path().join("data");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    let target = Target::open(&file, &reading()).unwrap();
    target.evict().unwrap();
    assert_eq!(
        tool("fincore", &["-n", "-o", "PAGES", text(&file)]).trim(),
        "0"
    );
}
