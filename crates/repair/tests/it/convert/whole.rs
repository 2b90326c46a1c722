//! A whole image, as the kernel sees it on a disk of the other block size: partitions, mounts, files.

use std::path::Path;

use ioalign_testkit::device::{Loop, MountGuard};

use super::{blank, convert_in_place, copy, planned, shell};
use crate::image;

const TABLE: &str = "label: gpt\nstart=2048, size=552960, type=U, name=\"EFI system\"\n\
    start=555008, size=131072, type=L, name=\"root\"\nstart=686080, size=262144, type=L, name=\"data\"\n\
    start=948224, size=8192, type=S\n";
const MIB: u64 = 1 << 20;

/// Every partition as the loop device of a whole disk shows it, waited for.
fn parts(device: &Loop) -> Vec<String> {
    shell(
        "partx --update \"$1\" || partx --add \"$1\"; udevadm settle || true",
        &[device.path()],
    );
    (1..=4)
        .map(|number| format!("{}p{number}", device.text()))
        .collect()
}

fn fill(path: &Path) {
    let device = Loop::new(path, &[]);
    let parts = parts(&device);
    let script = "mkfs.fat -F 32 -s 1 -n ESP $1p1 >&2; mkfs.ext4 -q -b 4096 $1p2; mkfs.btrfs -q $1p3; mkswap -q $1p4 >&2
        d=$(mktemp -d); trap 'rm -rf $d' EXIT; mkdir -p $d/EFI/BOOT; seq 1 100000 > $d/EFI/BOOT/BOOTX64.EFI
        seq 1 999 > \"$d/EFI/a long name.cfg\"; mcopy -s -m -i $1p1 $d/EFI ::/";
    shell(script, &[device.path()]);
    for part in [&parts[1], &parts[2]] {
        let folder = tempfile::tempdir().unwrap();
        let mount = MountGuard::new(&[part], folder.path());
        let script = "mkdir -p \"$1/a/b\"; for i in 1 2 3 4 5; do dd if=/dev/urandom of=\"$1/a/b/$i\" bs=300k count=$i status=none; done; ln -s b \"$1/a/link\"";
        shell(script, &[mount.path()]);
    }
}

/// Hashes of all files of all file systems, each of which its own checker finds clean.
fn seen(path: &Path, unit: u64) -> String {
    let device = Loop::new(path, &["--sector-size", &unit.to_string()]);
    let parts = parts(&device);
    let checks =
        "test $(blockdev --getss $1) = $(cat /sys/block/${1#/dev/}/queue/logical_block_size)
        sgdisk --verify $1 | grep -q 'No problems found'; sfdisk --verify $1 >&2
        fsck.fat -n $1p1 >&2; e2fsck -fn $1p2 >&2; btrfs check $1p3 >&2
        test $(blkid --probe --output value --match-tag TYPE $1p4) = swap
        d=$(mktemp -d); trap 'rm -rf $d' EXIT; mcopy -s -i $1p1 ::/ $d/
        cd $d; find . -type f | LC_ALL=C sort | tr '\\n' '\\0' | xargs -0 sha256sum";
    let mut seen = shell(checks, &[device.path()]);
    for part in [&parts[1], &parts[2]] {
        let folder = tempfile::tempdir().unwrap();
        let mount = MountGuard::new(&["-o", "ro", part], folder.path());
        let hash = "cd \"$1\"; find . -type f | LC_ALL=C sort | xargs sha256sum; readlink a/link";
        seen.push_str(&shell(hash, &[mount.path()]));
    }
    seen
}

#[test]
fn the_kernel_sees_the_same_files_in_other_blocks_and_back() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    blank(&path, 480 * MIB);
    image::partition(&path, 512, TABLE);
    fill(&path);
    let before = seen(&path, 512);
    assert!(before.lines().count() > 10, "{before}");
    let rows = image::dump(&path, 512).1;
    // To a new image, the original stays.
    let output = folder.path().join("new.img");
    let mut disk = crate::image::opened(&path);
    let plan = planned(&mut disk, 512, 4096).unwrap();
    copy(&mut plan.view(&mut disk), &output);
    drop(disk);
    assert_eq!(seen(&output, 4096), before);
    assert_eq!(seen(&path, 512), before);
    // In place, and the same bytes.
    let done = convert_in_place(&path, 512, 4096);
    assert!(done.partitions[0].rebuilt.is_some() && done.moves.is_empty());
    shell("cmp \"$1\" \"$2\"", &[&path, &output]);
    convert_in_place(&path, 4096, 512);
    assert_eq!(seen(&path, 512), before);
    assert_eq!(image::dump(&path, 512).1, rows);
}
