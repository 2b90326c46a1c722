//! The command line itself: help, wrong use, streams, files, formats.

use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::mbr;
use ioalign_testkit::run::{hung_up, text, tool};
use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn help_goes_to_standard_output_and_has_examples() {
    let output = run(&["check", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    let help = out(&output);
    assert!(
        help.contains("Examples:") && help.contains("Exit codes:"),
        "{help}"
    );
    for option in [
        "--json",
        "--quiet",
        "--verbose",
        "--no-color",
        "--grid",
        "--sysroot",
    ] {
        assert!(help.contains(option), "{option}");
    }
    let version = out(&run(&["--version"]));
    assert!(version.starts_with("ioalign "), "{version}");
    let commit = version
        .lines()
        .find_map(|line| line.strip_prefix("commit: "));
    assert_names_a_commit(commit.unwrap());
    assert_eq!(out(&run(&["-V"])).lines().count(), 1);
}

/// A build from a clone names a commit of it.
fn assert_names_a_commit(named: &str) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    if !Path::new(root).join(".git").exists() {
        assert_eq!(named, "not known, built without git");
        return;
    }
    let hash = named.split(' ').next().unwrap();
    tool(
        "git",
        &["-C", root, "cat-file", "-e", &format!("{hash}^{{commit}}")],
    );
}

#[test]
fn wrong_use_is_64_and_says_what_is_wrong() {
    let wrong: [&[&str]; 8] = [
        &[],
        &["frobnicate"],
        &["check", "--no-such-option"],
        &["check", "--grid", "0"],
        &["check", "--grid", "64k:St:rmw"],
        &["check", "--profile-grid", "floppy"],
        &["check", "--sector-size", "520"],
        &["check", "--database", "nosuchdb", "/dev/null"],
    ];
    for arguments in wrong {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.is_empty(), "{arguments:?}");
        let lines = if arguments.is_empty() { 2..99 } else { 1..2 };
        assert!(
            lines.contains(&said.lines().count()),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn wrong_use_names_what_is_near() {
    let said = |arguments: &[&str]| String::from_utf8(run(arguments).stderr).unwrap();
    let option = said(&["check", "--quite"]);
    assert!(
        option.starts_with("ioalign: unexpected argument '--quite' found; "),
        "{option}"
    );
    assert!(
        option.contains("'--quiet'") && option.ends_with("; try `ioalign check --help`\n"),
        "{option}"
    );
    let disk = mbr::disk("a disk.img", 64, &[(0x83, 63, 100_000)]);
    let file = said(&[text(disk.path())]);
    let wanted = format!("; try `ioalign check '{}'`\n", text(disk.path()));
    assert!(file.ends_with(&wanted), "{file}");
}

#[test]
fn the_ending_of_the_output_names_the_format() {
    let disk = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    for (name, begins) in [
        ("a.html", "<!"),
        ("a.json", "{"),
        ("a.svg", "<"),
        ("a.txt", "bad.img"),
        ("a", "bad.img"),
    ] {
        let file = disk.folder().join(name);
        let output = run(&["check", text(disk.path()), "-o", text(&file)]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let report = std::fs::read_to_string(&file).unwrap();
        assert!(
            report.to_lowercase().starts_with(begins),
            "{name}: {report}"
        );
    }
    let file = disk.folder().join("named.html");
    run(&[
        "check",
        text(disk.path()),
        "--format",
        "json",
        "-o",
        text(&file),
    ]);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with('{'));
}

#[test]
fn a_missing_file_is_65_and_named() {
    let output = run(&["check", "/nonexistent/disk.img"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(output.stdout.is_empty(), "{}", out(&output));
    let text = String::from_utf8(output.stderr).unwrap();
    let wanted =
        "ioalign: /nonexistent/disk.img: Cannot open it: No such file or directory; check the name";
    assert!(text.starts_with(wanted), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let json: Value =
        serde_json::from_str(&out(&run(&["check", "--json", "/nonexistent/x"]))).unwrap();
    assert_eq!(json["targets"][0]["error"]["kind"], "not-found");
}

#[test]
fn json_holds_to_the_schema() {
    let bad = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let lists: [&[&str]; 4] = [
        &[],
        &[text(bad.path())],
        &[text(bad.path()), "--grid", "192k@64k:stripe:preference"],
        &[text(bad.path()), "/nonexistent"],
    ];
    for list in lists {
        let output = run(&[&["check", "--json"], list].concat());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        valid(&json, "check-1.schema.json");
        assert_eq!(json["schema"], "ioalign.check/1");
    }
}

#[test]
fn the_text_fits_100_columns_and_has_no_escapes_in_a_pipe() {
    let disk = mbr::disk(
        "a-disk-with-a-rather-long-name-for-a-file.img",
        64,
        &[(0x83, 63, 100_000)],
    );
    for more in [&[][..], &["-v"], &["--ascii"], &["--quiet"]] {
        let name = disk.path().file_name().unwrap();
        let mut command = Command::new(PROGRAM);
        let command = command.current_dir(disk.folder()).arg("check");
        let text = out(&command.arg(name).args(more).output().unwrap());
        assert!(!text.contains('\u{1b}'), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{more:?}: {line}");
        }
        if more == ["--ascii"] {
            assert!(text.is_ascii(), "{text}");
        }
        if more == ["--quiet"] {
            assert_eq!(text.lines().count(), 1, "{text}");
        }
    }
}

#[test]
fn a_report_is_written_to_a_file_at_once() {
    let disk = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let page = disk.folder().join("report.html");
    let output = run(&[
        "check",
        text(disk.path()),
        "--format",
        "html",
        "-o",
        text(&page),
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.starts_with("<!DOCTYPE html>") && html.contains("<svg"),
        "{:.200}",
        html
    );
    assert!(!html.contains("http://") || html.contains("http://www.w3.org/2000/svg"));
    let left: Vec<_> = std::fs::read_dir(disk.folder()).unwrap().collect();
    assert_eq!(left.len(), 2, "no temporary file stays: {left:?}");
    let output = run(&["check", text(disk.path()), "-o", "/nonexistent/report.txt"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nonexistent/report.txt"));
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let disk = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = Command::new(PROGRAM);
    let output = command
        .args(["check", text(disk.path())])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
    let mut command = Command::new(PROGRAM);
    let output = hung_up(command.args(["check", "-v", text(disk.path())]));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn man_pages_and_completions_come_from_the_definitions() {
    assert!(out(&run(&["man"])).contains(".TH ioalign"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&["man", text(folder.path())]).status.code(), Some(0));
    let page = std::fs::read_to_string(folder.path().join("ioalign-check.1")).unwrap();
    assert!(page.contains("profile\\-grid"), "{page:.400}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            out(&run(&["completions", shell])).contains("ioalign"),
            "{shell}"
        );
    }
}

#[test]
fn the_demo_needs_nothing_and_finds_its_own_mistakes() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    let command = command.current_dir(folder.path());
    let output = command.args(["demo", "--keep", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = out(&output);
    for word in [
        "start-misaligned",
        "sector 63",
        "sector 51201",
        "3584 B past",
        "everything is in its new place",
        "p1 started at byte 32256",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    assert!(folder.path().join("report.html").metadata().unwrap().len() > 5000);
    let image = folder.path().join("scratch.img");
    let sfdisk = ioalign_testkit::run::tool("sfdisk", &["-J", image.to_str().unwrap()]);
    assert!(sfdisk.contains("51201"), "{sfdisk}");
    let fixed = crate::check_image(&folder.path().join("fixed.img"), &[]);
    assert_eq!(fixed.verdict(), "ok", "{:#}", fixed.json);
}
