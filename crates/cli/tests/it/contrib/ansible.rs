//! The fact script and the playbook, by Ansible itself (Debian: ansible-core).

use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::run::text;
use serde_json::Value;

use super::{bad, file, good, out};
use crate::PROGRAM;

fn ansible(program: &str, arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    Command::new(program)
        .args(arguments)
        .env("IOALIGN", PROGRAM)
        .env("HOME", home.path())
        .env("ANSIBLE_LOCAL_TEMP", home.path().join("local"))
        .env("ANSIBLE_REMOTE_TEMP", home.path().join("remote"))
        .env("ANSIBLE_NOCOLOR", "1")
        .env("ANSIBLE_PYTHON_INTERPRETER", "/usr/bin/python3")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap_or_else(|error| panic!("{program} (ansible-core) is needed: {error}"))
}

#[test]
fn the_fact_is_json_and_no_failure() {
    let output = Command::new(file("contrib/ansible/ioalign.fact"))
        .env("IOALIGN", PROGRAM)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(facts["schema"], "ioalign.check/1");
}

#[test]
fn ansible_reads_the_fact() {
    needs!(Packages);
    let folder = file("contrib/ansible").canonicalize().unwrap();
    let module = format!(
        "fact_path={} filter=ansible_local gather_subset=!all,local",
        text(&folder)
    );
    let arguments = ["localhost", "-c", "local", "-m", "setup", "-a", &module];
    let output = ansible("ansible", &arguments);
    let said = out(&output);
    let (_, json) = said
        .split_once("=> ")
        .unwrap_or_else(|| panic!("{output:?}"));
    let facts: Value = serde_json::from_str(json).unwrap();
    let ours = &facts["ansible_facts"]["ansible_local"]["ioalign"];
    assert!(ours["summary"]["verdict"].is_string(), "{said}");
}

fn play(image: &Path) -> Output {
    let playbook = file("contrib/ansible/check.yml");
    let variables = serde_json::json!({
        "ioalign_program": PROGRAM,
        "ioalign_targets": [text(image)],
    });
    let arguments = [
        "--check",
        "-i",
        "localhost,",
        "-c",
        "local",
        text(&playbook),
        "-e",
        &variables.to_string(),
    ];
    ansible("ansible-playbook", &arguments)
}

#[test]
fn the_playbook_fails_on_a_bad_image_in_check_mode() {
    needs!(Packages);
    let output = play(good().path());
    assert!(output.status.success(), "{}", out(&output));
    assert!(out(&output).contains("changed=0"), "{}", out(&output));
    let output = play(bad().path());
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(out(&output).contains("3584 B past"), "{}", out(&output));
}
