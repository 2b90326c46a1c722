//! `check --atomic`: each prediction is what this kernel accepts, and captures contradict none of it.

use std::fs::{self, File, OpenOptions};
use std::io::IoSlice;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::sysroot::SysrootDisk;
use ioalign_testkit::{Disk, Loop, MountGuard, Sysroot, check, mbr, needs};
use rustix::fs::OFlags;
use rustix::io::{ReadWriteFlags, pwritev2};
use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

const MIB: u64 = 1 << 20;
const PAGES: [&str; 3] = ["4k", "8k", "16k"];
/// A name, and the words of its mkfs.
type FileSystemOf = (&'static str, &'static [&'static str]);
const SYSTEMS: [FileSystemOf; 6] = [
    ("xfs", &["mkfs.xfs", "-q", "-f"]),
    (
        "xfs without reflink",
        &["mkfs.xfs", "-q", "-f", "-m", "reflink=0"],
    ),
    (
        "xfs of 16 KiB blocks",
        &["mkfs.xfs", "-q", "-f", "-b", "size=16k"],
    ),
    (
        "ext4 with bigalloc",
        &["mkfs.ext4", "-q", "-F", "-O", "bigalloc", "-C", "16384"],
    ),
    ("ext4", &["mkfs.ext4", "-q", "-F"]),
    ("btrfs", &["mkfs.btrfs", "-q", "-f"]),
];

fn bytes_of(page: &str) -> u64 {
    page.trim_end_matches('k').parse::<u64>().unwrap() * 1024
}

fn asked(path: &Path, more: &[&str]) -> (Value, i32) {
    let arguments = [&[text(path), "--atomic"], more].concat();
    let run = check(PROGRAM, arguments);
    valid(&run.json, "check-1.schema.json");
    (run.target().clone(), run.code)
}

/// Whether the kernel takes an atomic write of a page at each multiple of it, and none beside.
fn accepts(folder: &Path, page: u64) -> bool {
    #[repr(align(65536))]
    struct Aligned([u8; 65536]);
    let buffer = Box::new(Aligned([7; 65536]));
    let path = folder.join("accepts");
    let direct = i32::try_from(OFlags::DIRECT.bits()).unwrap();
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .custom_flags(direct)
        .open(&path);
    let file = file.unwrap();
    let length = usize::try_from(page).unwrap();
    let write = |offset| {
        let marked = ReadWriteFlags::from_bits_retain(0x40);
        pwritev2(&file, &[IoSlice::new(&buffer.0[..length])], offset, marked) == Ok(length)
    };
    let whole = write(0) && write(page) && write(5 * page);
    assert!(!write(page / 2), "{page} at half of it");
    drop(file);
    fs::remove_file(path).unwrap();
    whole
}

/// Prediction, proof and a try of our own, for each page.
fn predicts(folder: &Path, name: &str) -> u32 {
    let before: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    // Without a file in it, the scratch file of the proof answers for the folder.
    let (target, _) = asked(folder, &["4k", "--prove"]);
    let expected = if accepts(folder, 4096) {
        "guaranteed"
    } else {
        "not-guaranteed"
    };
    assert_eq!(
        target["atomic"]["predicted"], expected,
        "{name}: {}",
        target["atomic"]
    );
    let file = folder.join("pages.db");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    File::open(&file).unwrap().sync_all().unwrap();
    let mut accepted = 0;
    for page in PAGES {
        let (target, code) = asked(&file, &[page, "--prove"]);
        let atomic = &target["atomic"];
        let whole = accepts(folder, bytes_of(page));
        accepted += u32::from(whole);
        let expected = if whole {
            "guaranteed"
        } else {
            "not-guaranteed"
        };
        assert_eq!(atomic["predicted"], expected, "{name} {page}: {atomic}");
        assert_eq!(atomic["proved"], true, "{name} {page}: {}", atomic["proof"]);
        assert!(atomic["proof"]["tries"].as_u64().unwrap() > 64, "{atomic}");
        let findings = target["findings"].as_array().unwrap();
        let refused = findings
            .iter()
            .any(|one| one["rule"] == "atomic-write-refused");
        assert_eq!(refused, !whole, "{name} {page}: {findings:?}");
        // A partition at sector 63 has findings of its own.
        let counted = findings.iter().any(|one| one["severity"] != "note");
        assert_eq!(code, i32::from(counted), "{name} {page}: {findings:?}");
        assert_eq!(atomic["unit_bytes"], bytes_of(page));
    }
    fs::remove_file(file).unwrap();
    let after: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(before, after, "the scratch file has no name");
    accepted
}

#[test]
fn every_prediction_is_what_the_kernel_accepts() {
    needs!(Root, Packages);
    let mut accepted = 0;
    for (name, mkfs) in SYSTEMS {
        // On a whole device, in a partition, on a device in a partition, and on one in a file of a file system.
        let disk = Disk::new("disk.img", 600 * MIB);
        let device = Loop::new(disk.path(), &["--direct-io=on"]);
        accepted += made(name, mkfs, device.text());
        drop(device);
        let parted = mbr::disk("parted.img", 600, &[(0x83, 63, 1_200_000)]);
        let device = Loop::new(parted.path(), &["--direct-io=on"]);
        tool("partx", &["--add", device.text()]);
        let part = format!("{}p1", device.text());
        accepted += made(&format!("{name} in a partition at sector 63"), mkfs, &part);
        let coarse = [
            "--direct-io=on",
            "--sector-size",
            "4096",
            "--offset",
            "4096",
        ];
        let above = Loop::new(Path::new(&part), &coarse);
        let stacked = format!("{name} on 4 KiB sectors in a partition at sector 63");
        accepted += made(&stacked, mkfs, above.text());
        drop(above);
        drop(device);
        let outer = Loop::new(disk.path(), &[]);
        tool("mkfs.xfs", &["-q", "-f", outer.text()]);
        let folder = tempfile::tempdir().unwrap();
        let mount = MountGuard::new(&[outer.text()], &folder.path().join("outer"));
        let inner = mount.path().join("inner.img");
        File::create(&inner).unwrap().set_len(400 * MIB).unwrap();
        let inner = Loop::new(&inner, &["--direct-io=on"]);
        accepted += made(&format!("{name} in a file"), mkfs, inner.text());
        drop(inner);
        drop(mount);
    }
    assert!(
        accepted >= 12,
        "some kernel here must accept some: {accepted}"
    );
    let folder = tempfile::tempdir().unwrap();
    let memory = MountGuard::new(&["-t", "tmpfs", "none"], &folder.path().join("memory"));
    predicts(memory.path(), "tmpfs");
}

fn made(name: &str, mkfs: &[&str], device: &str) -> u32 {
    let (program, options) = mkfs.split_first().unwrap();
    tool(program, &[options, &[device]].concat());
    let folder = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device], &folder.path().join("mnt"));
    let accepted = predicts(mount.path(), name);
    captured(device, mount.path(), name);
    accepted
}

