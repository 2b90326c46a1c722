//! Partitions that are cut off.

use ioalign_repair::layout::{MovableBlock, least};
use ioalign_repair::resize;
use ioalign_testkit::device::{Loop, MountGuard};
use proptest::prelude::*;

use super::*;

fn full(path: &Path, mkfs: &str, script: &str) {
    two(path, script);
    let device = Loop::new(path, &["--offset=32256", "--sizelimit=67059712"]);
    shell(mkfs, &[device.path()]);
}

const FULL: &str = "label: gpt\nfirst-lba: 34\nstart=63, size=130976, type=L\n";

#[test]
fn an_ext4_without_room_is_made_smaller_by_its_own_tool() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    full(&path, "mkfs.ext4 -q -b 4096 \"$1\"", FULL);
    let hash = "cd \"$1\"; find . -type f | LC_ALL=C sort | xargs sha256sum";
    let hashes = |offset: u64| {
        let device = Loop::new(&path, &[&format!("--offset={offset}")]);
        let mount = MountGuard::new(&[device.text()], &folder.path().join("mnt"));
        if offset == 32256 {
            shell(
                "for i in 1 2 3 4 5 6 7 8; do dd if=/dev/urandom of=\"$1/$i\" bs=1M count=4 status=none; done",
                &[mount.path()],
            );
        }
        shell(hash, &[mount.path()])
    };
    let before = hashes(32256);
    let wish = Choices {
        align: Some(MIB),
        ..SHRINK
    };
    let first = plan(&path, &[1], &wish);
    let shrink = first.shrink.unwrap();
    assert!(shrink.needs_tool());
    assert_eq!(shrink.slot.size - shrink.new_size, MIB);
    let mut commands = Vec::new();
    resize::run(&path, &shrink, &mut |command| {
        commands.push(command.to_owned())
    })
    .unwrap();
    assert!(
        commands[1].starts_with("resize2fs /dev/loop"),
        "{commands:?}"
    );
    let second = plan(&path, &[1], &wish);
    assert!(!second.shrink.as_ref().unwrap().needs_tool());
    apply(&path, &second);
    verified(&path);
    let row = image::dump(&path, 512).1.remove(0);
    assert_eq!((row.start, row.size * 512), (2048, shrink.new_size));
    assert_eq!(hashes(MIB), before);
    let device = Loop::new(
        &path,
        &[
            "--offset=1048576",
            &format!("--sizelimit={}", shrink.new_size),
        ],
    );
    shell("e2fsck -fn \"$1\" >&2", &[device.path()]);
}

#[test]
fn an_ntfs_is_made_smaller_and_checked() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    full(&path, "mkfs.ntfs -Q -F \"$1\" >&2", FULL);
    let wish = Choices {
        align: Some(MIB),
        ..SHRINK
    };
    let shrink = plan(&path, &[1], &wish).shrink.unwrap();
    assert!(shrink.needs_tool());
    resize::run(&path, &shrink, &mut |_| ()).unwrap();
    let again = plan(&path, &[1], &wish);
    assert!(
        !again.shrink.as_ref().unwrap().needs_tool(),
        "{:?}",
        again.shrink
    );
}

