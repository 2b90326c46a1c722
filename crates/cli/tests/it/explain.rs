//! `explain`: the page of every rule that `check` names.

use std::process::{Command, Output};

use serde_json::Value;

use super::PROGRAM;

fn explain(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("explain").args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_page_has_all_its_parts() {
    let page = out(&explain(&["start-misaligned"]));
    for part in [
        "start-misaligned (misaligned)",
        "What it means",
        "What it costs",
        "How to fix it",
        "When to ignore it",
        "Source",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        page.lines().all(|line| line.chars().count() <= 80),
        "{page}"
    );
}

#[test]
fn without_a_rule_all_are_listed() {
    let list = out(&explain(&[]));
    for rule in ["start-misaligned", "gpt-backup-missing", "torn-page-risk"] {
        let lines = list
            .lines()
            .filter(|line| line.trim_start().starts_with(&format!("{rule} ")));
        assert_eq!(lines.count(), 1, "{rule}: {list}");
    }
    let json: Value = serde_json::from_str(&out(&explain(&["--json"]))).unwrap();
    assert_eq!(json["schema"], "ioalign.explain/1");
    assert!(json["rules"].as_array().unwrap().len() > 100);
}

#[test]
fn an_unknown_rule_is_wrong_use_and_the_nearest_are_named() {
    let output = explain(&["start-misalinged"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the nearest: start-misaligned"), "{said}");
    assert_eq!(explain(&["zzzzzzzzzzzzz"]).status.code(), Some(64));
}