/// By rules alone, without statx: never the opposite of what the kernel does.
fn captured(device: &str, folder: &Path, name: &str) {
    let bundle = tempfile::tempdir().unwrap();
    let bundle = bundle.path().join("host.tar.gz");
    let done = Command::new(PROGRAM)
        .args(["capture", device, "-o", text(&bundle)])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    for page in PAGES {
        let (target, _) = asked(&bundle, &[page]);
        let said = target["atomic"]["predicted"].as_str().unwrap();
        let whole = accepts(folder, bytes_of(page));
        let wrong = if whole {
            "not-guaranteed"
        } else {
            "guaranteed"
        };
        assert_ne!(said, wrong, "{name} {page}: {}", target["atomic"]);
    }
}

#[test]
fn a_loop_device_is_never_certified_by_itself() {
    needs!(Root, Packages);
    // Below the tear device of `lab tear` lies such a device too: sysfs says that it writes nothing in one piece.
    let disk = Disk::new("disk.img", 64 * MIB);
    let device = Loop::new(disk.path(), &[]);
    let (target, code) = asked(device.path(), &["16k", "--prove"]);
    assert_eq!(target["atomic"]["predicted"], "not-guaranteed", "{target}");
    assert_eq!(
        target["atomic"]["proved"],
        Value::Null,
        "a device is not written"
    );
    assert!(target["atomic"]["proof"]["not_tried"].is_string());
    assert_eq!(code, 1);
    let before = fs::read(disk.path()).unwrap();
    assert!(before.iter().all(|byte| *byte == 0));
}