/// File systems that know where they start, in a partition up to the last sector of the disk: with those whose copies
/// lie at the end, and those that end before.
#[test]
fn what_knows_its_start_is_cut_off_and_moved() {
    needs!(Packages, Root);
    let check = "case $(blkid -p -o value -s TYPE \"$1\") in
        ntfs) ntfsresize --info --force \"$1\" >&2;;
        vfat) fsck.fat -n \"$1\" >&2;;
        exfat) fsck.exfat -n \"$1\" >&2;;
        *) e2fsck -fn \"$1\" >&2;; esac";
    for (start, make, runs) in [
        (35, "mkfs.ntfs -Q -F -p 35 \"$1\" >&2", true),
        (38, "mkfs.ntfs -Q -F -p 19 -s 1024 \"$1\" >&2", true),
        (37, "mkfs.ext4 -q -b 1024 \"$1\"", true),
        // These end before the new end of their partition.
        (37, "mkfs.ntfs -Q -F -p 37 -s 512 \"$1\" 100000 >&2", false),
        (37, "mkfs.fat -F 32 -s 1 -h 37 \"$1\" 60000 >&2", false),
        (37, "mkfs.ext2 -q \"$1\" 50000k", false),
        (37, "mkswap \"$1\" 60000 >&2", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk.img");
        let size = 131_039 - start;
        two(
            &path,
            &format!("label: gpt\nfirst-lba: 34\nstart={start}, size={size}, type=L\n"),
        );
        let whole = |start: u64, size: u64| {
            let at = format!("--offset={}", start * 512);
            Loop::new(&path, &[&at, &format!("--sizelimit={size}")])
        };
        let old = image::dump(&path, 512).1.remove(0);
        shell(make, &[whole(start, old.size * 512).path()]);
        let first = plan(&path, &[1], &SHRINK);
        let shrink = first
            .shrink
            .unwrap_or_else(|| panic!("{make}: {:?}", first.new));
        assert_eq!(shrink.needs_tool(), runs, "{make}");
        if runs {
            resize::run(&path, &shrink, &mut |_| ()).unwrap();
        }
        let second = plan(&path, &[1], &SHRINK);
        apply(&path, &second);
        verified(&path);
        let row = image::dump(&path, 512).1.remove(0);
        assert_eq!(
            (row.start % 8, row.size * 512),
            (0, shrink.new_size),
            "{make}"
        );
        let device = whole(row.start, shrink.new_size);
        if !make.starts_with("mkswap") {
            shell(check, &[device.path()]);
        }
        if make.starts_with("mkfs.ntfs") {
            let boot = std::fs::read(device.path()).unwrap();
            let unit = usize::from(u16::from_le_bytes([boot[11], boot[12]]));
            let hidden = |at: usize| u32::from_le_bytes(boot[at + 28..at + 32].try_into().unwrap());
            let sectors = u64::from_le_bytes(boot[40..48].try_into().unwrap());
            let copy = usize::try_from(sectors).unwrap() * unit;
            let is = u32::try_from(row.start * 512).unwrap() / u32::try_from(unit).unwrap();
            assert_eq!(hidden(0), is, "{make}");
            if boot[copy + 3..copy + 7] == *b"NTFS" {
                assert_eq!(hidden(copy), is, "{make}");
            }
        }
    }
}

#[test]
fn what_cannot_become_smaller_is_refused() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let refused = |mkfs: &str| {
        full(&path, mkfs, FULL);
        let wish = Choices {
            align: Some(MIB),
            ..SHRINK
        };
        let mut disk = crate::image::opened(&path);
        fix::plan(&mut disk, &survey(&[1]), &wish)
            .unwrap_err()
            .to_string()
    };
    assert!(refused("mkfs.btrfs -q --mixed \"$1\"").contains("only while it is mounted"));
    let luks = "printf secret | cryptsetup luksFormat --batch-mode --type luks1 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file - \"$1\"";
    assert!(refused(luks).contains("cryptsetup resize"));
    assert!(refused("pvcreate -qq -ff -y \"$1\" >&2").contains("pvmove"));
    let text = refused("tr '\\0' x < /dev/zero | head -c 1000000 > \"$1\"");
    assert!(text.contains("make room on the disk"), "{text}");
    // A tool that fails says why, and the table stays.
    full(&path, "mkfs.ext4 -q -b 4096 \"$1\"", FULL);
    let wish = Choices {
        align: Some(MIB),
        ..SHRINK
    };
    let mut shrink = plan(&path, &[1], &wish).shrink.unwrap();
    shrink.new_size = MIB;
    let failed = resize::run(&path, &shrink, &mut |_| ())
        .unwrap_err()
        .to_string();
    assert!(
        failed.contains("resize2fs") && failed.contains("was not changed"),
        "{failed}"
    );
}

proptest! {
    /// No smaller cut has a layout, and this one has.
    #[test]
    fn the_cut_is_the_smallest(
        gaps in prop::collection::vec((0u64..6, 1u64..40), 1..5),
        tail in 0u64..3,
        period in 1u64..9,
    ) {
        let step = 512 << 10;
        let mut at = 1;
        let mut blocks = Vec::new();
        for (number, (gap, size)) in (1..).zip(&gaps) {
            at += gap;
            blocks.push((number, at * step, size * step));
            at += size;
        }
        let within = (step, (at + tail) * step);
        let block = |(number, start, size): &(u32, u64, u64)| MovableBlock {
            number: *number,
            start: *start,
            size: *size,
            ahead: 0,
            within,
            grid: Some(Boundaries { period: period * step, phase: 0 }),
            fixed: false,
        };
        let blocks: Vec<_> = blocks.iter().map(block).collect();
        let works = |bytes: u64| least(&resize::shortened(&blocks, bytes)).is_some();
        match resize::cut(&blocks) {
            Some(cut) => {
                prop_assert!(works(cut));
                prop_assert!((0..cut / MIB).all(|smaller| !works(smaller * MIB)));
            }
            None => {
                let last = blocks.last().unwrap().size;
                prop_assert!((0..last.div_ceil(MIB)).all(|cut| !works(cut * MIB)));
            }
        }
    }
}
