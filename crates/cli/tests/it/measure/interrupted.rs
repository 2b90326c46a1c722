//! Ctrl-C, and a terminal that goes away: what there is so far is shown and marked, and nothing else is left behind.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use ioalign_testkit::files::names;
use ioalign_testkit::run::{device_bytes, wait_until};
use serde_json::Value;

use super::super::PROGRAM;
use super::{SIZE, measure, stated, valid};

/// Begins, and is interrupted as soon as `ready` is so.
fn interrupted(folder: &Path, arguments: &str, ready: impl Fn(u32) -> bool) -> Output {
    ended("-INT", Command::new(PROGRAM), folder, arguments, ready)
}

/// The same by any signal; `command` starts the program.
fn ended(
    by: &str,
    mut command: Command,
    folder: &Path,
    arguments: &str,
    ready: impl Fn(u32) -> bool,
) -> Output {
    let child = command
        .current_dir(folder)
        .arg("measure")
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("it is ready", || ready(child.id()));
    signal(&child, by);
    if by == "-HUP" {
        // As the shell and the kernel do, both of them.
        signal(&child, by);
    }
    child.wait_with_output().unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_file_that_is_being_filled_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.dat");
    let output = interrupted(folder.path(), "compare t.dat --size 2G", |_| file.exists());
    assert_eq!(output.status.code(), Some(130), "{}", stated(&output));
    assert!(stated(&output).contains("t.dat: stopped while it was being filled"));
    assert!(names(folder.path()).is_empty());
}

/// The terminal is closed, or the connection to the machine ends.
#[test]
fn a_hangup_is_as_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.dat");
    let line = "compare t.dat --size 2G";
    // The tests themselves may run under nohup.
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", PROGRAM]);
    let output = ended("-HUP", command, folder.path(), line, |_| file.exists());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_hangup_does_not_end_what_nohup_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.dat");
    let mut command = Command::new("nohup");
    command.arg(PROGRAM);
    let line = "run t.dat --size 64M --ramp 0 --time 100ms --json";
    let output = ended("-HUP", command, folder.path(), line, |_| file.exists());
    assert_eq!(output.status.code(), Some(0), "{}", stated(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["partial"], Value::Null);
}

#[test]
fn files_of_a_folder_too() {
    let folder = tempfile::tempdir().unwrap();
    let second = folder.path().join("ioalign.scratch.01");
    let output = interrupted(folder.path(), "run . --size 2G", |_| second.exists());
    assert_eq!(output.status.code(), Some(130), "{}", stated(&output));
    assert!(
        names(folder.path()).is_empty(),
        "{:?}",
        names(folder.path())
    );
}

/// So long that it has certainly begun, and that nobody waits for its end.
fn after_some_load(folder: &Path, arguments: &str) -> Value {
    let made = measure(
        folder,
        &format!("run t.dat --size {SIZE} --ramp 0 --time 10ms"),
    );
    assert!(made.status.success(), "{made:?}");
    let output = interrupted(folder, arguments, |id| device_bytes(id) > 4 << 20);
    assert_eq!(output.status.code(), Some(130), "{}", stated(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

#[test]
fn what_was_sent_is_shown_and_is_in_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let line = "run t.dat --ramp 0 --time 10m --profile-out p.json --json";
    let value = after_some_load(folder.path(), line);
    valid(&value, "load-1.schema.json");
    let why = value["partial"].as_str().unwrap();
    assert!(why.starts_with("stopped by the operator"), "{why}");
    let profile = std::fs::read(folder.path().join("p.json")).unwrap();
    let profile: Value = serde_json::from_slice(&profile).unwrap();
    let sent = &value["steps"][0]["by_op"]["read"]["ios"];
    assert!(sent.as_u64().unwrap() > 0);
    assert_eq!(&profile["devices"][0]["by_op"]["read"]["ios"], sent);
    assert_eq!(names(folder.path()), ["p.json", "t.dat"]);
}

#[test]
fn points_of_a_matrix_are_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let line = "matrix t.dat --ramp 0 --time 300ms --ops read --sizes 4k,8k,16k,32k,64k,128k,12k,20k,24k,28k,36k,40k \
                --offsets 0,512 --json -o m.json";
    after_some_load(folder.path(), &line.replace('\\', ""));
    let document = std::fs::read(folder.path().join("m.json")).unwrap();
    let value: Value = serde_json::from_slice(&document).unwrap();
    valid(&value, "comparison-1.schema.json");
    assert_eq!(value["partial"], "interrupted");
    assert!(value["cells"].as_array().unwrap().len() < 24);
    assert_eq!(names(folder.path()), ["m.json", "t.dat"]);
}
