//! Real file systems on their way: no tool finds a table, a file system or a copy of its superblock, none
//! writes, and both ways out end with every byte of the disk right. Needs root, as CI has, for loop devices.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use ioalign_core::Boundaries;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts, RepairPlan};
use ioalign_repair::mover::{
    self, FileDisk, MoveOrigin, MoverOptions, MoverOutcome, MoverProgress,
};
use ioalign_testkit::Loop;

use crate::convert::{blank, shell};
use crate::image;

const MIB: u64 = 1 << 20;

/// A file system, how it is made in `$1`, how it is checked on `$1`, and whether it can be mounted.
struct Kind {
    name: &'static str,
    mib: u64,
    make: &'static str,
    check: &'static str,
    mounts: bool,
}

const fn kind(
    name: &'static str,
    mib: u64,
    make: &'static str,
    check: &'static str,
    mounts: bool,
) -> Kind {
    Kind {
        name,
        mib,
        make,
        check,
        mounts,
    }
}

const KINDS: [Kind; 11] = [
    kind("ext4-1k", 24, "mkfs.ext4 -qFb 1024", "e2fsck -fy", true),
    kind("ext4-4k", 140, "mkfs.ext4 -qFb 4096", "e2fsck -fy", true),
    kind(
        "xfs",
        64,
        "TEST_DIR=1 TEST_DEV=1 QA_CHECK_FS=1 mkfs.xfs -qf",
        "xfs_repair -n",
        true,
    ),
    kind("btrfs", 112, "mkfs.btrfs -qf", "btrfs check --force", true),
    kind(
        "ntfs",
        16,
        "mkfs.ntfs -qFp 63 -H 16 -S 63",
        "ntfsfix -n",
        false,
    ),
    kind("fat32", 40, "mkfs.fat -F 32", "fsck.fat -n", true),
    kind("exfat", 16, "mkfs.exfat", "fsck.exfat -n", false),
    kind("swap", 16, "mkswap -q", "swaplabel", false),
    kind("swap-64k", 16, "mkswap -q -p 65536", "swaplabel", false),
    kind(
        "luks2",
        24,
        "printf secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --type luks2 --key-file -",
        "cryptsetup isLuks",
        false,
    ),
    kind(
        "lvm",
        16,
        "pvcreate --config 'devices{scan_lvs=0 use_devicesfile=0}' -qffy",
        "pvck --config 'devices{use_devicesfile=0}'",
        false,
    ),
];

/// On a GPT or an MBR, at a start that no grid likes.
fn disk(path: &Path, kind: &Kind, gpt: bool) -> (u64, u64) {
    let (start, size) = (63 * 512, kind.mib * MIB);
    blank(path, size + 4 * MIB);
    let script = match gpt {
        true => format!("label: gpt\nfirst-lba: 34\nstart=63, size={}\n", size / 512),
        false => format!("label: dos\nstart=63, size={}, type=83\n", size / 512),
    };
    image::partition(path, 512, &script);
    {
        let sizes = [start.to_string(), size.to_string()];
        let arguments = ["--offset", &sizes[0], "--sizelimit", &sizes[1]];
        let device = Loop::new(path, &arguments);
        shell(
            &format!("{} \"$1\" >&2; sync \"$1\"", kind.make),
            &[device.path()],
        );
    }
    (start, size)
}

fn plan(path: &Path) -> RepairPlan {
    let part = PartitionFacts {
        number: 1,
        what: String::from("data"),
        demand: Some(Boundaries {
            period: 4096,
            phase: 0,
        }),
        suggested: None,
        stays: None,
        needs: None,
    };
    let choices = Choices {
        align: Some(MIB),
        ..Choices::default()
    };
    let survey = DiskSurvey {
        parts: vec![part],
        container: None,
    };
    fix::plan(&mut image::open(path, 512), &survey, &choices).unwrap()
}

