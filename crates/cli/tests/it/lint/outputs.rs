//! The findings of image lint in every format that machines read, and reports that appear at once.

use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::run::{promtool, text, tool};
use ioalign_testkit::sarif;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{plain, vhd, with_esp};
use crate::PROGRAM;

/// Set to write the golden file instead of comparing.
const UPDATE: &str = "UPDATE_GOLDEN";
const QUESTIONS: [&str; 5] = ["--upload", "azure", "--target-logical", "4096", "--uefi"];

/// A folder with a VHD of an odd size, a raw image of an odd size and an image with a 512-byte ESP.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let into = |from: &Path, name: &str| {
        std::fs::copy(from, folder.path().join(name)).unwrap();
    };
    let disk = plain(100 << 20);
    into(&vhd(&disk, "subformat=fixed"), "geometry.vhd");
    into(plain((64 << 20) + 512).path(), "odd.img");
    into(with_esp(512, "512").path(), "esp.img");
    folder
}

fn check(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    let command = command.current_dir(folder).args(["check", "--no-policy"]);
    let output = command
        .args(["esp.img", "geometry.vhd", "odd.img"])
        .args(more)
        .output()
        .unwrap();
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// What of a finding does not depend on the day or the version.
fn lasting(finding: &Value) -> Value {
    let keys = [
        "rule",
        "severity",
        "layer",
        "unit_bytes",
        "offset_bytes",
        "suggest",
        "why",
        "do",
    ];
    keys.iter()
        .map(|key| ((*key).to_owned(), finding[key].clone()))
        .collect()
}

fn answers(folder: &Path, arguments: &[&str]) -> Value {
    let output = check(folder, &[&["--json"], arguments].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let targets = json["targets"].as_array().unwrap().iter().map(|target| {
        let findings = target["findings"].as_array().unwrap();
        let findings: Vec<_> = findings.iter().map(lasting).collect();
        json!({ "target": target["target"], "verdict": target["verdict"], "findings": findings })
    });
    json!({
        "arguments": arguments,
        "code": output.status.code(),
        "targets": targets.collect::<Vec<_>>(),
    })
}

#[test]
fn the_findings_are_those_of_the_golden_file() {
    needs!(Packages);
    let folder = folder();
    let both = json!([
        answers(folder.path(), &[]),
        answers(folder.path(), &QUESTIONS)
    ]);
    let now = format!("{both:#}\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/image-lint.json");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == now,
        "run with {UPDATE}=1 and look at the change:\n{now}"
    );
}

#[test]
fn sarif_follows_its_schema() {
    needs!(Packages, Root);
    let folder = folder();
    let output = check(
        folder.path(),
        &[&["--format", "sarif"], &QUESTIONS[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(2));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let validator = jsonschema::validator_for(&sarif::schema()).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(&log)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let level = |rule: &str| {
        let result = results.iter().find(|result| result["ruleId"] == rule);
        result.map(|result| result["level"].as_str().unwrap().to_owned())
    };
    assert_eq!(level("upload-size-not-multiple").as_deref(), Some("error"));
    assert_eq!(level("upload-format").as_deref(), Some("error"));
    assert_eq!(level("esp-missing").as_deref(), Some("error"));
}

#[test]
fn junit_and_metrics_are_taken_by_their_programs() {
    needs!(Packages);
    let folder = folder();
    let junit = folder.path().join("junit.xml");
    let arguments = ["--format", "junit", "-o", text(&junit)];
    check(folder.path(), &[&arguments, &QUESTIONS[..]].concat());
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/junit.xsd");
    tool("xmllint", &["--noout", "--schema", schema, text(&junit)]);
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("upload-size-not-multiple"), "{xml}");
    let metrics = folder.path().join("ioalign.prom");
    let arguments = ["--format", "prometheus", "-o", text(&metrics)];
    check(folder.path(), &[&arguments, &QUESTIONS[..]].concat());
    promtool(&metrics);
    let lines = std::fs::read_to_string(&metrics).unwrap();
    assert!(
        lines.contains("rule=\"upload-size-not-multiple\""),
        "{lines}"
    );
}

#[test]
fn a_report_replaces_the_old_one_at_once() {
    needs!(Packages);
    let folder = folder();
    let (report, old) = (
        folder.path().join("report.json"),
        folder.path().join("old.json"),
    );
    let begun = "{\n  \"schema\": \"ioalign.check/1\", the old report";
    std::fs::write(&report, begun).unwrap();
    std::fs::hard_link(&report, &old).unwrap();
    check(folder.path(), &["--json", "-o", text(&report)]);
    let kept = std::fs::read_to_string(&old).unwrap();
    assert_eq!(
        kept, begun,
        "a reader that has it open sees the whole of it"
    );
    let new: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(new["schema"], "ioalign.check/1");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        5,
        "no temporary file stays"
    );
}

#[test]
fn a_report_that_cannot_be_written_leaves_nothing() {
    needs!(Packages);
    let folder = folder();
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    let mut command = Command::new(PROGRAM);
    let command = command
        .current_dir(folder.path())
        .args(["check", "--json", "odd.img", "-o", "taken"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(65));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("taken: is a folder"), "{said}");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        4,
        "no temporary file stays"
    );
}
