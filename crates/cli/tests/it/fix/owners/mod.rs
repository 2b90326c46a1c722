//! Disks that belong to something else besides their partitions are not touched; ordinary ones are.
//!
//! Signatures are written by the tools of their formats, or by hand where those want a kernel driver; `wipefs` is the
//! oracle of what is there, and what it takes away is all that goes.

mod by_hand;
mod judged;
pub mod made;
mod ordinary;

use super::*;
pub use made::run_on;

/// The table that is written over all of them: `wipefs` itself would have taken the old signature away.
const OVER: [&str; 7] = [
    "--quiet",
    "--force",
    "--no-reread",
    "--no-tell-kernel",
    "--wipe=never",
    "--wipe-partitions=never",
    "--label=dos",
];

/// Writes a table over a disk, and leaves everything else of it.
fn table_over(path: &Path, script: &str) {
    let label = match script.starts_with("label: gpt") {
        true => "--label=gpt",
        false => "--label=dos",
    };
    let mut child = command("sfdisk")
        .args(&OVER[..6])
        .args([label, text(path)])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
}

/// The types of the superblocks that `wipefs` names, without tables.
fn signatures(path: &Path) -> Vec<String> {
    let said = tool("wipefs", &["--noheadings", "--output", "TYPE", text(path)]);
    let tables = ["dos", "gpt", "PMBR"];
    let types = said.lines().map(|line| line.trim().to_owned());
    types
        .filter(|one| !tables.contains(&one.as_str()))
        .collect()
}

/// The message of a refusal by this rule.
fn refusal(path: &Path, name: &str) -> String {
    let output = fix(&[text(path)]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(65), "{name}: {output:?}");
    assert!(errors.contains("(fix-member-of)"), "{name}: {errors}");
    assert_eq!(errors.trim_end().lines().count(), 1, "{name}: {errors}");
    errors
}

/// The `wipefs` or `mdadm` call that a message names.
fn removal(errors: &str) -> Option<&str> {
    let mut calls = errors.split('`').skip(1).step_by(2);
    calls.find(|call| call.starts_with("wipefs ") || call.starts_with("mdadm "))
}

/// Runs the calls that are named until nothing is left, and checks that only magic numbers went.
fn is_taken_away(disk: &Disk, name: &str) {
    let before = std::fs::read(disk.path()).unwrap();
    for _ in 0..4 {
        let output = fix(&[text(disk.path())]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        if !errors.contains("(fix-member-of)") {
            let after = std::fs::read(disk.path()).unwrap();
            let changed = new_bytes(&before, &after);
            assert!(
                (1..=4200).contains(&changed.len()),
                "{name}: {}",
                changed.len()
            );
            assert!(changed.iter().all(|new| *new == 0), "{name}");
            // The table of a larger array is one of a shorter disk.
            let planned = matches!(output.status.code(), Some(0 | 64));
            assert!(planned || errors.contains("--grow"), "{name}: {output:?}");
            return;
        }
        let call = removal(&errors).unwrap_or_else(|| panic!("{name}: {errors}"));
        let ran = command("sh")
            .args(["-c", call])
            .env("HOME", disk.folder())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{name}: {call}: {ran:?}");
    }
    panic!("{name}: still there");
}

#[test]
fn a_disk_with_a_second_owner_is_refused() {
    needs!(Packages);
    let mut count = 0;
    let hands = by_hand::ALL
        .iter()
        .map(|hand| (hand.name, hand.disk(), hand.says, hand.wipefs));
    let made = made::ALL
        .iter()
        .map(|made| (made.name, made.disk(), made.says, true));
    for (name, disk, says, wipefs) in hands.chain(made) {
        let before = std::fs::read(disk.path()).unwrap();
        assert_eq!(!signatures(disk.path()).is_empty(), wipefs, "{name}");
        let errors = refusal(disk.path(), name);
        assert!(errors.contains(says), "{name}: {errors}");
        let applied = fix(&[text(disk.path()), "--apply"]);
        assert_eq!(applied.status.code(), Some(65), "{name}: {applied:?}");
        assert!(before == std::fs::read(disk.path()).unwrap(), "{name}");
        assert!(
            !disk.folder().join("disk.img.ioalign-journal").exists(),
            "{name}"
        );
        if wipefs {
            is_taken_away(&disk, name);
        }
        count += 1;
    }
    assert!(count >= 60, "{count}");
}

#[test]
fn a_refusal_is_a_document() {
    needs!(Packages);
    let hand = by_hand::ALL
        .iter()
        .find(|hand| hand.name == "md 1.0 RAID 1")
        .unwrap();
    let disk = hand.disk();
    let document = document(&[text(disk.path())]);
    assert_eq!(document["result"], "refused");
    assert_eq!(document["rule"], "fix-member-of");
    assert!(document["why"].as_str().unwrap().contains("raid1"));
    let next = document["next"].as_array().unwrap();
    assert_eq!(next[0], "ioalign fix /dev/mdX");
    assert!(next[1].as_str().unwrap().starts_with("wipefs -b -o 0x"));
}

#[test]
fn other_ways_of_fixing_refuse_it_too() {
    needs!(Packages);
    let hand = by_hand::ALL
        .iter()
        .find(|hand| hand.name == "md 1.0 RAID 1")
        .unwrap();
    let disk = hand.disk();
    let (path, new) = (text(disk.path()), disk.folder().join("new.img"));
    for more in [
        &["--grow"][..],
        &["--universal"],
        &["--convert-sector-size", "4096"],
        &["--output", text(&new)],
        &["--enlarge-partition", "1"],
    ] {
        refused(&[&[path], more].concat(), 65, &["(fix-member-of)"]);
        assert!(!new.exists(), "{more:?}");
    }
    // Within another format `wipefs` sees nothing: it has to be a disk first.
    let qcow2 = disk.folder().join("disk.qcow2");
    tool("qemu-img", &["convert", "-O", "qcow2", path, text(&qcow2)]);
    refused(
        &[text(&qcow2)],
        65,
        &["(fix-member-of)", "qemu-nbd --connect /dev/nbd0"],
    );
}
