//! Targets that are no ordinary files, or do not stay what they are.

use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Disk, mbr};
use tempfile::TempDir;

use super::{bad, check_json, qemu_img, watched};
use crate::PROGRAM;

fn fifo(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    tool("mkfifo", &[text(&path)]);
    path
}

#[test]
fn a_fifo_as_target_does_not_block() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    bad(&fifo(folder.path(), "pipe.img")).kind("unsupported");
}

#[test]
fn a_fifo_among_disks_of_one_machine() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    let pipe = fifo(folder.path(), "pipe.img");
    let good = mbr::disk("good.img", 64, &[(0x83, 2048, 4096)]);
    let run = check_json([
        "--together".as_ref(),
        good.path().as_os_str(),
        pipe.as_os_str(),
    ]);
    assert_eq!(run.code, 65);
    let error = &run.json()["targets"][0]["error"];
    assert_eq!(
        (&error["kind"], &error["path"]),
        (&"unsupported".into(), &text(&pipe).into())
    );
}

#[test]
fn a_fifo_below_an_image() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    let pipe = fifo(folder.path(), "base");
    let image = folder.path().join("top.qcow2");
    let create = [
        "create", "-q", "-u", "-f", "qcow2", "-b", "base", "-F", "raw",
    ];
    qemu_img(
        folder.path(),
        &[&create[..], &["top.qcow2", "64M"]].concat(),
    );
    let answer = super::about(&image, &pipe, &[]);
    answer.kind("unsupported").says("FIFO");
    let extent = "RW 131072 FLAT \"base\" 0";
    let vmdk = folder.path().join("flat.vmdk");
    std::fs::write(&vmdk, super::images::descriptor(extent)).unwrap();
    super::about(&vmdk, &pipe, &[])
        .kind("unsupported")
        .says("FIFO");
}

#[test]
fn a_character_device_and_a_socket() {
    needs!(Packages);
    bad(Path::new("/dev/zero")).kind("unsupported");
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket.img");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    bad(&path).kind("unsupported");
}

#[test]
fn what_is_not_there() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    bad(&folder.path().join("gone.img")).kind("not-found");
    let dangling = folder.path().join("link.img");
    std::os::unix::fs::symlink("gone.img", &dangling).unwrap();
    bad(&dangling).kind("not-found");
}

/// Nothing to say is `unknown`, exit 3; it is no contradiction.
#[test]
fn files_of_no_byte_and_of_one() {
    needs!(Packages);
    for bytes in [&b""[..], b"x"] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("tiny.img");
        std::fs::write(&path, bytes).unwrap();
        let run = check_json([&path]);
        let json = run.json();
        assert_eq!(
            (run.code, &json["targets"][0]["verdict"]),
            (3, &"unknown".into())
        );
    }
}

/// The program as a user without rights: root may read everything.
#[test]
fn files_and_folders_without_permission() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    let open = |path: &Path, mode| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    };
    open(folder.path(), 0o755);
    let program = folder.path().join("ioalign");
    std::fs::copy(PROGRAM, &program).unwrap();
    open(&program, 0o755);
    let images = folder.path().join("images");
    let locked = images.join("locked");
    std::fs::create_dir_all(&locked).unwrap();
    let good = mbr::disk("good.img", 64, &[(0x83, 2048, 100_000)]);
    for name in ["a.img", "b.img", "locked/c.img"] {
        std::fs::copy(good.path(), images.join(name)).unwrap();
        open(&images.join(name), 0o644);
    }
    open(&images.join("a.img"), 0o000);
    open(&locked, 0o000);
    let root = tool("id", &["-u"]).trim() == "0";
    let run = |target: &Path| {
        let check = ["check", "--json"].map(OsString::from);
        if root {
            let user = ["--reuid=65534", "--regid=65534", "--clear-groups"].map(OsString::from);
            let words = [&user[..], &[program.clone().into_os_string()], &check[..]].concat();
            watched(
                Path::new("setpriv"),
                [&words[..], &[target.into()]].concat(),
            )
        } else {
            watched(&program, [&check[..], &[target.into()]].concat())
        }
    };
    let denied = run(&images.join("a.img"));
    assert_eq!(denied.code, 65);
    let error = &denied.json()["targets"][0]["error"];
    assert_eq!(error["kind"], "permission");
    // In a folder the one that cannot be read is named, the others are judged.
    let all = run(&images);
    let json = all.json();
    let verdicts: Vec<_> = json["targets"].as_array().unwrap().iter().collect();
    assert_eq!(all.code, 65, "{json:#}");
    let named = |name: &str| {
        let ends = |t: &&&serde_json::Value| t["target"].as_str().unwrap().ends_with(name);
        verdicts.iter().find(ends).copied()
    };
    assert_eq!(named("a.img").unwrap()["error"]["kind"], "permission");
    assert_eq!(named("b.img").unwrap()["verdict"], "ok");
    assert_eq!(named("locked").unwrap()["error"]["kind"], "permission");
    let alone = run(&locked);
    assert_eq!(alone.code, 65);
    open(&locked, 0o755);
}

/// Sets the flag when it goes, so that no thread waits for it after a failure.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Another process cuts the file and lets it grow again, all the time.
#[test]
fn a_file_that_shrinks_while_it_is_read() {
    needs!(Packages);
    let disk = Disk::new("shrinks.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 4096)]);
    let (head, tail) = (
        disk.read(0, 64 << 10),
        disk.read((64 << 20) - 33 * 512, 33 * 512),
    );
    let done = AtomicBool::new(false);
    let file = File::options().write(true).open(disk.path()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut len = 0;
            while !done.load(Ordering::Relaxed) {
                len = (len + 7 * 4096 + 13) % (40 << 10);
                file.set_len(len).unwrap();
                file.set_len(64 << 20).unwrap();
                disk.write(0, &head).write((64 << 20) - 33 * 512, &tail);
            }
        });
        let _done = StopOnDrop(&done);
        for _ in 0..40 {
            let run = check_json([disk.path()]);
            let error = &run.json()["targets"][0]["error"];
            assert_eq!(run.code == 65, error.is_object(), "{} {error:#}", run.code);
            assert!([0, 2, 3, 65].contains(&run.code), "{}", run.code);
        }
    });
}

/// The same for certain: what was there at the opening is gone at the reading.
#[test]
fn a_read_behind_the_new_end_names_its_place() {
    use ioalign_inspect::Source;
    use ioalign_inspect::source::FileSource;
    let disk = Disk::new("shrinks.img", 1 << 20);
    let source = FileSource::open(disk.path()).unwrap();
    let file = File::options().write(true).open(disk.path()).unwrap();
    file.set_len(512 << 10).unwrap();
    let error = source.read_at(600 << 10, &mut [0; 512]).unwrap_err();
    assert_eq!(error.path(), Some(disk.path()));
    assert_eq!(
        error.offset().map(|at| at / 16384 * 16384),
        Some(600 << 10 >> 14 << 14)
    );
}

#[test]
fn a_folder_that_holds_a_loop_of_links() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::os::unix::fs::symlink(folder.path(), inner.join("up")).unwrap();
    std::os::unix::fs::symlink("self.img", inner.join("self.img")).unwrap();
    let good = mbr::disk("good.img", 64, &[(0x83, 2048, 100_000)]);
    std::fs::copy(good.path(), inner.join("good.img")).unwrap();
    fifo(&inner, "pipe.img");
    let run = check_json([folder.path()]);
    let json = run.json();
    assert_eq!(
        (run.code, json["summary"]["targets"].as_u64()),
        (0, Some(1)),
        "{json:#}"
    );
}
