//! A disk whose move was interrupted: every verb sees it under any name, and the options that set it free do what they
//! say.

use std::fs;
use std::io::{BufRead, BufReader};

use ioalign_core::move_marker::MoveMarker;
use ioalign_testkit::Loop;

use super::trouble::half_moved;
use super::*;

/// The command between the first pair of backquotes that has this word, given to a shell.
fn pasted(output: &Output, word: &str) -> Output {
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    // Text is wrapped for the reader.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let calls: Vec<_> = said.split('`').skip(1).step_by(2).collect();
    let call = calls.iter().find(|call| call.contains(word));
    let call = call.unwrap_or_else(|| panic!("no call with {word}: {said}"));
    let folder = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = command("sh");
    shell.args(["-c", call]).env("PATH", path).output().unwrap()
}

#[test]
fn every_verb_says_so_and_the_printed_command_works() {
    needs!(Packages);
    let image = half_moved();
    let path = text(image.path());
    let new = image.disk.folder().join("new.img");
    let before = image.whole();
    for call in [
        &[path][..],
        &[path, "--apply"],
        &[path, "--plan", "--grow"],
        &[path, "--output", text(&new)],
        &[path, "--convert-sector-size", "4096"],
        &[path, "--convert-sector-size", "4096", "--apply"],
        &[
            path,
            "--convert-sector-size",
            "4096",
            "--output",
            text(&new),
        ],
    ] {
        refused(call, 65, &["being moved", "--resume", "--rollback"]);
    }
    let checked = check_image(image.path(), &[]);
    assert_eq!((checked.verdict(), checked.code), ("broken", 2));
    let measured = command(PROGRAM)
        .args([
            "measure",
            "run",
            path,
            "--write",
            "--op",
            "write",
            "--destroy-data",
            path,
            "--time",
            "1",
        ])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&measured.stderr);
    assert_eq!(measured.status.code(), Some(65), "{errors}");
    assert!(
        errors.contains("being moved") && errors.contains("--resume"),
        "{errors}"
    );
    assert!(image.whole() == before && !new.exists());
    // Nothing else takes it for a disk with file systems.
    assert!(tool("sfdisk", &["--dump", path]).contains("type=da"));
    let done = pasted(&fix(&[path]), "--resume");
    assert!(done.status.success(), "{done:?}");
    image.is_fixed(MIB);
}

#[test]
fn a_loop_device_over_it_goes_on_with_its_journal() {
    needs!(Packages, Root);
    let image = half_moved();
    let device = Loop::new(image.path(), &[]);
    let said = fix(&[device.text()]);
    assert_eq!(said.status.code(), Some(65), "{said:?}");
    let checked = command(PROGRAM)
        .args(["check", device.text()])
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(2), "{checked:?}");
    let back = pasted(&said, "--rollback");
    assert!(back.status.success(), "{back:?}");
    drop(device);
    image.holds();
    assert!(!image.journal().exists());
}

#[test]
fn a_copy_is_not_the_disk_unless_it_is_adopted() {
    needs!(Packages);
    let image = half_moved();
    let copy = image.disk.folder().join("copy.img");
    fs::copy(image.path(), &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    for way in ["--resume", "--rollback"] {
        refused(
            &[text(&copy), way],
            65,
            &["it is not the disk or file", "--adopt"],
        );
    }
    assert!(fs::read(&copy).unwrap() == before && image.journal().exists());
    refused(&[text(&copy), "--apply", "--adopt"], 64, &[]);
    done(&[text(&copy), "--resume", "--adopt"]);
    fs::rename(&copy, image.path()).unwrap();
    let lost = Image {
        parts: image.parts.clone(),
        disk: image.disk,
    };
    let now = table(lost.path(), 512);
    for part in &lost.parts {
        let line = now.iter().find(|line| line.number == part.number).unwrap();
        let bytes = fs::read(lost.path()).unwrap();
        let start = usize::try_from(line.start).unwrap();
        assert!(bytes[start..start + part.bytes.len()] == part.bytes);
    }
}

#[test]
fn a_marker_of_another_host_names_it() {
    needs!(Packages);
    let image = Image::old();
    let old = image.disk.read(0, 512);
    let marker = MoveMarker {
        run: 9,
        host: "otherhost".to_owned(),
        journal: "/nowhere/j".into(),
        old_table: MoveMarker::table_in(&old),
    };
    image.disk.write(0, &marker.encode(40 * MIB / 512));
    let path = text(image.path());
    let words = ["/nowhere/j on host otherhost", "this is host", "--journal"];
    for call in [&[path][..], &[path, "--resume"]] {
        refused(call, 65, &words);
    }
    // Without its journal it is set free by force: entries come back, boot code does not.
    refused(
        &[path, "--abandon", "/dev/null"],
        64,
        &["names the target again"],
    );
    refused(&[path, "--abandon", path, "--apply"], 64, &[]);
    let freed = fix(&[path, "--abandon", path]);
    let said = String::from_utf8_lossy(&freed.stdout);
    assert!(
        freed.status.success() && said.contains("given up"),
        "{freed:?}"
    );
    assert!(image.disk.read(440, 72) == old[440..512]);
    image.holds();
    refused(&[path, "--abandon", path], 65, &["no move is in flight"]);
}

#[test]
fn a_journal_that_was_brought_elsewhere_is_named() {
    needs!(Packages);
    let image = half_moved();
    let path = text(image.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("brought");
    fs::copy(image.journal(), &other).unwrap();
    fs::remove_file(image.journal()).unwrap();
    refused(
        &[path, "--resume"],
        65,
        &["that file is not there", "--journal"],
    );
    let strange = half_moved();
    let named = ["--resume", "--journal", text(&strange.journal())].map(str::to_owned);
    let named: Vec<_> = named.iter().map(String::as_str).collect();
    refused(&[&[path], &named[..]].concat(), 65, &["of another move"]);
    done(&[path, "--resume", "--journal", text(&other)]);
    image.is_fixed(MIB);
}

#[test]
fn what_others_changed_is_gone_on_with_by_force_alone() {
    needs!(Packages);
    let image = half_moved();
    let path = text(image.path());
    // Another program wrote a table of its own.
    image.disk.write(0, &[0; 512]);
    for way in ["--resume", "--rollback"] {
        refused(&[path, way], 65, &[]);
    }
    refused(&[path, "--trust-disk"], 64, &["--resume"]);
    done(&[path, "--resume", "--trust-disk"]);
    image.is_fixed(MIB);
}

#[test]
fn what_another_process_writes_is_not_moved() {
    needs!(Packages);
    let image = Image::old();
    let before = image.whole();
    let script = format!("exec 9<>{}; echo there; read end", text(image.path()));
    let mut shell = command("sh");
    shell
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let words = ["open for writing", &child.id().to_string()];
    refused(&[text(image.path()), "--apply"], 65, &words);
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(image.whole() == before);
    done(&[text(image.path()), "--apply"]);
    image.is_fixed(MIB);
}
