//! I/O by file: every count is fio's, whatever way it goes to the disk, and no name is wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_testkit::MountGuard;
use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{Memory, Watching, by_op, permitted};
use crate::PROGRAM;
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

/// What ext4 leaves to be written later is no file's.
const EXT4: [&str; 4] = [
    "mkfs.ext4",
    "-q",
    "-E",
    "lazy_itable_init=0,lazy_journal_init=0",
];

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

/// A file system with the files of fio's jobs. It goes before its disk.
struct LaidFiles {
    mount: MountGuard,
    disk: Memory,
    jobs: tempfile::TempDir,
}

impl LaidFiles {
    fn new(name: &str, mkfs: [&str; 4]) -> Self {
        let disk = Memory::new(name, 400);
        let device = disk.device.text();
        tool(mkfs[0], &[&mkfs[1..], &[device]].concat());
        let jobs = tempfile::tempdir().unwrap();
        let point = jobs.path().join("mnt");
        let mount = MountGuard::new(&[device], &point);
        let folder = point.join("data");
        std::fs::create_dir_all(folder.join("deep/er")).unwrap();
        for name in ["direct-read", "buffered-read", "source"] {
            laid(&folder.join(name), 32);
        }
        // Nothing of them is in memory then.
        drop(mount);
        let mount = MountGuard::new(&[device], &point);
        let text = JOBS.replace("FOLDER", folder.to_str().unwrap());
        std::fs::write(jobs.path().join("jobs.fio"), text).unwrap();
        Self { mount, disk, jobs }
    }

    fn folder(&self) -> PathBuf {
        self.mount.path().join("data")
    }

    /// Runs the jobs, until all is on the disk: what fio says of each.
    fn run_jobs(&self) -> Vec<Value> {
        let jobs = self.jobs.path().join("jobs.fio");
        let text = tool("fio", &["--output-format=json", jobs.to_str().unwrap()]);
        tool("sync", &["-f", self.folder().to_str().unwrap()]);
        let said: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
        said["jobs"].as_array().unwrap().clone()
    }
}

