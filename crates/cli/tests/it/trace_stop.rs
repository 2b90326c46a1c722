//! `trace` that does not come to its end: Ctrl-C, sources that break off, outputs that cannot be written.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use ioalign_testkit::files::names;
use ioalign_testkit::run::hung_up;
use rustix::process::{Pid, Signal, kill_process};

use super::PROGRAM;

/// So many rows are more than is looked at to tell the format.
const ROWS: usize = 3000;

fn rows() -> String {
    let row = |n: usize| format!("0,R,{},4096,{}\n", n * 4096, 1_577_808_000_000_000 + n);
    (0..ROWS).map(row).collect()
}

fn trace(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    let words = arguments.split_whitespace();
    command.current_dir(folder).arg("trace").args(words);
    command
}

/// Gives all rows to the standard input of `command`, says nothing more, and presses Ctrl-C.
fn stopped(command: &mut Command) -> Output {
    let (read, mut write) = std::io::pipe().unwrap();
    let child = command
        .stdin(read)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    write.write_all(rows().as_bytes()).unwrap();
    while rustix::io::ioctl_fionread(&write).unwrap() > 0 {
        sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    // Open until here: it was not the end of its input that ended it.
    drop(write);
    output
}

fn interrupt(child: &Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}

#[test]
fn an_idle_pipe_is_given_up_and_its_rows_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let output = stopped(&mut trace(folder.path(), "summarize - --json"));
    assert_eq!(output.status.code(), Some(130));
    let profile: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(profile["interrupted"], true);
    assert_eq!(profile["events"], ROWS);
}

#[test]
fn what_was_converted_until_then_is_kept_and_said_to_be_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let output = stopped(&mut trace(folder.path(), "convert - -o part.csv"));
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("interrupted: part.csv"), "{said}");
    assert_eq!(names(folder.path()), ["part.csv"]);
    let lines = std::fs::read_to_string(folder.path().join("part.csv")).unwrap();
    assert_eq!(lines.lines().count(), ROWS + 1);
}

#[test]
fn nothing_read_is_interrupted_too() {
    let folder = tempfile::tempdir().unwrap();
    let (read, write) = std::io::pipe().unwrap();
    let mut command = trace(folder.path(), "summarize -");
    let child = command.stdin(read).stderr(Stdio::piped()).spawn().unwrap();
    // Ctrl-C is watched for when another thread looks after it.
    let tasks = format!("/proc/{}/task", child.id());
    while std::fs::read_dir(&tasks).map_or(0, Iterator::count) < 2 {
        sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    drop(write);
}

/// A packed trace with a wrong checksum at its end, over a file that was there.
#[test]
fn a_conversion_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("rows"), rows().repeat(20)).unwrap();
    let packed = Command::new("gzip").arg("-c").arg(at.join("rows")).output();
    let mut packed = packed.unwrap().stdout;
    let checksum = packed.len() - 8;
    packed[checksum] ^= 1;
    std::fs::write(at.join("wrong.gz"), packed).unwrap();
    std::fs::remove_file(at.join("rows")).unwrap();
    for (output, before) in [("old.csv", Some("kept")), ("new.csv", None)] {
        let path = at.join(output);
        if let Some(text) = before {
            std::fs::write(&path, text).unwrap();
        }
        let run = trace(at, &format!("convert wrong.gz --force -o {output}"));
        let done = { run }.output().unwrap();
        assert_eq!(done.status.code(), Some(65));
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), before);
    }
    assert_eq!(names(at), ["old.csv", "wrong.gz"]);
}

#[test]
fn a_full_device_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "generate --ios 20k -o /dev/full",
        "convert a.csv --to blktrace -o /dev/full",
    ] {
        std::fs::write(folder.path().join("a.csv"), rows()).unwrap();
        let output = trace(folder.path(), arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(65), "{arguments}");
        assert!(said.contains("/dev/full: No space left"), "{said}");
        assert_eq!(said.matches("/dev/full").count(), 1, "{said}");
    }
}

#[test]
fn a_link_is_not_written_through_and_a_mode_is_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("real"), "old").unwrap();
    std::fs::set_permissions(at.join("real"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real", at.join("link")).unwrap();
    let done = trace(at, "generate --ios 10 -o link --force");
    let done = { done }.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("link: is a symbolic link"), "{said}");
    assert_eq!(std::fs::read(at.join("real")).unwrap(), b"old");
    let refused = trace(at, "generate --ios 10 -o real").status().unwrap();
    assert_eq!(refused.code(), Some(64));
    assert_eq!(std::fs::read(at.join("real")).unwrap(), b"old");
    let done = trace(at, "generate --ios 10 -o real --force").status();
    assert!(done.unwrap().success());
    assert_eq!(names(at), ["link", "real"]);
    assert!(at.join("link").symlink_metadata().unwrap().is_symlink());
    let real = at.join("real").metadata().unwrap();
    assert_eq!(real.permissions().mode() & 0o777, 0o640);
    assert!(real.len() > 100);
}

/// A reader that hangs up early is no failure, whichever verb writes.
#[test]
fn a_reader_that_hangs_up_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), rows().repeat(20)).unwrap();
    for arguments in ["convert a.csv --to csv -o -", "generate --ios 200k -o -"] {
        let output = hung_up(&mut trace(folder.path(), arguments));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments}: {said}");
    }
}