fn go_on(_: &MoverProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn origin(journal: &Path) -> MoveOrigin {
    MoveOrigin {
        host: "here".into(),
        journal: journal.to_owned(),
        target: String::new(),
    }
}

/// Applies a plan until so much has moved.
fn applied(path: &Path, journal: &Path, plan: &RepairPlan, stop_at: u64) -> bool {
    let mut watch = |progress: &MoverProgress| match progress.done_bytes < stop_at {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = MoverOptions {
        chunk: 4 << 20,
        ..MoverOptions::default()
    };
    let mut disk: FileDisk = image::open(path, 512);
    let origin = origin(journal);
    mover::apply(&mut disk, journal, &plan.job, &origin, &options, &mut watch).is_ok()
}

/// Runs a command on a device; whether it finds something.
fn finds(command: &str, device: &Path) -> bool {
    let script = format!("{command} \"$1\" >/dev/null 2>&1 </dev/null");
    let done = Command::new("sh")
        .args(["-c", &script, "-"])
        .arg(device)
        .status();
    let code = done.unwrap().code().unwrap();
    assert!(code < 126, "{command} is needed for this test");
    code == 0
}

/// The same tools find it where it is whole.
fn is_something(path: &Path, kind: &Kind, start: u64, size: u64) {
    let sizes = [start.to_string(), size.to_string()];
    let arguments = ["--offset", &sizes[0], "--sizelimit", &sizes[1]];
    let device = Loop::new(path, &arguments);
    let name = kind.name;
    assert!(finds("blkid -p", device.path()), "{name}: blkid");
    assert!(finds(kind.check, device.path()), "{name}: a check");
}

/// A tool at the place where a partition was or will be.
fn is_nothing(path: &Path, kind: &Kind, start: u64, size: u64) {
    let sizes = [start.to_string(), size.to_string()];
    let arguments = ["--offset", &sizes[0], "--sizelimit", &sizes[1]];
    let device = Loop::new(path, &arguments);
    let name = kind.name;
    assert!(
        !finds("blkid -p", device.path()),
        "{name}: blkid at {start}"
    );
    assert!(
        !finds(kind.check, device.path()),
        "{name}: a check at {start}"
    );
    if kind.mounts {
        let point = tempfile::tempdir().unwrap();
        let mount = format!(
            "mount -t auto \"$1\" '{}' && umount",
            point.path().display()
        );
        assert!(!finds(&mount, device.path()), "{name}: mounted at {start}");
    }
}

/// Tools that list partitions find one, which is of no use to any of them.
fn has_no_table(path: &Path, kind: &Kind) {
    let name = kind.name;
    let said = shell("sfdisk --dump \"$1\"", &[path]);
    let rows = said.lines().filter(|line| line.contains("start="));
    let rows: Vec<_> = rows.collect();
    assert!(
        rows.len() == 1 && rows[0].contains("type=da"),
        "{name}: {said}"
    );
    let said = shell("partx --noheadings --output START \"$1\"", &[path]);
    assert_eq!(said.trim(), "1", "{name}");
    let said = shell(
        "parted --script --machine \"$1\" unit s print || true",
        &[path],
    );
    assert!(
        !said.contains("\n1:63s") && !said.contains(":gpt:"),
        "{name}: {said}"
    );
    let said = shell("sgdisk --print \"$1\" 2>&1 || true", &[path]);
    assert!(!said.contains("  63  "), "{name}: {said}");
    let said = shell("blkid -p \"$1\" || true", &[path]);
    assert!(
        !said.contains(" TYPE=") && !said.contains("gpt"),
        "{name}: {said}"
    );
}

fn one(kind: &Kind, gpt: bool) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (path, journal) = (at("disk.img"), at("journal"));
    let (start, size) = disk(&path, kind, gpt);
    let old = std::fs::read(&path).unwrap();
    let plan = plan(&path);
    assert_eq!(plan.job.free_space_not_restored_bytes(), 0);
    let copy = at("whole.img");
    std::fs::copy(&path, &copy).unwrap();
    assert!(applied(&copy, &at("other"), &plan, u64::MAX));
    let new = std::fs::read(&copy).unwrap();
    is_something(&copy, kind, MIB, size);
    assert!(!applied(&path, &journal, &plan, size / 2));
    let there = std::fs::read(&path).unwrap();
    has_no_table(&path, kind);
    is_nothing(&path, kind, start, size);
    is_nothing(&path, kind, MIB, size);
    let name = kind.name;
    assert!(
        std::fs::read(&path).unwrap() == there,
        "{name}: a tool wrote"
    );
    let twin = (at("twin.img"), at("twin-journal"));
    std::fs::copy(&path, &twin.0).unwrap();
    std::fs::copy(&journal, &twin.1).unwrap();
    let options = MoverOptions::default();
    let done = mover::resume(&mut image::open(&path, 512), &journal, &options, &mut go_on);
    assert_eq!(done.unwrap().outcome, MoverOutcome::Moved);
    assert!(std::fs::read(&path).unwrap() == new, "{name}: resumed");
    let done = mover::rollback(
        &mut image::open(&twin.0, 512),
        &twin.1,
        &options,
        &mut go_on,
    );
    assert_eq!(done.unwrap().outcome, MoverOutcome::RolledBack);
    assert!(
        std::fs::read(&twin.0).unwrap() == old,
        "{name}: rolled back"
    );
    assert_eq!(self::plan(&twin.0).job, plan.job, "{name}: planned again");
}

#[test]
fn no_tool_recognises_a_disk_on_its_way() {
    needs!(Packages, Root);
    for (index, kind) in KINDS.iter().enumerate() {
        one(kind, index % 2 == 0);
    }
}