#[test]
fn every_file_has_the_counts_that_fio_has() {
    if !permitted() {
        return;
    }
    for mkfs in [xfs(), EXT4] {
        let files = LaidFiles::new("files", mkfs);
        let folder = files.folder();
        let watch = Watching::start(&[files.disk.name(), "--json", "--files", "50"]);
        let jobs = files.run_jobs();
        let profile = watch.profile();
        is_counted(&profile);
        for job in &jobs {
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

/// The files of fio's jobs that are watched alone: one by its name, and what lies below a folder.
#[test]
fn only_the_io_of_chosen_files_is_counted() {
    if !permitted() {
        return;
    }
    for mkfs in [xfs(), EXT4] {
        let files = LaidFiles::new("chosen", mkfs);
        let [deep, read] = ["deep", "direct-read"].map(|name| files.folder().join(name));
        let chosen = [deep.to_str().unwrap(), "--file", read.to_str().unwrap()];
        let arguments = [&[files.disk.name(), "--json", "--file"], &chosen[..]].concat();
        let watch = Watching::start(&arguments);
        let jobs = files.run_jobs();
        let profile = watch.profile();
        schema::valid(&profile, "profile.json");
        let only = [&deep, &read].map(|path| format!("file {}", path.display()));
        assert_eq!(profile["only"], serde_json::json!(only));
        let counted = by_op(&profile);
        let job = |name: &str| jobs.iter().find(|job| job["jobname"] == name).unwrap();
        let read = &job("direct-read")["read"];
        let read = ["total_ios", "io_bytes"].map(|key| read[key].as_u64().unwrap());
        assert_eq!(counted.get("read"), Some(&read.into()), "{}", mkfs[0]);
        let written = &job("buffered-write")["write"]["io_bytes"];
        assert_eq!(written, counted["write"].1, "{} {counted:?}", mkfs[0]);
    }
}

/// Four files of a block, one behind the other, written by one submission: the kernel merges what is adjacent.
#[test]
fn requests_of_chosen_files_and_of_others_are_left_out_and_named() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("merged", 64);
    let device = disk.device.text();
    tool(EXT4[0], &[&EXT4[1..], &[device]].concat());
    let top = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device], &top.path().join("mnt"));
    let paths = ["chosen/a", "others/a", "chosen/b", "others/b"];
    let paths = paths.map(|name| mount.path().join(name).to_str().unwrap().to_owned());
    for folder in ["chosen", "others"] {
        std::fs::create_dir(mount.path().join(folder)).unwrap();
    }
    // ext4 lays what one processor writes side by side: which files are adjacent is another each time.
    let lay = || {
        for path in &paths {
            let how = ["if=/dev/zero", "bs=16k", "count=1", "oflag=direct"];
            tool(
                "dd",
                &[&how[..], &["status=none", &format!("of={path}")]].concat(),
            );
        }
    };
    let [a, others_a, b, others_b] = &paths;
    let names = format!("--filename={a}:{b}:{others_a}:{others_b}");
    let chosen = mount.path().join("chosen");
    let written = |more: &[&str]| {
        let watch = Watching::start(&[&[disk.name(), "--line", "--files", "50"], more].concat());
        let how = "--name=merged --rw=write --bs=16k --filesize=16k --direct=1 --ioengine=libaio \
                   --iodepth=8 --iodepth_batch=8 --file_service_type=sequential";
        let how: Vec<_> = how.split_whitespace().collect();
        tool("fio", &[&how[..], &[&names]].concat());
        watch.end()
    };
    let row = |text: &str, name: &str| {
        let rows = text.lines().filter(|line| line.contains(name));
        let ios = rows.filter_map(|row| row.split_once(" write ")?.1.split_whitespace().next());
        ios.map(|ios| ios.parse::<u64>().unwrap()).sum::<u64>()
    };
    let mut seen = String::new();
    // What is merged depends on when fio submits: two runs are compared that merged alike.
    for _ in 0..super::ROUNDS {
        lay();
        let (all, some) = (written(&[]), written(&["--file", chosen.to_str().unwrap()]));
        let merged = row(&all, "(several files)");
        let said = format!("dropped 0, {merged} merged from these files and others, and left out");
        let end = some.trim_end().lines().last();
        let alike = row(&some, "/chosen/") == row(&all, "/chosen/");
        assert_eq!(
            row(&some, "(several files)") + row(&some, "/others/"),
            0,
            "{some}"
        );
        if merged > 0 && alike && end == Some(said.as_str()) {
            return;
        }
        seen = all + &some;
    }
    panic!("no two runs merged alike: {seen}");
}

#[test]
fn files_that_cannot_be_told_apart_are_refused() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("refused", 200);
    let device = disk.device.text();
    tool("mkfs.btrfs", &["-q", device]);
    let top = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[device], &top.path().join("mnt"));
    let point = mount.path().to_str().unwrap();
    let missing = format!("{point}/missing");
    for (path, why) in [
        (point, "I/O is told apart by file on XFS and ext4 only"),
        (missing.as_str(), "No such file or directory"),
        (device, "is no file or folder: name a device without --file"),
    ] {
        let watched = ["watch", disk.name(), "--file", path, "--duration", "1s"];
        let output = Command::new(PROGRAM).args(watched).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(65), "{said}");
        assert!(said.contains(path) && said.contains(why), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_file_whose_disk_is_not_watched_is_named() {
    if !permitted() {
        return;
    }
    let [disk, other] = ["unseen", "watched"].map(|name| Memory::new(name, 64));
    tool("mkfs.ext4", &["-q", disk.device.text()]);
    let top = tempfile::tempdir().unwrap();
    let mount = MountGuard::new(&[disk.device.text()], &top.path().join("mnt"));
    let path = mount.path().to_str().unwrap();
    for (device, is_named) in [(&other, true), (&disk, false)] {
        let watched = ["watch", device.name(), "--file", path, "--duration", "1s"];
        let output = Command::new(PROGRAM).args(watched).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let note = format!("{path} is on {}, which is not watched", disk.name());
        assert_eq!(said.contains(&note), is_named, "{said}");
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
