//! I/O by file: every count is fio's, whatever way it goes to the disk, and no name is wrong.

use std::path::Path;

use ioalign_testkit::MountGuard;
use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{Memory, Watching, permitted};
use crate::schema;

/// fio's jobs. The last writes from memory that is another file: its pages have a name, and a wrong one.
const JOBS: &str = "\
[global]
directory=FOLDER
size=32m
bs=16k
[direct-write]
filename=direct-write
rw=randwrite
direct=1
number_ios=900
[direct-read]
filename=direct-read
rw=randread
direct=1
ioengine=libaio
iodepth=8
number_ios=700
[buffered-write]
filename=deep/er/buffered-write
rw=write
end_fsync=1
[buffered-read]
filename=buffered-read
rw=randread
number_ios=500
[mapped]
filename=mapped
rw=randwrite
direct=1
iomem=mmapshared:FOLDER/source
number_ios=600
";

/// A file of some MiB, on the disk and not in memory.
fn laid(path: &Path, mib: u32) {
    let out = format!("of={}", path.display());
    let count = format!("count={mib}");
    let how = ["if=/dev/zero", "bs=1M", "conv=fsync", "status=none"];
    tool("dd", &[&how[..], &[&out, &count]].concat());
}

/// I/Os and bytes of the rows that a file has.
fn of_file(profile: &Value, path: &Path, op: &str) -> (u64, u64) {
    let files = profile["devices"][0]["files"].as_array().unwrap();
    let mine = files.iter().filter(|file| {
        file["path"] == path.to_str().unwrap() && file["op"] == op && file["is_whole"] == true
    });
    let number = |file: &Value, key: &str| file[key].as_u64().unwrap();
    mine.fold((0, 0), |(ios, bytes), file| {
        (ios + number(file, "ios"), bytes + number(file, "bytes"))
    })
}

fn is_counted(profile: &Value) {
    schema::valid(profile, "profile.json");
    let files = profile["devices"][0]["files"].as_array().unwrap();
    let sum: u64 = files.iter().map(|file| file["ios"].as_u64().unwrap()).sum();
    assert_eq!(sum, profile["events"], "{files:?}");
}

/// Blocks of 16 KiB are more than a page: XFS has them since Linux 6.12.
fn xfs() -> [&'static str; 4] {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut parts = release
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let size = if version >= (6, 12) {
        "size=16k"
    } else {
        "size=4k"
    };
    ["mkfs.xfs", "-q", "-b", size]
}

#[test]
fn every_file_has_the_counts_that_fio_has() {
    if !permitted() {
        return;
    }
    // What ext4 leaves to be written later is no file's.
    let ext4 = [
        "mkfs.ext4",
        "-q",
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0",
    ];
    for mkfs in [xfs(), ext4] {
        let disk = Memory::new("files", 400);
        let device = disk.device.text();
        tool(mkfs[0], &[&mkfs[1..], &[device]].concat());
        let top = tempfile::tempdir().unwrap();
        let point = top.path().join("mnt");
        let folder = point.join("data");
        let mount = MountGuard::new(&[device], &point);
        std::fs::create_dir_all(folder.join("deep/er")).unwrap();
        for name in ["direct-read", "buffered-read", "source"] {
            laid(&folder.join(name), 32);
        }
        // Nothing of them is in memory then.
        drop(mount);
        let _mount = MountGuard::new(&[device], &point);
        let jobs = top.path().join("jobs.fio");
        std::fs::write(&jobs, JOBS.replace("FOLDER", folder.to_str().unwrap())).unwrap();
        let watch = Watching::start(&[disk.name(), "--json", "--files", "50"]);
        let text = tool("fio", &["--output-format=json", jobs.to_str().unwrap()]);
        tool("sync", &["-f", folder.to_str().unwrap()]);
        let profile = watch.profile();
        is_counted(&profile);
        let truth: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
        for job in truth["jobs"].as_array().unwrap() {
            let name = job["jobname"].as_str().unwrap();
            let op = if name.ends_with("read") {
                "read"
            } else {
                "write"
            };
            let path = match name {
                "buffered-write" => folder.join("deep/er/buffered-write"),
                _ => folder.join(name),
            };
            let (ios, bytes) = of_file(&profile, &path, op);
            let files = &profile["devices"][0]["files"];
            assert_eq!(bytes, job[op]["io_bytes"], "{} {name}: {files}", mkfs[0]);
            if !name.starts_with("buffered") {
                assert_eq!(ios, job[op]["total_ios"], "{} {name}: {files}", mkfs[0]);
            }
        }
        // The memory that was written from has been changed itself, and goes to its own file: one buffer.
        let (_, bytes) = of_file(&profile, &folder.join("source"), "write");
        assert!(bytes <= 1 << 20, "{}: {bytes}", mkfs[0]);
    }
}

#[test]
fn a_number_that_is_used_again_is_another_file() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("reused", 64);
    let device = disk.device.text();
    tool("mkfs.ext4", &["-q", device]);
    let top = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device], &top.path().join("mnt"));
    let watch = Watching::start(&[disk.name(), "--json", "--files", "50"]);
    let paths = ["first", "second"].map(|name| mount.path().join(name));
    for (path, mib) in paths.iter().zip([1, 2]) {
        laid(path, mib);
        std::fs::remove_file(path).unwrap();
    }
    let profile = watch.profile();
    is_counted(&profile);
    let written = paths.map(|path| of_file(&profile, &path, "write").1 >> 20);
    assert_eq!(written, [1, 2], "{}", profile["devices"][0]["files"]);
    let files = profile["devices"][0]["files"].as_array().unwrap();
    let numbers = files.iter().filter(|file| file["what"] == "file");
    let numbers: std::collections::BTreeSet<_> =
        numbers.map(|file| file["inode"].as_u64()).collect();
    assert_eq!(numbers.len(), 1, "ext4 has not used it again: {files:?}");
}

#[test]
fn a_file_system_that_is_not_told_apart_has_no_names() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("untold", 200);
    let device = disk.device.text();
    tool("mkfs.btrfs", &["-q", device]);
    let top = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device], &top.path().join("mnt"));
    let watch = Watching::start(&[disk.name(), "--line", "--files", "50"]);
    laid(&mount.path().join("buffered"), 4);
    let direct = format!("of={}", mount.path().join("direct").display());
    tool(
        "dd",
        &["if=/dev/zero", "bs=1M", "count=4", "oflag=direct", &direct],
    );
    let text = watch.end();
    assert!(text.contains("  (unattributed)  "), "{text}");
    assert!(
        !text.contains("/buffered") && !text.contains("/direct"),
        "{text}"
    );
}
