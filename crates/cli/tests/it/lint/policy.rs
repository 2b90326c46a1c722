//! `[lint]` in `ioalign.toml`, and waivers of what it finds.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::plain;
use crate::PROGRAM;

const QUESTION: &str = "[lint]\nupload = \"gce\"\nsize-multiple = \"4k\"\n\n";

/// Exit code and findings of `check disk.img` in a folder with this policy.
fn check(folder: &Path, policy: &str, more: &[&str]) -> (Option<i32>, Value) {
    std::fs::write(folder.join("ioalign.toml"), policy).unwrap();
    let mut command = Command::new(PROGRAM);
    let command = command
        .current_dir(folder)
        .args(["check", "disk.img", "--json"]);
    let output = command.args(more).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code(), json["targets"][0].clone())
}

fn waiver(expires: &str) -> String {
    format!(
        "{QUESTION}[[waive]]\nrule = \"upload-size-not-multiple\"\ntarget = \"*.img\"\n\
         reason = \"resized by the upload job\"\nexpires = {expires}\n"
    )
}

#[test]
fn the_policy_asks_what_the_arguments_ask() {
    let disk = plain((64 << 20) + 4096);
    let (code, target) = check(disk.folder(), QUESTION, &[]);
    assert_eq!((code, &target["verdict"]), (Some(2), &"broken".into()));
    let (code, _) = check(disk.folder(), QUESTION, &["--no-policy"]);
    assert_eq!(code, Some(0));
    let (code, target) = check(disk.folder(), "[lint]\nuefi = true\n", &[]);
    assert_eq!(
        (code, &target["findings"][0]["rule"]),
        (Some(2), &"esp-missing".into())
    );
    let (code, _) = check(disk.folder(), "[lint]\ntarget-logical = 4096\n", &[]);
    assert_eq!(code, Some(2));
    let argument = ["--target-logical", "512"];
    let (code, _) = check(disk.folder(), "[lint]\ntarget-logical = 4096\n", &argument);
    assert_eq!(code, Some(0), "an argument wins");
}

#[test]
fn a_waiver_holds_until_its_day() {
    let disk = plain((64 << 20) + 4096);
    let (code, target) = check(disk.folder(), &waiver("9999-12-31"), &[]);
    assert_eq!((code, &target["verdict"]), (Some(0), &"ok".into()));
    let (code, target) = check(disk.folder(), &waiver("2001-01-01"), &[]);
    assert_eq!((code, &target["verdict"]), (Some(2), &"broken".into()));
    let findings = target["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding["rule"] == "waiver-expired")
    );
}

#[test]
fn a_note_fails_when_the_policy_says_so() {
    let disk = plain((64 << 20) + 512);
    let fail = "[fail]\nrules = [\"image-size-not-multiple\"]\n";
    let (code, target) = check(disk.folder(), fail, &[]);
    assert_eq!(
        (code, &target["verdict"]),
        (Some(1), &"ok".into()),
        "facts stay facts"
    );
}

/// The first TOML block of the page on builds.
fn documented() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ci.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```toml\n").nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

#[test]
fn the_policy_of_the_documentation_holds() {
    let disk = plain((64 << 20) + 4096);
    let (code, target) = check(disk.folder(), &documented(), &[]);
    assert_eq!((code, &target["verdict"]), (Some(2), &"broken".into()));
    let rules: Vec<_> = target["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| &f["rule"])
        .collect();
    assert!(
        rules.contains(&&"upload-size-not-multiple".into()),
        "{rules:?}"
    );
    assert!(rules.contains(&&"esp-missing".into()), "{rules:?}");
}
