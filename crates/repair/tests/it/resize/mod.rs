//! Ends of last partitions: grown to the end of a longer disk, cut off behind smaller file systems.

use std::fs::File;
use std::path::Path;

use ioalign_repair::boot::Weight;
use ioalign_repair::fix::{self, Choices, Part, Plan, Survey};
use ioalign_repair::layout::{Block, Boundaries, least};
use ioalign_repair::mover::{self, FileDisk};
use ioalign_repair::resize;
use ioalign_testkit::device::{Loop, Mount};
use proptest::prelude::*;

use crate::convert::{blank, shell};
use crate::image;

const MIB: u64 = 1 << 20;

/// All partitions want a multiple of 4 KiB.
fn survey(numbers: &[u32]) -> Survey {
    let part = |number: &u32| Part {
        number: *number,
        what: String::from("data"),
        demand: Some(Boundaries {
            period: 4096,
            phase: 0,
        }),
        stays: None,
    };
    Survey {
        parts: numbers.iter().map(part).collect(),
    }
}

fn plan(path: &Path, numbers: &[u32], choices: &Choices) -> Plan {
    let mut disk = FileDisk::open(path).unwrap();
    fix::plan(&mut disk, &survey(numbers), choices).unwrap()
}

fn apply(path: &Path, plan: &Plan) {
    let mut disk = FileDisk::open(path).unwrap();
    let mut watch = |_: &mover::Progress| std::ops::ControlFlow::Continue(());
    let journal = path.with_extension("journal");
    mover::apply(
        &mut disk,
        &journal,
        &plan.job,
        &mover::Options::default(),
        &mut watch,
    )
    .unwrap();
}

fn verified(path: &Path) {
    let said = shell("sgdisk --verify \"$1\"; sfdisk --verify \"$1\"", &[path]);
    assert!(said.contains("No problems found"), "{said}");
}

const GROW: Choices = Choices {
    only: Vec::new(),
    align: None,
    grow: true,
    shrink_last: false,
};
const SHRINK: Choices = Choices {
    only: Vec::new(),
    align: None,
    grow: false,
    shrink_last: true,
};

fn two(path: &Path, script: &str) {
    blank(path, 64 * MIB);
    image::partition(path, 512, script);
}

#[test]
fn the_last_partition_goes_to_the_end_of_a_longer_image() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    two(
        &path,
        "label: gpt\nstart=2048, size=20480, type=L, name=\"a\"\nstart=22528, size=40960, type=L, name=\"b\"\n",
    );
    shell(
        "mkfs.ext4 -q -b 4096 -E offset=11534336 \"$1\" 20480k >&2",
        &[&path],
    );
    let before = image::dump(&path, 512).1;
    assert!(plan(&path, &[1, 2], &Choices::default()).is_empty());
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(200 * MIB)
        .unwrap();
    let plan_grow = plan(&path, &[1, 2], &GROW);
    assert!(plan_grow.job.moves.is_empty() && !plan_grow.is_empty());
    let told = &plan_grow.consequences[0];
    assert_eq!(told.weight, Weight::Told);
    assert!(
        told.advice.as_ref().unwrap().contains("resize2fs"),
        "{told:?}"
    );
    apply(&path, &plan_grow);
    verified(&path);
    let rows = image::dump(&path, 512).1;
    assert_eq!(rows[0], before[0]);
    assert_eq!(
        (rows[1].start, &rows[1].rest),
        (before[1].start, &before[1].rest)
    );
    assert_eq!((rows[1].start + rows[1].size) * 512, 199 * MIB);
    assert!(
        plan(&path, &[1, 2], &GROW).is_empty(),
        "there is no more room"
    );
    let old_backup = shell(
        "dd if=\"$1\" bs=512 skip=131071 count=1 status=none | tr -d '\\0' | wc -c",
        &[&path],
    );
    assert_eq!(old_backup.trim(), "0", "nothing is left of the old backup");
    // What the advice says works.
    let device = Loop::new(&path, &["--offset=11534336", "--sizelimit=197132288"]);
    shell(
        "e2fsck -fp \"$1\" >&2; resize2fs \"$1\" >&2; e2fsck -fn \"$1\" >&2",
        &[device.path()],
    );
}

/// An MBR with the last partition in an extended one, which grows with it.
#[test]
fn a_logical_partition_grows_with_its_container() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    two(
        &path,
        "label: dos\nstart=2048, size=2048, type=83\nstart=4096, size=40960, type=5\nstart=6144, size=8192, type=83\nstart=16384, size=8192, type=83\n",
    );
    apply(&path, &plan(&path, &[1, 5, 6], &GROW));
    let rows = image::dump(&path, 512).1;
    let last = rows.iter().find(|row| row.number == 6).unwrap();
    let container = rows.iter().find(|row| row.number == 2).unwrap();
    assert_eq!((last.start + last.size) * 512, 64 * MIB);
    assert_eq!((container.start + container.size) * 512, 64 * MIB);
    shell("sfdisk --verify \"$1\"", &[&path]);
}

/// A move to the right that only a longer disk has room for.
#[test]
fn growth_makes_room_for_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    two(
        &path,
        "label: gpt\nfirst-lba: 34\nstart=63, size=130976, type=L\n",
    );
    let text = "the data of a partition that starts at 63";
    shell(
        &format!("printf '{text}' | dd of=\"$1\" bs=1 seek=32256 conv=notrunc status=none"),
        &[&path],
    );
    let mut disk = FileDisk::open(&path).unwrap();
    let wish = Choices {
        align: Some(MIB),
        ..Choices::default()
    };
    let refused = fix::plan(&mut disk, &survey(&[1]), &wish)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("--grow") && refused.contains("--shrink-last"),
        "{refused}"
    );
    drop(disk);
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(67 * MIB)
        .unwrap();
    let wish = Choices {
        align: Some(MIB),
        ..GROW
    };
    apply(&path, &plan(&path, &[1], &wish));
    verified(&path);
    let rows = image::dump(&path, 512).1;
    assert_eq!(
        (rows[0].start, rows[0].start + rows[0].size),
        (2048, 66 * 2048)
    );
    let read = shell(
        "dd if=\"$1\" bs=1 skip=1048576 count=41 status=none",
        &[&path],
    );
    assert_eq!(read, text);
}

fn full(path: &Path, mkfs: &str, script: &str) {
    two(path, script);
    let device = Loop::new(path, &["--offset=32256", "--sizelimit=67059712"]);
    shell(mkfs, &[device.path()]);
}

const FULL: &str = "label: gpt\nfirst-lba: 34\nstart=63, size=130976, type=L\n";

#[test]
fn an_ext4_without_room_is_made_smaller_by_its_own_tool() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    full(&path, "mkfs.ext4 -q -b 4096 \"$1\"", FULL);
    let hash = "cd \"$1\"; find . -type f | LC_ALL=C sort | xargs sha256sum";
    let hashes = |offset: u64| {
        let device = Loop::new(&path, &[&format!("--offset={offset}")]);
        let mount = Mount::new(&[device.text()], &folder.path().join("mnt"));
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

#[test]
fn what_cannot_become_smaller_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let refused = |mkfs: &str| {
        full(&path, mkfs, FULL);
        let wish = Choices {
            align: Some(MIB),
            ..SHRINK
        };
        let mut disk = FileDisk::open(&path).unwrap();
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
        let block = |(number, start, size): &(u32, u64, u64)| Block {
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
