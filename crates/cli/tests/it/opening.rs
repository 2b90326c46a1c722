//! A report on devices of this machine opens with the machine; one on an image, a text or another host does not.

use std::path::Path;
use std::process::Command;

use ioalign_testkit::run::text;
use ioalign_testkit::{Loop, mbr, needs};
use serde_json::Value;

use super::PROGRAM;

fn run(arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(arguments)).unwrap()
}

/// What the kernel calls this machine.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    name.trim().to_owned()
}

/// Writes the document of `check` of a target beside others; gives its path.
fn document(folder: &Path, name: &str, target: &str) -> String {
    let path = folder.join(name);
    let checked = run(&["check", "--no-policy", "--json", target]);
    std::fs::write(&path, checked).unwrap();
    text(&path).to_owned()
}

#[test]
fn an_image_says_nothing_of_this_machine() {
    let image = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let folder = tempfile::tempdir().unwrap();
    let target = text(image.path());
    let stack = document(folder.path(), "check.json", target);
    for arguments in [
        ["check", "--no-policy", "--json", target].as_slice(),
        &["advise", "--json", "--stack", &stack],
        &["plan", "--json", "--from", &stack],
    ] {
        assert_eq!(json(arguments)["machine"], Value::Null, "{arguments:?}");
    }
    let shown = run(&["check", "--no-policy", target]);
    assert!(shown.starts_with("bad.img"), "{shown}");
    let page = run(&["check", "--no-policy", "--format", "html", target]);
    assert!(!page.contains("<dt>processors</dt>"));
}

#[test]
fn a_device_of_this_machine_is_shown_with_it() {
    needs!(Root);
    let image = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let device = Loop::new(image.path(), &[]);
    let folder = tempfile::tempdir().unwrap();
    let stack = document(folder.path(), "check.json", device.text());
    let documents = [
        json(&["check", "--no-policy", "--json", device.text()]),
        json(&[
            "check",
            "--no-policy",
            "--json",
            device.text(),
            text(image.path()),
        ]),
        json(&["advise", "--json", "--stack", &stack]),
        json(&["plan", "--json", "--from", &stack]),
    ];
    for document in documents {
        let machine = &document["machine"];
        assert_eq!(machine["host"], host().as_str(), "{document}");
        assert!(machine["cpus"].as_u64() > Some(0) && machine["memory_bytes"].is_u64());
        let disks = machine["disks"].as_array().unwrap();
        assert!(
            disks.iter().any(|disk| disk["name"] == device.name()),
            "{machine}"
        );
    }
    for arguments in [
        ["check", "--no-policy", device.text()].as_slice(),
        &["advise", "--stack", &stack],
        &["plan", "--from", &stack],
    ] {
        let shown = run(arguments);
        let lines: Vec<_> = shown.lines().collect();
        assert!(lines[0].starts_with(&host()), "{shown}");
        assert!(
            lines[1].starts_with(device.name()) && lines[2].is_empty(),
            "{shown}"
        );
    }
    assert!(!run(&["check", "--no-policy", "-q", device.text()]).contains(&host()));
    let page = run(&["check", "--no-policy", "--format", "html", device.text()]);
    assert!(page.contains("<dt>processors</dt>"));
}
