//! `trace generate`, `convert` and `merge`, through the program.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    let words = arguments.split_whitespace();
    command
        .current_dir(folder)
        .arg("trace")
        .args(words)
        .output()
        .unwrap()
}

fn done(folder: &Path, arguments: &str) -> Vec<u8> {
    let output = run(folder, arguments);
    let stated = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {stated}");
    output.stdout
}

fn summary(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&done(folder, &format!("summarize {file} --json"))).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The counters of the first device that follow from the I/Os alone.
fn counters(profile: &Value) -> Value {
    let device = &profile["devices"][0];
    let mut ops = device["by_op"].clone();
    for op in ops.as_object_mut().unwrap().values_mut() {
        op.as_object_mut().unwrap().remove("sequential_ratio");
    }
    let straddling: Vec<_> = device["grids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grid| grid["straddling"].clone())
        .collect();
    serde_json::json!([profile["events"], profile["duration_us"], ops, straddling])
}

const WORKLOAD: &str = "--ios 3k --misaligned 17% --sizes 4k:50,8k:30,64k:20 --shift 63s --seed 5";

#[test]
fn the_truth_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for format in ["blktrace", "blkparse", "csv", "msr", "iolog3", "parquet"] {
        done(
            at,
            &format!("generate --format {format} -o t --truth t.json --force {WORKLOAD}"),
        );
        let (seen, known) = (summary(at, "t"), json(&at.join("t.json")));
        valid(&known, "profile.json");
        assert_eq!(counters(&seen), counters(&known), "{format}");
    }
}

#[test]
fn a_generated_stream_is_read_from_a_pipe() {
    let mut generate = Command::new(PROGRAM);
    generate
        .args(["trace", "generate", "--ios", "20000"])
        .stdout(Stdio::piped());
    let mut generate = generate.spawn().unwrap();
    let mut summarize = Command::new(PROGRAM);
    summarize.args(["trace", "summarize", "-", "--json"]);
    let output = summarize
        .stdin(generate.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(generate.wait().unwrap().success());
    let profile: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(profile["events"], 20_000);
}

#[test]
fn a_trace_is_converted_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    done(at, &format!("generate -o a.blktrace {WORKLOAD}"));
    done(at, "convert a.blktrace -o a.parquet");
    done(at, "convert a.parquet -o a.csv");
    done(at, "convert a.csv -o b.bin -q");
    let all: Vec<_> = ["a.blktrace", "a.parquet", "a.csv"]
        .iter()
        .map(|file| counters(&summary(at, file)))
        .collect();
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    let back = summary(at, "b.bin");
    assert_eq!(back["events"], 3000);
    let piped = Command::new(PROGRAM)
        .args(["trace", "summarize", "-"])
        .stdin(std::fs::File::open(at.join("a.parquet")).unwrap())
        .output()
        .unwrap();
    assert_eq!(piped.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&piped.stderr).contains("at its end"));
}

#[test]
fn an_output_is_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    done(at, "generate --ios 10 -o a.csv --format csv");
    let before = std::fs::read(at.join("a.csv")).unwrap();
    assert_eq!(run(at, "convert a.csv -o ./a.csv").status.code(), Some(64));
    assert_eq!(
        run(at, "convert a.csv -o a.unknown").status.code(),
        Some(64)
    );
    std::fs::write(at.join("text"), "no trace\n").unwrap();
    assert_eq!(run(at, "convert text -o a.csv").status.code(), Some(65));
    assert_eq!(std::fs::read(at.join("a.csv")).unwrap(), before);
}

#[test]
fn what_a_format_cannot_hold_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for arguments in [
        "generate --sizes 520:1",
        "generate --format msr --discards 5%",
        "generate --device-size 64k",
        "generate --bursts 3s/2s",
        "generate --misaligned 170%",
        "generate --format nonsense",
    ] {
        assert_eq!(run(at, arguments).status.code(), Some(64), "{arguments}");
    }
    done(at, "generate --sizes 520:1 --format csv -o t.csv --ios 10");
}

#[test]
fn profiles_of_parts_add_up_to_that_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    done(
        at,
        &format!("generate --format csv -o all.csv {WORKLOAD} --device-size 1G"),
    );
    let text = std::fs::read_to_string(at.join("all.csv")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let (heading, rows) = lines.split_first().unwrap();
    for (part, rows) in rows.chunks(1000).enumerate() {
        let text = format!("{heading}\n{}\n", rows.join("\n"));
        std::fs::write(at.join(format!("{part}.csv")), text).unwrap();
        let profile = done(at, &format!("summarize {part}.csv --json"));
        std::fs::write(at.join(format!("{part}.json")), profile).unwrap();
    }
    let merged: Value =
        serde_json::from_slice(&done(at, "merge 0.json 1.json 2.json --parts --json")).unwrap();
    let mut whole = summary(at, "all.csv");
    valid(&merged, "profile.json");
    assert_eq!(merged["events"], 3000);
    assert_eq!(merged["alignment"], whole["alignment"]);
    for op in ["read", "write"] {
        let [merged, whole] =
            [&merged, &mut whole].map(|profile| &profile["devices"][0]["by_op"][op]);
        let (mut merged, mut whole) = (merged.clone(), whole.clone());
        // These two are means: equal but for the last digits, and for the streams that were cut.
        let mean = |op: &mut Value| op["latency_us"]["mean"].take().as_f64().unwrap();
        assert!((mean(&mut merged) - mean(&mut whole)).abs() < 1e-6);
        let streams = |op: &mut Value| op["sequential_ratio"].take().as_f64().unwrap();
        assert!((streams(&mut merged) - streams(&mut whole)).abs() < 0.02);
        assert_eq!(merged, whole);
    }
    let apart: Value =
        serde_json::from_slice(&done(at, "merge 0.json 1.json --apart --json")).unwrap();
    assert_eq!(apart["devices"][1]["device"], "1/sdb");
    assert!(
        String::from_utf8(done(at, "merge 0.json 1.json"))
            .unwrap()
            .contains("2,000")
    );
    assert_eq!(run(at, "merge all.csv").status.code(), Some(65));
}
