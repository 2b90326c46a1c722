//! Assertions on the I/O of a command, counted apart from that of others.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{Memory, PROGRAM, permitted};
use crate::schema;

/// Control groups that a watch has left behind.
fn groups(pid: u32) -> Vec<PathBuf> {
    let tops = ["/sys/fs/cgroup/blkio", "/sys/fs/cgroup"];
    let all = tops.map(|top| Path::new(top).join(format!("ioalign-{pid}")));
    all.into_iter().filter(|path| path.exists()).collect()
}

/// Watches a command to its end, which leaves no control group.
fn watched(arguments: &[&str]) -> Output {
    let child = Command::new(PROGRAM)
        .arg("watch")
        .args(arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(groups(pid), Vec::<PathBuf>::new());
    output
}

/// What writes pages of 16 KiB at multiples of them.
fn pages(device: &str, count: u32) -> Vec<String> {
    ["if=/dev/zero", "bs=16k", "oflag=direct", "conv=notrunc"]
        .into_iter()
        .map(str::to_owned)
        .chain([format!("of={device}"), format!("count={count}")])
        .collect()
}

#[test]
fn only_the_io_of_the_command_counts_and_every_count_is_fios() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("command", 64);
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("fio.json");
    let device = format!("--filename={}", disk.device.text());
    let output = format!("--output={}", result.display());
    // Another load on the same disk, off every boundary.
    let mut other = Command::new("fio")
        .args(["--name=other", "--rw=randwrite", "--direct=1", "--bs=512"])
        .args(["--time_based", "--runtime=60", "--size=32m", &device])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let found = watched(&[
        disk.name(),
        "--json",
        "--assert",
        "write start%16k >= 100 %",
        "--assert",
        "read straddle 16k <= 0 %",
        "--",
        "fio",
        "--name=known",
        "--rw=randrw",
        "--direct=1",
        "--bs=16k",
        "--ioengine=libaio",
        "--iodepth=4",
        "--number_ios=3000",
        "--io_size=10g",
        "--size=32m",
        "--offset=32m",
        "--norandommap",
        "--output-format=json",
        &device,
        &output,
    ]);
    other.kill().unwrap();
    other.wait().unwrap();
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(0), "{said}");
    let profile: Value = serde_json::from_slice(&found.stdout).unwrap();
    schema::valid(&profile, "profile.json");
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(&result).unwrap()).unwrap();
    let mut timed = profile["unpaired"]["without_completion"].as_u64().unwrap();
    let mut all = 0;
    for op in ["read", "write"] {
        let counted = &profile["devices"][0]["by_op"][op];
        assert_eq!(counted["ios"], truth["jobs"][0][op]["total_ios"], "{op}");
        assert_eq!(counted["bytes"], truth["jobs"][0][op]["io_bytes"], "{op}");
        timed += counted["latency_us"]["ios"].as_u64().unwrap();
        all += counted["ios"].as_u64().unwrap();
    }
    // Timed as well, though others completed in between; of a few no program of this kernel may see the completion.
    assert_eq!(timed, all);
    assert!(profile["unpaired"]["without_completion"].as_u64() < Some(all / 50));
    for one in profile["assertions"].as_array().unwrap() {
        assert_eq!(one["holds"], true, "{one}");
        assert!(one["ios"].as_u64().unwrap() > 1000, "{one}");
    }
}

#[test]
fn exit_codes_and_junit_say_what_became_of_it() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("gate", 64);
    let device = disk.device.text();
    let folder = tempfile::tempdir().unwrap();
    let writes = pages(device, 64);
    let dd: Vec<_> = std::iter::once("dd")
        .chain(writes.iter().map(String::as_str))
        .collect();
    for (assertion, code, word, element) in [
        (
            "write start%16k >= 100 %",
            0,
            "holds",
            "<system-out>100 % of 64 I/Os<",
        ),
        ("write length%32k > 0 %", 1, "fails", "<failure message="),
        ("read start%4k >= 99.9 %", 3, "unknown", "<error message="),
    ] {
        let junit = folder.path().join(format!("{code}.xml"));
        let mut arguments = vec![disk.name(), "--assert", assertion];
        arguments.extend(["--junit", junit.to_str().unwrap(), "--"]);
        arguments.extend(&dd);
        let output = watched(&arguments);
        let (text, said) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert_eq!(output.status.code(), Some(code), "{assertion}: {said}");
        assert!(text.contains(word) && text.contains(assertion), "{text}");
        let written = std::fs::read_to_string(&junit).unwrap();
        assert!(written.contains(element), "{written}");
        tool(
            "xmllint",
            &[
                "--noout",
                "--schema",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/junit.xsd"),
                junit.to_str().unwrap(),
            ],
        );
    }
}

#[test]
fn a_command_that_fails_is_no_success() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("fails", 64);
    for (command, code) in [
        (&["sh", "-c", "exit 7"][..], 7),
        (&["sh", "-c", "kill -9 $$"], 137),
        (&["/no/such/program"], 127),
        (&["true"], 0),
    ] {
        let output = watched(&[&[disk.name(), "--"], command].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    }
}

#[test]
fn ctrl_c_ends_the_command_and_nothing_is_left() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("interrupted", 64);
    let mut watch = super::Watching::start(&[disk.name(), "--", "sleep", "61.25"]);
    let pid = watch.child.id();
    let own = rustix::process::Pid::from_child(&watch.child);
    assert_eq!(groups(pid).len(), 1);
    rustix::process::kill_process(own, rustix::process::Signal::TERM).unwrap();
    let status = watch.child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert_eq!(groups(pid), Vec::<PathBuf>::new());
    let running = Command::new("pgrep").args(["-f", "^sleep 61.25"]).output();
    assert!(running.unwrap().stdout.is_empty());
}

#[test]
fn a_control_group_that_is_there_is_watched() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("group", 64);
    let output = watched(&[disk.name(), "--cgroup", "/sys", "--duration", "1s"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{said}");
    assert!(said.contains("/sys is no control group"), "{said}");
    assert!(said.trim_end().lines().count() == 1, "{said}");
}

#[test]
fn an_assertion_that_is_not_understood_is_refused() {
    let output = Command::new(PROGRAM)
        .args(["watch", "--assert", "start%24k >= 1 %", "--", "true"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{said}");
    assert!(said.contains("no power of two"), "{said}");
}
