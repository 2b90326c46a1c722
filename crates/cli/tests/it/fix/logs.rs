//! File systems whose log is dirty are moved only when that was said.

use super::*;
use ioalign_testkit::{Loop, MountGuard};

/// An image with one partition at sector 63 that holds what `make` writes.
fn with(mib: u64, make: impl Fn(&Path)) -> (Image, u64) {
    let sectors = mib * 2048;
    let image = Image {
        disk: Disk::new("disk.img", (mib + 2) * MIB),
        parts: Vec::new(),
    };
    sfdisk(image.path(), &format!("label: dos\n63,{sectors},83\n"));
    let part = image.disk.folder().join("part");
    std::fs::File::create(&part)
        .unwrap()
        .set_len(mib * MIB)
        .unwrap();
    make(&part);
    image.disk.splice(63 * 512, &part);
    std::fs::remove_file(part).unwrap();
    (image, 63 * 512)
}

fn refused_until_accepted(image: &Image, name: &str) {
    let path = text(image.path());
    let plan = document(&[path]);
    assert_eq!(
        plan["plan"]["consequences"][0]["weight"], "refused",
        "{plan:#}"
    );
    refused(&[path, "--apply"], 64, &["dirty", name, "--accept-dirty"]);
    assert!(!image.journal().exists());
    done(&[path, "--apply", "--accept-dirty"]);
    assert_eq!(image.table()[0].start, MIB);
}

fn is_not_refused(image: &Image) {
    let plan = document(&[text(image.path())]);
    let weights = plan["plan"]["consequences"].as_array().unwrap();
    assert!(
        weights.iter().all(|one| one["weight"] != "refused"),
        "{plan:#}"
    );
}

#[test]
fn ext4_with_a_journal_to_replay() {
    needs!(Packages);
    let (image, at) = with(16, |part| {
        tool(
            "mke2fs",
            &["-q", "-F", "-t", "ext4", "-O", "^metadata_csum", text(part)],
        );
    });
    is_not_refused(&image);
    let mut incompatible = image.disk.read(at + 1024 + 0x60, 4);
    incompatible[0] |= 4;
    image.disk.write(at + 1024 + 0x60, &incompatible);
    refused_until_accepted(&image, "ext4");
}

#[test]
fn ntfs_that_windows_did_not_shut_down() {
    needs!(Packages);
    let (image, at) = with(16, |part| {
        tool(
            "mkntfs",
            &[
                "-q",
                "-F",
                "-f",
                "-p",
                "63",
                "-H",
                "16",
                "-S",
                "63",
                text(part),
            ],
        );
    });
    is_not_refused(&image);
    // The flags of $VOLUME_INFORMATION, in record 3 of the table of files.
    let boot = image.disk.read(at, 512);
    let cluster = u64::from(boot[13]) * 512;
    let table = u64::from_le_bytes(boot[0x30..0x38].try_into().unwrap()) * cluster;
    let record = at + table + 3 * 1024;
    let bytes = image.disk.read(record, 1024);
    let mut attribute = usize::from(bytes[0x14]);
    while bytes[attribute] != 0x70 {
        attribute += usize::from(bytes[attribute + 4]) + 256 * usize::from(bytes[attribute + 5]);
    }
    let flags = attribute + usize::from(bytes[attribute + 0x14]) + 10;
    image.disk.write(record + flags as u64, &[1, 0]);
    refused_until_accepted(&image, "NTFS");
}

/// A file system that is cut off while it is written to: what its log holds is on the disk alone.
fn cut_off(tool_name: &str, arguments: &[&str], mib: u64) -> Image {
    let (image, at) = with(mib, |part| {
        tool(tool_name, &[arguments, &[text(part)]].concat());
    });
    is_not_refused(&image);
    let at_text = format!("--offset={at}");
    let size = format!("--sizelimit={}", mib * MIB);
    let device = Loop::new(image.path(), &[&at_text, &size]);
    let point = image.disk.folder().join("mounted");
    let mount = MountGuard::new(&[device.text()], &point);
    std::fs::write(mount.path().join("file"), noise(3, MIB)).unwrap();
    let file = std::fs::File::open(mount.path().join("file")).unwrap();
    file.sync_all().unwrap();
    drop(file);
    // The disk as a power cut leaves it now, then the mount may end.
    let now = image.disk.folder().join("now");
    tool("cp", &["--sparse=always", text(image.path()), text(&now)]);
    drop(mount);
    drop(device);
    std::fs::rename(&now, image.path()).unwrap();
    image
}

#[test]
fn xfs_that_was_not_unmounted() {
    needs!(Packages, Root);
    let image = cut_off("mkfs.xfs", &["-q", "-f"], 320);
    refused_until_accepted(&image, "XFS");
}

#[test]
fn xfs_that_was_unmounted_is_clean() {
    needs!(Packages, Root);
    let (image, at) = with(320, |part| {
        tool("mkfs.xfs", &["-q", "-f", text(part)]);
    });
    let at = format!("--offset={at}");
    let device = Loop::new(image.path(), &[&at, "--sizelimit=335544320"]);
    let mount = MountGuard::new(&[device.text()], &image.disk.folder().join("mounted"));
    for name in 0..200 {
        std::fs::write(mount.path().join(name.to_string()), noise(name, 4096)).unwrap();
    }
    mount.try_unmount().unwrap();
    drop(device);
    is_not_refused(&image);
}

#[test]
fn btrfs_with_a_log_tree() {
    needs!(Packages, Root);
    let image = cut_off("mkfs.btrfs", &["-q"], 128);
    refused_until_accepted(&image, "btrfs");
}
