//! Block devices: refused while they are used, and the kernel takes on the new table.

use super::*;
use ioalign_testkit::{Loop, MountGuard};

/// A loop device with its partitions: the kernel hears of them one by one, because not every one reads
/// tables of loop devices.
fn with_partitions(image: &Image) -> Loop {
    let device = Loop::new(image.path(), &[]);
    let given = command("partx").args(["--update", device.text()]).status();
    assert!(given.unwrap().success(), "this test needs root");
    let first = format!("{}p1", device.text());
    until("the partitions are there", || Path::new(&first).exists());
    device
}

fn starts_in_sysfs(device: &Loop) -> Vec<u64> {
    let mut starts = Vec::new();
    for number in 1..10 {
        let name = device.name();
        let path = format!("/sys/block/{name}/{name}p{number}/start");
        if let Ok(text) = std::fs::read_to_string(path) {
            starts.push(text.trim().parse::<u64>().unwrap() * 512);
        }
    }
    starts
}

#[test]
fn the_kernel_takes_on_the_new_table() {
    needs!(Packages, Root);
    let image = Image::old();
    let device = with_partitions(&image);
    assert_eq!(starts_in_sysfs(&device).len(), 3);
    let journal = image.disk.folder().join("journal");
    // A loop device says that its blocks have 512 bytes, which nobody believes: check complains, so fix plans.
    assert_eq!(check_image(device.path(), &[]).verdict(), "misaligned");
    let plan = document(&[device.text()]);
    assert_eq!(plan["plan"]["moves"].as_array().unwrap().len(), 3);
    done(&[device.text(), "--apply", "--journal", text(&journal)]);
    assert_eq!(check_image(device.path(), &[]).verdict(), "ok");
    assert_eq!(document(&[device.text()])["needed"], false);
    let starts: Vec<_> = table(device.path(), 512)
        .iter()
        .map(|line| line.start)
        .collect();
    assert!(starts.iter().all(|start| start % MIB == 0));
    assert_eq!(starts_in_sysfs(&device), starts);
    drop(device);
    image.is_fixed(MIB);
}

#[test]
fn what_is_mounted_is_not_touched() {
    needs!(Packages, Root);
    let image = Image::new(40, "label: dos\n63,30000,83\n30063,30000,83\n");
    let part = image.disk.folder().join("part");
    std::fs::File::create(&part)
        .unwrap()
        .set_len(30000 * 512)
        .unwrap();
    tool("mke2fs", &["-q", "-F", text(&part)]);
    image.disk.splice(63 * 512, &part);
    let before = image.whole();
    let device = with_partitions(&image);
    let first = format!("{}p1", device.text());
    let point = image.disk.folder().join("mounted");
    let mount = MountGuard::new(&["-o", "ro", &first], &point);
    // A journal that lies on the disk that moves: its file system is mounted, so it is refused.
    let journal = point.join("journal");
    refused(
        &[device.text(), "--apply", "--journal", text(&journal)],
        65,
        &["mounted on", "umount"],
    );
    // The image behind the device.
    refused(
        &[text(image.path()), "--apply"],
        65,
        &["loop", "losetup -d"],
    );
    refused(&[&first, "--apply"], 65, &["name its disk"]);
    drop(mount);
    assert!(image.whole() == before);
}

#[test]
fn paging_space_is_not_touched() {
    needs!(Packages, Root);
    let image = Image::new(40, "label: dos\n63,30000,82\n");
    let device = with_partitions(&image);
    let first = format!("{}p1", device.text());
    tool("mkswap", &[&first]);
    tool("swapon", &[&first]);
    let output = fix(&[device.text(), "--apply"]);
    tool("swapoff", &[&first]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{errors}");
    assert!(
        errors.contains("paging space") && errors.contains("swapoff"),
        "{errors}"
    );
}

#[test]
fn a_journal_needs_its_room_before_anything_moves() {
    needs!(Packages, Root);
    let image = Image::old();
    let before = image.whole();
    let mount = MountGuard::new(
        &["-t", "tmpfs", "-o", "size=2m", "none"],
        &image.disk.folder().join("small"),
    );
    let journal = mount.path().join("journal");
    refused(
        &[text(image.path()), "--apply", "--journal", text(&journal)],
        65,
        &["no room for the journal", "needs"],
    );
    assert!(!journal.exists());
    assert!(image.whole() == before);
    // With room it goes, and it is said that memory is no place for it.
    refused(
        &[
            text(image.path()),
            "--apply",
            "--chunk",
            "1M",
            "--journal",
            text(&journal),
        ],
        65,
        &["no room"],
    );
    drop(mount);
    let mount = MountGuard::new(
        &["-t", "tmpfs", "-o", "size=80m", "none"],
        &image.disk.folder().join("small"),
    );
    let output = fix(&[
        text(image.path()),
        "--apply",
        "--journal",
        text(&mount.path().join("journal")),
    ]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && errors.contains("lies in memory"),
        "{output:?}"
    );
    image.is_fixed(MIB);
}
