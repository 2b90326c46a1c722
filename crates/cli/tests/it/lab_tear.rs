//! `ioalign lab tear`: what is predicted comes, and nothing is left behind.

use std::process::{Command, Output, Stdio};

use ioalign_testkit::run::wait_until;
use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

fn tear(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command
        .args(["lab", "tear"])
        .args(arguments)
        .output()
        .unwrap()
}

/// The arrangements of a run in which all came as predicted.
fn arrangements(database: &str, unit: &str) -> Vec<Value> {
    let output = tear(&[
        "--quick",
        "--database",
        database,
        "--unit",
        unit,
        "--json",
        "--quiet",
    ]);
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    valid(&document, "tear-1.schema.json");
    assert_eq!(output.status.code(), Some(0), "{document:#}");
    document["arrangements"].as_array().unwrap().clone()
}

#[test]
fn mariadb_without_doublewrite_loses_pages_that_are_cut() {
    needs!(Packages, Root);
    let found = arrangements("mariadb", "4k");
    assert_eq!(found.len(), 4);
    for one in found {
        assert_eq!(
            one["damaged"].as_u64() > Some(0),
            one["protected"] == false,
            "{one:#}"
        );
        assert!(one["writes_at_risk"].as_u64() > Some(0), "{one:#}");
        let expected = match (one["protected"] == true, one["start_bytes"].as_u64()) {
            (true, _) => "ok",
            (false, Some(32256)) => "data-risk",
            (false, _) => "note",
        };
        assert_eq!(one["check"], expected, "{one:#}");
    }
}

#[test]
fn postgresql_without_full_page_writes_loses_pages() {
    needs!(Packages, Root);
    for one in arrangements("postgresql", "4k") {
        assert_eq!(
            one["damaged"].as_u64() > Some(0),
            one["protected"] == false,
            "{one:#}"
        );
        assert_eq!(one["forgotten"], 0, "{one:#}");
    }
}

#[test]
fn sqlite_without_a_journal_loses_pages() {
    needs!(Packages, Root);
    for one in arrangements("sqlite", "4k") {
        assert_eq!(
            one["damaged"].as_u64() > Some(0),
            one["protected"] == false,
            "{one:#}"
        );
    }
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    needs!(Packages, Root);
    let mut child = Command::new(PROGRAM)
        .args(["lab", "tear", "--quick", "--database", "mariadb", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = rustix::process::Pid::from_child(&child);
    let folder = format!("ioalign-tear.{}", id.as_raw_nonzero());
    let mounts = || std::fs::read_to_string("/proc/mounts").unwrap();
    wait_until("a disk is mounted", || mounts().contains(&folder));
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!mounts().contains(&folder), "{}", mounts());
}

#[test]
fn wrong_use_is_said() {
    for (arguments, words) in [
        (&["--database", "oracle"][..], "mariadb"),
        (&["--unit", "1000"][..], "512"),
        (&["--points", "0"][..], "points"),
    ] {
        let output = tear(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
}