#[test]
fn an_engine_that_marks_nothing_is_refused_where_only_marked_writes_are_whole() {
    needs!(Root, Packages);
    let disk = Disk::new("disk.img", 600 * MIB);
    let device = Loop::new(disk.path(), &["--direct-io=on"]);
    tool("mkfs.xfs", &["-q", "-f", device.text()]);
    let folder = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device.text()], &folder.path().join("mnt"));
    let file = mount.path().join("app.db");
    let mut sqlite = vec![0; 8192];
    sqlite[..16].copy_from_slice(b"SQLite format 3\0");
    sqlite[16..18].copy_from_slice(&8192_u16.to_be_bytes());
    fs::write(&file, sqlite).unwrap();
    // The page is the file's own.
    let (target, code) = asked(&file, &[]);
    let atomic = &target["atomic"];
    assert_eq!(atomic["unit_bytes"], 8192, "{atomic}");
    assert_eq!(atomic["predicted"], "not-guaranteed");
    assert_eq!(atomic["subjects"][0]["weakest"], "database:sqlite");
    assert_eq!(code, 1, "{}", target["findings"]);
    let (target, _) = asked(mount.path(), &["page", "--database", "innodb"]);
    assert_eq!(target["atomic"]["unit_bytes"], 16384);
    let shown = Command::new(PROGRAM)
        .args(["check", text(&file), "--atomic", "8k"])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("atomic      8 KiB pages on database:sqlite: refused."),
        "{shown}"
    );
}

#[test]
fn a_captured_host_answers_from_its_queues() {
    let nvme = |unit_max: u64| {
        let disk = SysrootDisk::new("nvme0n1", 2 << 20)
            .attr(
                "queue/atomic_write_unit_min_bytes",
                if unit_max == 0 { 0 } else { 512 },
            )
            .attr("queue/atomic_write_unit_max_bytes", unit_max)
            .attr("queue/atomic_write_max_bytes", unit_max)
            .attr("queue/atomic_write_boundary_bytes", 0);
        Sysroot::new()
            .disk(disk)
            .file("proc/sys/kernel/osrelease", "6.18.0\n")
    };
    for (unit_max, predicted) in [
        (16384, "guaranteed"),
        (8192, "not-guaranteed"),
        (0, "not-guaranteed"),
    ] {
        let tree = nvme(unit_max);
        let run = check(PROGRAM, ["--sysroot", text(tree.path()), "--atomic", "16k"]);
        valid(&run.json, "check-1.schema.json");
        assert_eq!(
            run.target()["atomic"]["predicted"],
            predicted,
            "{unit_max}: {}",
            run.json
        );
    }
    let silent = Sysroot::new()
        .disk(SysrootDisk::new("sda", 2 << 20))
        .file("proc/sys/kernel/osrelease", "6.18.0\n");
    let run = check(
        PROGRAM,
        ["--sysroot", text(silent.path()), "--atomic", "16k"],
    );
    assert_eq!(run.target()["atomic"]["predicted"], "unknown");
    assert_eq!(run.code, 3);
}

#[test]
fn it_is_absent_unless_asked_and_wants_a_size() {
    let disk = Disk::new("plain.img", MIB);
    let run = check(PROGRAM, [text(disk.path())]);
    assert!(run.target().get("atomic").is_none());
    for arguments in [
        &["--atomic", "12k"][..],
        &["--prove"],
        &["--atomic", "16k", "--chain"],
    ] {
        let run = Command::new(PROGRAM)
            .args(["check", text(disk.path())])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(64), "{arguments:?}");
    }
    let (target, code) = asked(disk.path(), &["page"]);
    assert_eq!(
        (target["atomic"]["unit_bytes"].clone(), code),
        (Value::Null, 3),
        "no database names a page"
    );
}
