//! The formats of monitoring and CI, from the program itself, judged by their own programs.

use std::process::{Command, Output};

use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::run::{promtool, text, tool};
use ioalign_testkit::{Disk, mbr};
use serde_json::Value;

use super::PROGRAM;

fn check(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("check").args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn bad() -> Disk {
    mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)])
}

fn good() -> Disk {
    let disk = Disk::new("good.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 102_400)]);
    disk
}

#[test]
fn a_plugin_has_a_plugins_line_and_codes() {
    let (bad, good) = (bad(), good());
    let output = check(&["--format", "nagios", text(bad.path())]);
    assert_eq!(output.status.code(), Some(1));
    let line = out(&output);
    let wanted = "IOALIGN WARNING - 1 of 1 partition misaligned: p1 start 63s is 3584 B past a \
                  4096 B boundary";
    assert!(line.starts_with(wanted), "{line}");
    assert!(line.contains(" | misaligned=1;0;;0;1 "), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    let output = check(&["--format", "nagios", text(good.path())]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        out(&output).starts_with("IOALIGN OK - 1 partition aligned"),
        "{}",
        out(&output)
    );
    let output = check(&["--format", "nagios", "/nonexistent/x"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        out(&output).starts_with("IOALIGN UNKNOWN - "),
        "{}",
        out(&output)
    );
    let output = check(&[
        "--format",
        "nagios",
        "--exit-mode",
        "lint",
        "/nonexistent/x",
    ]);
    assert_eq!(output.status.code(), Some(65), "a mode that is named wins");
    let output = check(&["--format", "nagios", text(bad.path()), "/nonexistent/x"]);
    assert_eq!(output.status.code(), Some(1), "a defect is not hidden");
    let output = check(&["--format", "nagios", "-v", text(bad.path())]);
    assert!(out(&output).lines().count() > 1);
}

#[test]
fn promtool_takes_the_textfile() {
    needs!(Packages);
    let (bad, good) = (bad(), good());
    let file = bad.folder().join("ioalign.prom");
    let paths = [text(bad.path()), text(good.path())];
    let arguments = [&["--format", "prometheus", "-o", text(&file)][..], &paths].concat();
    assert_eq!(check(&arguments).status.code(), Some(1));
    let metrics = std::fs::read_to_string(&file).unwrap();
    promtool(&file);
    let series = format!(
        "ioalign_partition_offset_bytes{{device=\"p1\",target=\"{}\",unit=\"physical\"}}",
        text(bad.path())
    );
    assert!(metrics.contains(&format!("{series} 3584\n")), "{metrics}");
    assert!(
        metrics.contains("ioalign_last_scan_timestamp_seconds 1"),
        "{metrics}"
    );
    let left = std::fs::read_dir(bad.folder()).unwrap().count();
    assert_eq!(left, 2, "no temporary file stays");
}

#[test]
fn sarif_has_no_result_for_a_good_image() {
    let (bad, good) = (bad(), good());
    let results = |image: &Disk| -> Vec<Value> {
        let output = check(&["--format", "sarif", text(image.path())]);
        let log: Value = serde_json::from_slice(&output.stdout).unwrap();
        log["runs"][0]["results"].as_array().unwrap().clone()
    };
    assert_eq!(results(&good), Vec::<Value>::new());
    let found = results(&bad);
    let first = &found[0];
    assert_eq!(first["ruleId"], "start-misaligned");
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["byteOffset"], 63 * 512);
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert_eq!(uri, format!("file://{}", text(bad.path())));
}

#[test]
fn junit_is_well_formed() {
    needs!(Packages);
    let bad = bad();
    let file = bad.folder().join("junit.xml");
    let output = check(&["--format", "junit", "-o", text(&file), text(bad.path())]);
    assert_eq!(output.status.code(), Some(1));
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/junit.xsd");
    tool("xmllint", &["--noout", "--schema", schema, text(&file)]);
    let xml = std::fs::read_to_string(&file).unwrap();
    assert!(xml.contains("failures=\"1\""), "{xml}");
}

#[test]
fn this_machine_in_every_format() {
    for format in ["nagios", "prometheus", "sarif", "junit"] {
        let output = check(&["--format", format]);
        let code = output.status.code().unwrap();
        assert!((0..=3).contains(&code) || code == 65, "{format}: {code}");
        assert!(
            !output.stdout.is_empty() && output.stderr.is_empty(),
            "{format}"
        );
    }
}
