//! The policy file of a build: found, named, left alone; waivers that hold and that are over.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::{Disk, mbr};
use serde_json::Value;

use super::PROGRAM;

/// A folder with a misaligned image and a policy; the program runs in it.
fn case(policy: &str) -> Disk {
    let disk = mbr::disk("old.img", 64, &[(0x83, 63, 100_000)]);
    std::fs::write(disk.folder().join("ioalign.toml"), policy).unwrap();
    disk
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(["check", "old.img"]);
    command.args(arguments).output().unwrap()
}

fn json(disk: &Disk) -> Value {
    serde_json::from_slice(&check(disk.folder(), &["--json"]).stdout).unwrap()
}

fn finding<'a>(json: &'a Value, rule: &str) -> Option<&'a Value> {
    let findings = json["targets"][0]["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["rule"] == rule)
}

fn waiver(expires: &str) -> String {
    format!(
        "[[waive]]\nrule = \"start-misaligned\"\ntarget = \"*.img\"\n\
         reason = \"replaced in May\"\nexpires = {expires}\n"
    )
}

#[test]
fn a_waived_finding_is_shown_and_does_not_count() {
    let disk = case(&waiver("9999-12-31"));
    let found = json(&disk);
    assert_eq!(found["targets"][0]["verdict"], "ok");
    let waived = &finding(&found, "start-misaligned").unwrap()["waived"];
    assert_eq!(waived["reason"], "replaced in May");
    assert_eq!(waived["expires"], "9999-12-31");
    let output = check(disk.folder(), &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<_> = text.split_whitespace().collect();
    let said = words.join(" ").contains("Waived until 9999-12-31");
    assert!(said, "{text}");
    assert!(text.contains("the one finding is waived"), "{text}");
    let code = |more: &[&str]| check(disk.folder(), more).status.code();
    assert_eq!(code(&["--no-policy"]), Some(1));
    assert_eq!(code(&["--format", "nagios"]), Some(0));
    assert_eq!(code(&["--exit-mode", "npd"]), Some(0));
}

/// Whether this runs as root, which a policy of others must not mislead.
fn root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Why a policy is not taken, and what makes it so.
type Plant<'a> = (&'a str, Box<dyn Fn() + 'a>);

#[test]
fn root_takes_no_policy_that_others_can_change() {
    let disk = case(&waiver("9999-12-31"));
    let (folder, file) = (disk.folder(), disk.folder().join("ioalign.toml"));
    let judged = || {
        let output = check(folder, &["--json"]);
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    let chmod = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    assert_eq!(judged(), (Some(0), String::new()), "it is our own");
    let mut plants: Vec<Plant<'_>> = vec![
        ("others can write it", Box::new(|| chmod(&file, 0o666))),
        (
            "others can write in its folder",
            Box::new(|| {
                chmod(&file, 0o644);
                chmod(folder, 0o777);
            }),
        ),
    ];
    if root() {
        let nobody = |path: &Path| std::os::unix::fs::chown(path, Some(65534), None).unwrap();
        plants.push((
            "its folder belongs to another user",
            Box::new(move || {
                chmod(folder, 0o755);
                nobody(folder);
            }),
        ));
        let file = file.clone();
        plants.push((
            "it belongs to another user",
            Box::new(move || nobody(&file)),
        ));
    }
    for (why, plant) in plants {
        plant();
        let (code, said) = judged();
        // Others than root answer for themselves alone: theirs is taken.
        assert_eq!(code, Some(i32::from(root())), "{why}: {said}");
        assert_eq!(said.contains(why), root(), "{why}: {said}");
        // One that is named is the operator's own decision.
        let named = check(folder, &["--policy", "ioalign.toml"]);
        assert_eq!(named.status.code(), Some(0), "{why}");
    }
    let real = folder.join("real.toml");
    std::fs::rename(&file, &real).unwrap();
    std::os::unix::fs::symlink(&real, &file).unwrap();
    let (code, said) = judged();
    assert_eq!(
        (code, said.contains("symbolic link")),
        (Some(i32::from(root())), root())
    );
}

#[test]
fn the_report_names_its_policy() {
    let disk = case(&waiver("9999-12-31"));
    assert_eq!(json(&disk)["policy"], "ioalign.toml");
    for format in ["text", "html"] {
        let output = check(disk.folder(), &["--format", format]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("ioalign.toml"), "{text}");
    }
    let none = check(disk.folder(), &["--json", "--no-policy"]);
    let none: Value = serde_json::from_slice(&none.stdout).unwrap();
    assert!(none.get("policy").is_none());
}

#[test]
fn an_expired_waiver_counts_again_and_says_so() {
    let disk = case(&waiver("2001-01-01"));
    let found = json(&disk);
    assert_eq!(found["targets"][0]["verdict"], "misaligned");
    assert_eq!(
        finding(&found, "start-misaligned").unwrap()["waived"],
        Value::Null
    );
    let note = finding(&found, "waiver-expired").unwrap();
    assert_eq!(note["severity"], "note");
    assert!(note["why"].as_str().unwrap().contains("2001-01-01"));
    assert_eq!(check(disk.folder(), &[]).status.code(), Some(1));
}

#[test]
fn the_policy_decides_what_fails() {
    let disk = case("[fail]\nseverity = \"data-risk\"\n");
    assert_eq!(check(disk.folder(), &[]).status.code(), Some(0));
    assert_eq!(
        json(&disk)["targets"][0]["verdict"],
        "misaligned",
        "facts stay facts"
    );
    let disk = case("[fail]\nseverity = \"data-risk\"\nrules = [\"start-misaligned\"]\n");
    assert_eq!(check(disk.folder(), &[]).status.code(), Some(1));
}

#[test]
fn another_file_can_be_named() {
    let disk = case("this is no policy");
    let other = disk.folder().join("other.toml");
    std::fs::write(&other, waiver("9999-12-31")).unwrap();
    let output = check(disk.folder(), &["--policy", "other.toml"]);
    assert_eq!(output.status.code(), Some(0));
    let output = check(disk.folder(), &["--policy", "nowhere.toml"]);
    assert_eq!(output.status.code(), Some(65));
}

#[test]
fn a_policy_that_is_wrong_is_wrong_use() {
    for policy in [
        "this is no policy",
        "[fail]\nrules = [\"start-misalinged\"]\n",
        "[[waive]]\nrule = \"start-misaligned\"\nreason = \"no day\"\n",
        "[[waive]]\nrule = \"start-misaligned\"\nexpires = 2030-01-01\n",
    ] {
        let output = check(case(policy).folder(), &[]);
        assert_eq!(output.status.code(), Some(64), "{policy}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("ioalign.toml"), "{said}");
    }
}
