//! `ioalign simulate`: its documents, its texts, and what it refuses.

use std::process::{Command, Output};

use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

fn simulate(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("simulate").args(arguments).env("COLUMNS", "80");
    command.output().unwrap()
}

fn document(arguments: &[&str]) -> Value {
    let output = simulate(&[arguments, &["--json"]].concat());
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    valid(&document, "simulation-1.schema.json");
    assert_eq!(output.status.code(), Some(0));
    document
}

/// The places of splitmix64 with seed 42, as a generator on a real array sends them.
#[test]
fn the_reads_of_the_lab() {
    let found = document(&[
        "compare",
        "md-raid10-4",
        "randread:16k:qd8",
        "--starts",
        "63s,2048s",
        "--ios",
        "3000",
        "--seed",
        "42",
    ]);
    let arms = found["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 2);
    assert_eq!(arms[0]["start_bytes"], 32256);
    assert_eq!(arms[0]["disk_ios_per_io"], 1.239);
    assert_eq!(arms[1]["disk_ios_per_io"], 1.0);
    assert_eq!(found["closed_form"]["disk_ios_per_io"], 1.25);
    let reads = |arm: &Value| -> u64 {
        let disks = arm["disks"].as_array().unwrap();
        disks
            .iter()
            .map(|disk| disk["reads"].as_u64().unwrap())
            .sum()
    };
    assert_eq!((reads(&arms[0]), reads(&arms[1])), (3717, 3000));
    let gain = arms[1]["iops_ratio"].as_f64().unwrap();
    assert!((1.18..1.22).contains(&gain), "{gain}");
}

#[test]
fn sector_63_costs_md_more_than_twice() {
    let gain = |owner: &str| {
        let array = format!("raid5:4x64k:{owner}");
        let found = document(&[
            "compare",
            &array,
            "randwrite:16k:qd8",
            "--starts",
            "2048s,63s",
            "--ios",
            "5000",
        ]);
        found["arms"][1]["iops_ratio"].as_f64().unwrap()
    };
    assert!((0.40..0.44).contains(&gain("md")), "{}", gain("md"));
    assert!(
        (0.84..0.90).contains(&gain("controller")),
        "{}",
        gain("controller")
    );
}

#[test]
fn files_and_jobs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("array.toml");
    std::fs::write(
        &file,
        "level = \"raid6\"\ndisks = 6\nelement = \"64k\"\nfailed = [1]\nservice = \"2ms\"\n",
    )
    .unwrap();
    let file = file.display().to_string();
    let found = document(&[
        "run",
        &file,
        "sysbench-fileio",
        "--ios",
        "200",
        "--runs",
        "2",
    ]);
    assert_eq!(found["arms"].as_array().unwrap().len(), 12);
    assert_eq!(found["closed_form"]["disk_ios_per_io"], Value::Null);
    let first = &found["arms"][0];
    assert_eq!(first["disks"][1]["reads"], 0, "a failed disk");
    assert!(first["iops_low"].as_f64().unwrap() <= first["iops_high"].as_f64().unwrap());
    let text = simulate(&["run", &file, "sysbench-fileio", "--ios", "200"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("note: flushes are not simulated"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    for (array, workload, why) in [
        ("raid5:2x64k", "read:4k", "needs 3 disks"),
        ("raid0:0x64k", "read:4k", "not 0"),
        ("raid0:4x1000", "read:4k", "whole sectors"),
        ("raid0:9999x64k", "read:4k", "1 to 512 disks"),
        ("raid0:4x1T", "read:4k", "hold an element"),
        ("raid10:4x64k", "read:5000", "whole sectors"),
        ("raid10:4x64k", "walk:4k", "is no workload"),
        ("raid10:4x64k", "nothing", "is no job"),
        ("nothing", "read:4k", "is no array"),
    ] {
        let output = simulate(&["run", array, workload, "--ios", "10"]);
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{array} {workload}: {says}");
        assert!(says.contains(why), "{array} {workload}: {says}");
    }
    let past = simulate(&["run", "raid10:4x64k", "read:4k", "--start", "9T"]);
    assert_eq!(past.status.code(), Some(64), "{past:?}");
    let missing = simulate(&["run", "/nonexistent/array.toml", "read:4k"]);
    assert_eq!(missing.status.code(), Some(65));
}

#[test]
fn presets_are_listed_with_their_source() {
    let output = simulate(&["list", "--json"]);
    let presets: Value = serde_json::from_slice(&output.stdout).unwrap();
    for preset in presets.as_array().unwrap() {
        assert!(!preset["source"].as_str().unwrap().is_empty());
        document(&[
            "run",
            preset["name"].as_str().unwrap(),
            "randwrite:4k:qd4",
            "--ios",
            "50",
        ]);
    }
}
