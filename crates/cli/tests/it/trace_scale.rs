//! Traces beyond one machine, as far as it needs none: what `--engine spark` refuses, the SQL, and parts that merge.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::schema::valid;

fn run(at: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ioalign"));
    // Without any spark-submit.
    command.current_dir(at).env("PATH", at).arg("trace");
    command.args(arguments.split_whitespace()).output().unwrap()
}

fn json(at: &Path, arguments: &str) -> Value {
    let done = run(at, arguments);
    assert!(
        done.status.success(),
        "{arguments}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn a_cluster_is_asked_for_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (arguments, code, said) in [
        ("summarize --engine spark t.csv", 64, "--master"),
        ("summarize --master local[1] t.csv", 64, "--engine spark"),
        (
            "summarize --engine spark --master local[1] --stack live t.csv",
            64,
            "--stack",
        ),
        (
            "summarize --engine spark --master local[1] --interval 1s t.csv",
            64,
            "--interval",
        ),
        (
            "summarize --engine spark --master local[1] -",
            64,
            "standard input",
        ),
        (
            "summarize --engine spark --master local[1] t.csv",
            65,
            "spark-submit is not on the PATH",
        ),
    ] {
        let done = run(at, arguments);
        let text = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{arguments}: {text}");
        assert!(
            text.contains(said) && text.lines().count() == 1,
            "{arguments}: {text}"
        );
    }
}

/// A `spark-submit` that is none shows what the job is given, and that its failure is one.
#[test]
fn the_job_gets_the_options_of_the_kernel_and_its_failure_is_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let script = at.join("spark-submit");
    std::fs::write(&script, "#!/bin/sh\necho \"$@\"\nexit 3\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let done = run(
        at,
        "summarize --engine spark --master local[2] --grid 64k --sampler=5s --json a.csv file:///b.csv",
    );
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(
        (done.status.code(), done.stdout.len()),
        (Some(65), 0),
        "{said}"
    );
    assert!(
        said.contains("--master local[2]") && said.contains("the Spark job failed"),
        "{said}"
    );
    assert!(
        said.contains(r#"--args=["--grid","64k","--sampler=5s"] -- a.csv file:///b.csv"#),
        "{said}"
    );
}

#[test]
fn the_sql_names_the_file_in_the_words_of_each_engine() {
    let folder = tempfile::tempdir().unwrap();
    let text = |arguments: &str| String::from_utf8(run(folder.path(), arguments).stdout).unwrap();
    let (duckdb, spark) = (
        text("sql --dialect duckdb t.parquet"),
        text("sql --dialect spark t.parquet"),
    );
    assert_eq!(
        (
            duckdb.matches("SELECT device").count(),
            duckdb.matches(";\n").count()
        ),
        (6, 4)
    );
    assert!(duckdb.contains("read_parquet('t.parquet')") && spark.contains("parquet.`t.parquet`"));
    assert!(
        text("sql --dialect spark t.parquet --grid 192KiB@64KiB")
            .contains("(offset_bytes + 131072) % 196608")
    );
    assert_eq!(
        run(folder.path(), "sql --dialect duckdb t'.parquet")
            .status
            .code(),
        Some(64)
    );
}

#[test]
fn mergeable_profiles_become_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut names = Vec::new();
    for seed in 0..3 {
        let name = format!("{seed}.bin");
        let devices = "--devices 2 --misaligned 17% --bursts 20ms/150ms";
        let words = format!("generate -o {name} --ios 2000 --seed {seed} {devices}");
        assert!(run(at, &words).status.success());
        let profile = json(at, &format!("summarize --mergeable --json {name}"));
        valid(&profile, "profile.json");
        std::fs::write(at.join(format!("{seed}.json")), profile.to_string()).unwrap();
        names.push(name);
    }
    let merged = json(at, "merge 2.json 0.json 1.json --json");
    valid(&merged, "profile.json");
    let whole = json(
        at,
        &format!("summarize --mergeable --json {}", names.join(" ")),
    );
    let inexact = merged["inexact"].as_array().unwrap();
    let has = |value: &str| inexact.iter().any(|one| one["value"] == value);
    assert!(has("by_op.sequential_ratio") && has("inter_arrival") && !has("bursts"));
    for (merged, whole) in merged["devices"]
        .as_array()
        .unwrap()
        .iter()
        .zip(whole["devices"].as_array().unwrap())
    {
        for key in [
            "device",
            "bursts",
            "bursts_total",
            "samplers",
            "littles_law",
            "processes",
        ] {
            assert_eq!(merged[key], whole[key], "{key}");
        }
        assert_eq!(
            merged["queue_depth"]["in_flight_us"],
            whole["queue_depth"]["in_flight_us"]
        );
        assert!(merged.get("part").is_none() && whole.get("part").is_some());
    }
    assert_eq!(merged["duration_us"], whole["duration_us"]);
    let shown = run(at, "merge 0.json 1.json");
    assert!(String::from_utf8_lossy(&shown.stderr).contains("not exact: inter_arrival: left out"));
}
