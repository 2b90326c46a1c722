//! What cannot live in other blocks is refused, by the word of the kernel.

use std::path::Path;

use ioalign_repair::boot::Weight;
use ioalign_repair::content::{PartitionContent, probe};
use ioalign_repair::convert::{FollowedPartition, follow};
use ioalign_testkit::device::Loop;
use ioalign_testkit::run::command;

use super::shell;

/// The worst that is said of a file system for blocks of `to`.
fn worst(content: &PartitionContent, to: u64) -> Option<(Weight, String)> {
    let case = FollowedPartition {
        number: 1,
        content,
        kind: None,
        to,
        resized: false,
    };
    let stated = follow(&case).into_iter().max_by_key(|one| one.weight)?;
    Some((stated.weight, stated.what))
}

fn made(folder: &Path, mib: u64, script: &str) -> (std::path::PathBuf, PartitionContent) {
    let path = folder.join("fs");
    let _ = std::fs::remove_file(&path);
    shell(
        &format!("truncate --size {mib}M \"$1\"; {script}"),
        &[&path],
    );
    let content = probe(&mut crate::image::opened(&path), 0, mib << 20).unwrap();
    (path, content)
}

/// Whether this kernel mounts it on a disk with blocks of 4096 bytes.
fn mounts(path: &Path) -> bool {
    let device = Loop::new(path, &["--sector-size", "4096"]);
    let folder = tempfile::tempdir().unwrap();
    let mounted = command("mount")
        .args(["-o", "ro"])
        .arg(device.path())
        .arg(folder.path())
        .output();
    let mounted = mounted.unwrap().status.success();
    if mounted {
        let gone = command("umount").arg(folder.path()).status().unwrap();
        assert!(gone.success());
    }
    mounted
}

/// Everything that this kernel can mount: it refuses what is refused here, and mounts the rest.
#[test]
fn the_kernel_says_the_same() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            32,
            "mkfs.ext4 -q -b 1024 \"$1\"",
            PartitionContent::Ext { block: 1024 },
        ),
        (
            32,
            "mkfs.ext4 -q -b 2048 \"$1\"",
            PartitionContent::Ext { block: 2048 },
        ),
        (
            32,
            "mkfs.ext4 -q -b 4096 \"$1\"",
            PartitionContent::Ext { block: 4096 },
        ),
        (
            320,
            "mkfs.xfs -q -s size=512 \"$1\"",
            PartitionContent::Xfs { sector: 512 },
        ),
        (
            320,
            "mkfs.xfs -q -s size=4096 \"$1\"",
            PartitionContent::Xfs { sector: 4096 },
        ),
        (
            120,
            "mkfs.btrfs -q \"$1\"",
            PartitionContent::Btrfs { sector: 4096 },
        ),
    ];
    for (mib, script, expected) in cases {
        let (path, content) = made(folder.path(), mib, script);
        assert_eq!(content, expected);
        let refused = worst(&content, 4096).is_some_and(|(weight, _)| weight == Weight::Refused);
        assert_eq!(mounts(&path), !refused, "{script}");
        assert_eq!(worst(&content, 512), None, "{script}");
    }
}

#[test]
fn what_windows_would_not_mount_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let (_, ntfs) = made(folder.path(), 32, "mkfs.ntfs -Q -F \"$1\" >&2");
    assert_eq!(ntfs, PartitionContent::Ntfs { sector: 512 });
    let (weight, what) = worst(&ntfs, 4096).unwrap();
    assert_eq!(weight, Weight::Refused);
    assert!(what.contains("unformatted"), "{what}");
    let (_, large) = made(folder.path(), 32, "mkfs.ntfs -Q -F -s 4096 \"$1\" >&2");
    assert_eq!(worst(&large, 4096), None);
    let (_, exfat) = made(folder.path(), 32, "mkfs.exfat \"$1\" >&2");
    assert_eq!(exfat, PartitionContent::ExFat { sector: 512 });
    assert_eq!(worst(&exfat, 4096).unwrap().0, Weight::Refused);
    assert_eq!(worst(&PartitionContent::ExFat { sector: 4096 }, 4096), None);
    assert_eq!(
        worst(&PartitionContent::ExFat { sector: 4096 }, 512)
            .unwrap()
            .0,
        Weight::Warned
    );
}

/// What is in an encrypted or a logical volume is not seen: that is said.
#[test]
fn what_holds_others_is_told() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let luks = |version: u32| {
        let script = format!(
            "printf secret | cryptsetup luksFormat --batch-mode --type luks{version} --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file - \"$1\""
        );
        made(folder.path(), 40, &script).1
    };
    for version in [1, 2] {
        let content = luks(version);
        assert!(
            matches!(content, PartitionContent::Luks { data: Some(_), .. }),
            "{content:?}"
        );
        let (weight, what) = worst(&content, 4096).unwrap();
        assert_eq!(weight, Weight::Warned);
        assert!(what.contains("encrypted cannot be seen"), "{what}");
        assert_eq!(worst(&content, 512), None);
    }
    let odd = PartitionContent::Luks {
        version: 1,
        data: Some(1031 * 512),
    };
    assert_eq!(worst(&odd, 4096).unwrap().0, Weight::Refused);
    let (_, swap) = made(folder.path(), 4, "mkswap \"$1\" >&2");
    assert_eq!(
        (&swap, worst(&swap, 4096)),
        (&PartitionContent::Swap { page: 4096 }, None)
    );
    let (_, lvm) = made(
        folder.path(),
        8,
        "printf 'LABELONE' | dd of=\"$1\" bs=1 seek=512 conv=notrunc status=none; printf 'LVM2 001' | dd of=\"$1\" bs=1 seek=536 conv=notrunc status=none",
    );
    assert_eq!(
        (&lvm, worst(&lvm, 4096).unwrap().0),
        (&PartitionContent::Lvm, Weight::Warned)
    );
    let (_, nothing) = made(folder.path(), 8, ":");
    assert_eq!(
        (&nothing, worst(&nothing, 4096)),
        (&PartitionContent::Empty, None)
    );
}

/// What is found from the end of a partition is lost when that is another.
#[test]
fn what_counts_from_the_end_keeps_its_end() {
    let content = PartitionContent::Md {
        at_end: true,
        data: 0,
    };
    let case = |resized| FollowedPartition {
        number: 1,
        content: &content,
        kind: None,
        to: 4096,
        resized,
    };
    let refused = |resized| {
        follow(&case(resized))
            .iter()
            .any(|one| one.weight == Weight::Refused)
    };
    assert!(refused(true) && !refused(false));
}
