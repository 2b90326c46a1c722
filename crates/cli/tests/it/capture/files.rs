//! The file: never half of one, never over another, and what is said about it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ioalign_testkit::files::names;
use ioalign_testkit::run::text;
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};
use serde_json::Value;

use super::{Bundle, capture};
use crate::PROGRAM;
use crate::schema::valid;

fn small() -> Sysroot {
    Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 20))
        .file("proc/sys/kernel/hostname", "a-host\n")
}

#[test]
fn a_file_that_is_there_is_not_replaced_by_mistake() {
    let (tree, folder) = (small(), tempfile::tempdir().unwrap());
    let file = folder.path().join("bundle.tar.gz");
    std::fs::write(&file, "precious").unwrap();
    let arguments = ["--sysroot", text(tree.path()), "-o", text(&file)];
    let output = capture(arguments);
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--force"));
    assert_eq!(std::fs::read(&file).unwrap(), b"precious");
    let output = capture(arguments.into_iter().chain(["--force"]));
    assert_eq!(output.status.code(), Some(0));
    assert!(std::fs::read(&file).unwrap().starts_with(&[0x1f, 0x8b]));
    assert_eq!(names(folder.path()), ["bundle.tar.gz"]);
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it says a lot about a host");
}

#[test]
fn devices_links_and_folders_are_never_replaced() {
    let (tree, folder) = (small(), tempfile::tempdir().unwrap());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    for path in [Path::new("/dev/null"), &link, folder.path()] {
        let root = text(tree.path());
        let output = capture(["--sysroot", root, "-o", text(path), "--force"]);
        assert_eq!(output.status.code(), Some(64), "{}", path.display());
    }
    assert_eq!(capture(["--force"]).status.code(), Some(64));
    let both = capture(["-o", "-", "--json"]);
    assert_eq!(both.status.code(), Some(64));
}

#[test]
fn without_a_name_the_host_and_the_day_make_one() {
    let (tree, folder) = (small(), tempfile::tempdir().unwrap());
    let output = Command::new(PROGRAM)
        .args(["capture", "--sysroot", text(tree.path())])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let [name] = <[String; 1]>::try_from(names(folder.path())).unwrap();
    let day = name
        .strip_prefix("ioalign-a-host-")
        .and_then(|rest| rest.strip_suffix(".tar.gz"));
    assert_eq!(day.map(str::len), Some("2026-11-21".len()), "{name}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(&format!("ioalign check {name}")), "{said}");
}

#[test]
fn standard_output_gets_the_same_bytes() {
    let tree = small();
    let output = capture(["--sysroot", text(tree.path()), "-o", "-"]);
    assert_eq!(output.status.code(), Some(0));
    let bundle = Bundle::of(tree.path());
    assert!(output.stdout == std::fs::read(&bundle.file).unwrap());
}

#[test]
fn a_full_disk_leaves_nothing_and_is_named() {
    let (tree, folder) = (small(), tempfile::tempdir().unwrap());
    let file = folder.path().join("bundle.tar.gz");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" capture --sysroot \"$1\" -o \"$2\"";
    let output = Command::new("sh")
        .args(["-c", script, PROGRAM, text(tree.path()), text(&file)])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(65));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("bundle.tar.gz: cannot write"), "{errors}");
    assert!(names(folder.path()).is_empty());

    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Command::new(PROGRAM)
        .args(["capture", "--sysroot", text(tree.path()), "-o", "-"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
}

#[test]
fn ctrl_c_leaves_nothing() {
    let mut tree = small();
    for n in 0..600 {
        let disk = SysrootDisk::new(&format!("sd{n:03}x"), 1 << 20);
        tree = tree.disk(disk);
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(PROGRAM)
        .args(["capture", "--sysroot", text(tree.path())])
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    while !listens(&id) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // At once: a program that sends it would take longer than what is to be stopped.
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::INT,
    )
    .unwrap();
    let output = child.wait_with_output_or_kill();
    assert_eq!(output.0, Some(130), "{}", output.1);
    assert!(output.1.contains("no bundle was written"), "{}", output.1);
    assert!(names(folder.path()).is_empty());
}

/// Whether the process has a handler for SIGINT.
fn listens(id: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
    caught & 2 != 0
}

trait Ended {
    fn wait_with_output_or_kill(&mut self) -> (Option<i32>, String);
}

impl Ended for std::process::Child {
    fn wait_with_output_or_kill(&mut self) -> (Option<i32>, String) {
        use std::io::Read;
        let mut errors = String::new();
        let mut pipe = self.stderr.take().unwrap();
        pipe.read_to_string(&mut errors).unwrap();
        (self.wait().unwrap().code(), errors)
    }
}

#[test]
fn the_documents_hold_to_the_schema() {
    let tree = small();
    let bundle = Bundle::of(tree.path());
    let manifest = bundle.unpack().join("ioalign/manifest.json");
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    for document in [&bundle.summary, &manifest] {
        valid(document, "capture-1.schema.json");
        assert_eq!(document["schema"], "ioalign.capture/1");
        assert_eq!(document["host"], "a-host");
    }
    let size = bundle.file.metadata().unwrap().len();
    assert_eq!(bundle.summary["size_bytes"], size);
    assert!(
        manifest.get("file").is_none(),
        "the same bytes wherever it is written"
    );
}
