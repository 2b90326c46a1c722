//! This machine with and without root: whoever may read less never gets a better verdict.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ioalign_testkit::run::{command, text};
use ioalign_testkit::{Disk, Loop, mbr, needs};
use serde_json::Value;
use tempfile::TempDir;

use super::PROGRAM;

/// A copy of the program that any user may run.
pub fn program(folder: &TempDir) -> String {
    let path = folder.path().join("ioalign");
    std::fs::copy(PROGRAM, &path).unwrap();
    for path in [folder.path(), &path] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    text(&path).to_owned()
}

/// The exit code and the document of `check` as nobody or as root.
fn check(program: &str, root: bool, arguments: &[&str]) -> (Option<i32>, String) {
    let user: &[&str] = if root {
        &[]
    } else {
        &["--reuid=65534", "--regid=65534", "--clear-groups"]
    };
    let words = [user, &[program, "check", "--no-policy"], arguments].concat();
    let output = command("setpriv").args(words).current_dir("/").output();
    let output = output.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text)
}

fn json(program: &str, root: bool) -> (Option<i32>, Value) {
    let (code, text) = check(program, root, &["--json"]);
    (code, serde_json::from_str(&text).unwrap())
}

#[test]
fn a_misaligned_loop_device_is_ok_to_nobody() {
    needs!(Packages, Root);
    let folder = TempDir::new().unwrap();
    let program = program(&folder);
    let bad = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    // The kernel is not asked to read the table: only who may read the device finds partition 1.
    let device = Loop::new(bad.path(), &[]);
    let (code, report) = json(&program, true);
    assert_eq!(report["targets"][0]["verdict"], "misaligned");
    assert_eq!(code, Some(1));
    let (code, line) = check(&program, true, &["--format", "nagios"]);
    assert_eq!(code, Some(1), "{line}");
    assert!(line.starts_with("IOALIGN WARNING"), "{line}");
    let (code, report) = json(&program, false);
    let target = &report["targets"][0];
    assert_eq!((code, &target["verdict"]), (Some(3), &"unknown".into()));
    let findings = target["findings"].as_array().unwrap();
    let ours = format!("disk:{}", device.name());
    let unread = findings.iter().find(|finding| finding["layer"] == *ours);
    let unread = unread.unwrap();
    assert_eq!(unread["rule"], "not-readable");
    assert_eq!(unread["severity"], "unknown");
    let why = unread["why"].as_str().unwrap();
    assert!(why.contains("may read it"), "{why}");
    let (code, line) = check(&program, false, &["--format", "nagios"]);
    assert_eq!(code, Some(3), "{line}");
    assert!(line.starts_with("IOALIGN UNKNOWN"), "{line}");
}

#[test]
fn a_blank_disk_is_a_note_to_root() {
    needs!(Packages, Root);
    let folder = TempDir::new().unwrap();
    let program = program(&folder);
    let (good, blank) = (
        mbr::disk("good.img", 64, &[(0x83, 2048, 100_000)]),
        Disk::new("blank.img", 1 << 20),
    );
    let (_good, blank) = (Loop::new(good.path(), &[]), Loop::new(blank.path(), &[]));
    let (_, report) = json(&program, true);
    let findings = report["targets"][0]["findings"].as_array().unwrap();
    let ours = format!("disk:{}", blank.name());
    let finding = findings.iter().find(|finding| finding["layer"] == *ours);
    let finding = finding.unwrap();
    assert_eq!(finding["rule"], "nothing-recognised");
    assert_eq!(finding["severity"], "note");
    // Alone it is what is asked for.
    let (code, _) = check(&program, true, &["--json", text(Path::new(blank.path()))]);
    assert_eq!(code, Some(3));
}
