//! `trace summarize` where a trace leaves something open: what it asks, and what the answers do.

use std::process::{Command, Output};

use serde_json::Value;

use super::PROGRAM;

fn summarize(text: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("trace");
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(PROGRAM);
    command
        .args(["trace", "summarize", "--json"])
        .arg(&file)
        .args(arguments);
    command.output().unwrap()
}

fn profile(text: &str, arguments: &[&str]) -> Value {
    let output = summarize(text, arguments);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn complaint(text: &str, arguments: &[&str], code: i32) -> String {
    let output = summarize(text, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

#[test]
fn a_unit_is_asked_and_taken() {
    let text = "1538323200,512,4096,0,1063\n";
    let asked = complaint(text, &[], 64);
    assert!(asked.contains("--offset-unit 512"), "{asked}");
    for (unit, bytes) in [("1", 4096), ("512", 4096 * 512)] {
        let found = profile(text, &["--offset-unit", unit]);
        assert_eq!(found["devices"][0]["by_op"]["read"]["bytes"], bytes);
    }
}

#[test]
fn columns_and_codes_are_asked_and_taken() {
    let text = "1;0;8;16\n2;1;16;8\n";
    complaint(text, &[], 65);
    let columns = "time=0,op=1,offset=2,len=3";
    let units = ["--time-unit", "ms", "--offset-unit", "512"];
    let asked = complaint(text, &[&["--columns", columns], &units[..]].concat(), 64);
    assert!(asked.contains("read=0,write=1"), "{asked}");
    let columns = format!("{columns},read=1,write=0");
    let found = profile(text, &[&["--columns", &columns], &units[..]].concat());
    let ops = &found["devices"][0]["by_op"];
    assert_eq!(
        (&ops["write"]["bytes"], &ops["read"]["bytes"]),
        (&8192.into(), &4096.into())
    );
    assert_eq!(found["duration_us"], 1000);
}

#[test]
fn stages() {
    let text = "8,16 1 1 0.1 5 Q W 8 + 8 [a]\n8,16 1 2 0.2 5 Q W 16 + 8 [a]\n8,16 1 3 0.3 5 D W 8 + 16 [a]\n";
    assert_eq!(profile(text, &[])["events"], 1);
    assert_eq!(profile(text, &["--stage", "issue"])["events"], 1);
    assert_eq!(profile(text, &["--stage", "queue"])["events"], 2);
}

#[test]
fn wrong_names_and_units() {
    let said = complaint("x\n", &["--as", "blktrac"], 64);
    assert!(said.contains("blktrace, ftrace-blk, blkparse"), "{said}");
    assert!(said.contains("similar value"), "{said}");
    complaint("x\n", &["--time-unit", "h"], 64);
    complaint("x\n", &["--offset-unit", "0"], 64);
}

const MSR: &str = "128166372003061629,hm,1,Read,512,4096,2500\n";

/// An answer that changes nothing was meant to change something.
#[test]
fn an_answer_that_nobody_asked_for_is_refused() {
    for (option, value) in [
        ("--offset-unit", "512"),
        ("--time-unit", "ms"),
        ("--columns", "time=0,op=3,offset=4,len=5"),
    ] {
        let said = complaint(MSR, &["--as", "msr", option, value], 64);
        assert!(said.contains(option) && said.contains("msr"), "{said}");
    }
}

/// The report shows the first rows and why they do not fit; scripts see that there is no answer.
#[test]
fn a_trace_of_another_format_is_no_trace_without_io() {
    let output = summarize(MSR, &["--as", "alibaba"]);
    assert_eq!(output.status.code(), Some(65));
    let profile: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(profile["files"][0]["skipped_rows"], 1);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("could be read as alibaba"), "{said}");
}

/// Operations that invert between formats are said as they were taken.
#[test]
fn codes_are_shown_as_they_were_given() {
    let units = ["--time-unit", "us", "--offset-unit", "512"];
    for (codes, shown) in [
        ("write=1,read=0", "0 read, 1 write, as given"),
        ("read=1,write=0", "0 write, 1 read, as given"),
    ] {
        let columns = format!("time=0,op=1,offset=2,len=3,{codes}");
        let found = profile(
            "1;0;8;16\n",
            &[&["--columns", &columns], &units[..]].concat(),
        );
        assert_eq!(found["files"][0]["op_codes"], shown);
    }
}
