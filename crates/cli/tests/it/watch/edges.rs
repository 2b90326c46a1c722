//! Where a watch begins and ends, and what cannot be watched.

use std::process::{Command, Stdio};

use serde_json::Value;

use ioalign_testkit::run::{tool, wait_until};

use super::{Memory, PROGRAM, ROUNDS, Watching, by_op, permitted};

/// On a busy machine fio needs a while before its first read.
fn await_reads(device: &str, more: u64) {
    let before = reads(device);
    wait_until("fio reads", || reads(device) > before + more);
}

/// Reads that a device has completed (Documentation/block/stat.rst).
fn reads(device: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/sys/block/{device}/stat")).unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// A watch that begins and ends while I/O goes on misses what was in flight at both moments, and no more.
#[test]
fn beginning_and_end_cut_off_what_is_in_flight() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("cut", 64);
    let mut load = Command::new("fio");
    load.args(["--name=steady", "--rw=randread", "--direct=1", "--bs=4k"]);
    load.args(["--ioengine=libaio", "--iodepth=8", "--time_based"]);
    load.args(["--runtime=60", "--filename", disk.device.text()]);
    let load = load.stdout(Stdio::null()).stderr(Stdio::null());
    let mut load = load.spawn().expect("fio is needed for this test");
    await_reads(disk.name(), 100);
    let within = |profile: &Value| {
        let known = |key: &str| profile["unpaired"][key].as_u64().unwrap();
        let ios = by_op(profile)["read"].0;
        let of_each = [known("without_issue"), known("without_completion")];
        (ios > 1000 && of_each.iter().all(|cut| *cut <= 8), of_each)
    };
    let mut rounds = (0..ROUNDS).map(|_| {
        let watch = Watching::start(&[disk.name(), "--json"]);
        await_reads(disk.name(), 2000);
        within(&watch.profile())
    });
    let found = rounds.by_ref().find(|(as_wanted, _)| *as_wanted);
    load.kill().unwrap();
    load.wait().unwrap();
    assert!(found.is_some(), "more than were in flight in every round");
}

#[test]
fn a_device_that_is_not_there_is_65_and_wrong_times_are_64() {
    let code = |arguments: &[&str]| {
        let output = Command::new(PROGRAM)
            .arg("watch")
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (exit, said) = code(&["/dev/no-such-device", "--count", "1"]);
    assert_eq!(exit, Some(65), "{said}");
    assert!(said.contains("no block device"), "{said}");
    assert_eq!(code(&["--interval", "1parsec"]).0, Some(64));
    assert_eq!(code(&["--json", "--line"]).0, Some(64));
}

/// A record that is killed has what is older than a second, under its partial name, and says that it was cut off.
#[test]
fn a_killed_record_is_read_as_far_as_it_goes() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("killed", 16);
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let mut watch = Watching::start(&[disk.name(), "--record", record.to_str().unwrap()]);
    let read = format!("if={}", disk.device.text());
    tool(
        "dd",
        &[&read, "of=/dev/null", "bs=4k", "count=500", "iflag=direct"],
    );
    let mut left = std::fs::read_dir(folder.path()).unwrap();
    let left = left.next().unwrap().unwrap().path();
    let size = || left.metadata().unwrap().len();
    // An issue and a completion each; they reach the file once a second.
    wait_until("the events are kept", || size() > 2 * 500 * 16);
    watch.child.kill().unwrap();
    watch.child.wait().unwrap();
    assert!(left.to_str().unwrap().contains("-PARTIAL-"), "{left:?}");
    let output = Command::new(PROGRAM)
        .args(["trace", "summarize", "--json"])
        .arg(left)
        .output()
        .unwrap();
    let profile: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!profile["files"][0]["cut_off"].is_null(), "{profile}");
    assert!(profile["events"].as_u64() > Some(490), "{profile}");
}
