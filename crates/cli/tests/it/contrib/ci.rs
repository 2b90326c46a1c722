//! The CI workflow and the pre-commit hook: their scripts run on good and on bad images.

use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::run::{text, tool};
use serde_json::Value;

use super::{bad, file, good, out};
use crate::PROGRAM;

/// YAML as JSON, by Debian's Python (ansible-core brings python3-yaml).
pub fn yaml(path: &str) -> Value {
    let script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let json = tool("/usr/bin/python3", &["-c", script, text(&file(path))]);
    serde_json::from_str(&json).unwrap()
}

/// A folder with the program on the path, and images in `images`.
fn workspace(with_bad: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let images = folder.path().join("images");
    std::fs::create_dir_all(folder.path().join("bin")).unwrap();
    std::fs::create_dir(&images).unwrap();
    std::os::unix::fs::symlink(PROGRAM, folder.path().join("bin/ioalign")).unwrap();
    std::fs::copy(good().path(), images.join("good.img")).unwrap();
    if with_bad {
        std::fs::copy(bad().path(), images.join("bad.img")).unwrap();
    }
    folder
}

/// Runs a script as the runner does: `bash -e`, with the workflow's environment.
fn script(folder: &Path, script: &str) -> Output {
    let path = std::env::var("PATH").unwrap();
    Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", text(&folder.join("bin"))))
        .env("IMAGES", "images")
        .output()
        .unwrap()
}

fn step(name: &str) -> String {
    let workflow = yaml("docs/ci/github-action.yml");
    assert_eq!(workflow["env"]["IMAGES"], "images");
    let steps = workflow["jobs"]["alignment"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["name"] == name).unwrap();
    step["run"].as_str().unwrap().to_owned()
}

#[test]
fn the_workflow_lints_a_folder() {
    needs!(Packages);
    let lint = step("Lint");
    let clean = workspace(false);
    let output = script(clean.path(), &lint);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    let dirty = workspace(true);
    let output = script(dirty.path(), &lint);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(out(&output).contains("bad.img"), "{}", out(&output));
    let log = std::fs::read_to_string(dirty.path().join("ioalign.sarif")).unwrap();
    let log: Value = serde_json::from_str(&log).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let uris: Vec<_> = results
        .iter()
        .map(|one| &one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        .collect();
    assert!(
        !uris.is_empty() && uris.iter().all(|uri| **uri == "images/bad.img"),
        "{uris:?}"
    );
    let schema = file("docs/schema/junit.xsd");
    let junit = dirty.path().join("ioalign-junit.xml");
    tool(
        "xmllint",
        &["--noout", "--schema", text(&schema), text(&junit)],
    );
}

#[test]
fn the_workflow_asks_for_the_other_sector_size() {
    needs!(Packages);
    let clean = workspace(false);
    let output = script(clean.path(), &step("Lint for disks with 4096-byte sectors"));
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(out(&output).contains("sector"), "{}", out(&output));
}

#[test]
fn the_hook_judges_the_files_that_it_is_given() {
    needs!(Packages);
    let hooks = yaml("contrib/pre-commit/hooks.yaml");
    let hook = &hooks[0];
    assert_eq!(hook["language"], "script");
    let entry = file(hook["entry"].as_str().unwrap());
    let run = |images: &[&str], folder: &Path| {
        let mut command = Command::new(&entry);
        command
            .args(images)
            .current_dir(folder)
            .env("IOALIGN", PROGRAM);
        command.output().unwrap().status.code()
    };
    let folder = workspace(true);
    assert_eq!(run(&["images/good.img"], folder.path()), Some(0));
    assert_eq!(
        run(&["images/good.img", "images/bad.img"], folder.path()),
        Some(1)
    );
    let waiver = "[[waive]]\nrule = \"start-misaligned\"\ntarget = \"images/bad.img\"\n\
                  reason = \"a fixture\"\nexpires = 9999-12-31\n";
    std::fs::write(folder.path().join("ioalign.toml"), waiver).unwrap();
    assert_eq!(
        run(&["images/good.img", "images/bad.img"], folder.path()),
        Some(0)
    );
    let absent = Command::new(&entry)
        .env("IOALIGN", "/nonexistent/ioalign")
        .output()
        .unwrap();
    assert_eq!(absent.status.code(), Some(1));
}

#[test]
fn the_hook_takes_files_by_their_ending() {
    needs!(Packages);
    let hooks = yaml("contrib/pre-commit/hooks.yaml");
    let pattern = hooks[0]["files"].as_str().unwrap();
    for (name, wanted) in [
        ("a/b.img", "True"),
        ("x.vhdx", "True"),
        ("img.txt", "False"),
    ] {
        let script = "import re, sys; print(bool(re.search(sys.argv[1], sys.argv[2])))";
        let found = tool("/usr/bin/python3", &["-c", script, pattern, name]);
        assert_eq!(found.trim(), wanted, "{name}");
    }
}
