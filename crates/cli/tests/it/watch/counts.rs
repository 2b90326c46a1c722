//! Every counter is fio's, and the same by every way of looking.

use std::path::Path;

use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{Memory, PROGRAM, ROUNDS, Watching, by_op, fio, permitted};

/// Everything that is a count, of the device and of the grids that both know.
fn counters(profile: &Value) -> Vec<String> {
    let device = &profile["devices"][0];
    let mut all = Vec::new();
    for (op, value) in device["by_op"].as_object().unwrap() {
        for key in [
            "ios",
            "bytes",
            "size_histogram",
            "start_pow2_histogram",
            "length_pow2_histogram",
            "straddling_pow2",
            "start_mod_4096",
            "whole_start_mod_4096",
            "alignment",
        ] {
            all.push(format!("{op} {key} {}", value[key]));
        }
        all.push(format!("{op} timed {}", value["latency_us"]["ios"]));
    }
    for grid in device["grids"].as_array().unwrap() {
        if grid["size_bytes"] == 8192 || grid["size_bytes"] == 196_608 {
            let keys = [
                "op",
                "size_bytes",
                "phase_bytes",
                "start_off_grid",
                "length_not_multiple",
                "straddling",
                "cells_touched",
                "cells_minimum",
                "pieces",
            ];
            all.push(keys.map(|key| grid[key].to_string()).join(" "));
            let timed = |key: &str| grid[key]["ios"].as_u64().unwrap_or(0);
            all.push(format!(
                "{} and {}",
                timed("straddling_latency_us"),
                timed("clean_latency_us")
            ));
        }
    }
    all.sort();
    all
}

fn summarized(path: &Path) -> Value {
    let text = tool(
        PROGRAM,
        &[
            "trace",
            "summarize",
            path.to_str().unwrap(),
            "--json",
            "--grid",
            "8k",
            "--grid",
            "192k@64k",
        ],
    );
    serde_json::from_str(&text).unwrap()
}

/// The profile of a known job, which is fio's to the I/O and the byte.
fn exact(disk: &Memory, arguments: &[&str]) -> Value {
    let grids = [disk.name(), "--json", "--unit", "8k", "--grid", "192k@64k"];
    for round in 0.. {
        let watch = Watching::start(&[&grids, arguments].concat());
        let truth = fio(disk, 20_000, &["--io_size=10g"]);
        let profile = watch.profile();
        let unseen = &profile["unpaired"]["without_completion"];
        let whole = *unseen == 0 && profile["dropped"] == 0;
        if (whole && by_op(&profile) == truth) || round == ROUNDS {
            assert_eq!(*unseen, 0, "{arguments:?}");
            assert_eq!(by_op(&profile), truth, "{arguments:?}");
            assert_eq!(profile["dropped"], 0, "{arguments:?}");
            return profile;
        }
        eprintln!("round {round} {arguments:?}: {}", profile["unpaired"]);
    }
    unreachable!()
}

#[test]
fn every_counter_is_fios_and_every_way_of_looking_gives_the_same() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("counts", 256);
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let columns = folder.path().join("record.parquet");
    // The job is the same each time: fio's random numbers are.
    let counted = exact(&disk, &[]);
    let recorded = exact(
        &disk,
        &[
            "--top",
            "9",
            "--force",
            "--record",
            record.to_str().unwrap(),
        ],
    );
    assert_eq!(counters(&counted), counters(&recorded), "with a record");
    let read = summarized(&record);
    assert_eq!(counters(&counted), counters(&read), "watch and trace");
    exact(&disk, &["--force", "--record", columns.to_str().unwrap()]);
    assert!(!columns.with_extension("parquet.events").exists());
    let read = summarized(&columns);
    assert_eq!(counters(&counted), counters(&read), "watch and Parquet");
    let plain = exact(&disk, &["--by", "tracepoint"]);
    assert_eq!(counters(&counted), counters(&plain), "plain tracepoints");
    let text = exact(&disk, &["--by", "tracefs"]);
    assert_eq!(counters(&counted), counters(&text), "the text of tracefs");
    let processes = recorded["devices"][0]["processes"].as_array().unwrap();
    assert!(processes.iter().all(|process| process["name"] == "fio"));
}

#[test]
fn discards_and_flushes_are_counted_apart() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("flushes", 64);
    let record = disk.file.with_extension("record");
    let arguments = [disk.name(), "--json", "--record", record.to_str().unwrap()];
    let watch = Watching::start(&arguments);
    let device = format!("--filename={}", disk.device.text());
    let job = |arguments: &[&str]| {
        let common = [
            "--name=j",
            "--direct=1",
            "--ioengine=psync",
            "--size=48m",
            &device,
        ];
        tool("fio", &[&common, arguments].concat());
    };
    job(&["--rw=randtrim", "--bs=64k", "--number_ios=100"]);
    job(&[
        "--rw=randwrite",
        "--bs=4k",
        "--number_ios=200",
        "--fsync=10",
    ]);
    let profile = watch.profile();
    let trace = summarized(&record);
    let _ = std::fs::remove_file(&record);
    for (op, ios) in [("discard", 100), ("write", 200)] {
        let counted = &profile["devices"][0]["by_op"][op];
        assert_eq!(counted["ios"], ios, "{profile}");
        assert_eq!(counted["latency_us"]["ios"], ios, "{op}");
        assert_eq!(trace["devices"][0]["by_op"][op]["ios"], ios);
        assert_eq!(trace["devices"][0]["by_op"][op]["latency_us"]["ios"], ios);
    }
    let flushes = &profile["devices"][0]["by_op"]["flush"]["ios"];
    assert!(flushes.as_u64().unwrap() >= 19, "{flushes}");
    assert_eq!(&trace["devices"][0]["by_op"]["flush"]["ios"], flushes);
    for count in ["without_issue", "without_completion"] {
        assert_eq!(profile["unpaired"][count], 0);
        assert_eq!(trace["unpaired"][count], 0);
    }
}

#[test]
fn sequential_and_random_io_are_told_apart_as_a_trace_does() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("order", 64);
    let record = disk.file.with_extension("record");
    let device = format!("--filename={}", disk.device.text());
    let share = |job: &[&str]| {
        let arguments = [disk.name(), "--json", "--force", "--record"];
        let watch = Watching::start(&[&arguments[..], &[record.to_str().unwrap()]].concat());
        let common = [
            "--name=j",
            "--direct=1",
            "--ioengine=psync",
            "--bs=4k",
            "--size=32m",
            "--number_ios=4000",
            // A stream that moves to another processor is new there.
            "--cpus_allowed=0",
            &device,
        ];
        tool("fio", &[&common, job].concat());
        let of = |profile: &Value| {
            let op = &profile["devices"][0]["by_op"]["write"];
            op["sequential_ratio"].as_f64().unwrap()
        };
        (of(&watch.profile()), of(&summarized(&record)))
    };
    let near = |(watched, traced): (f64, f64), expected: f64| {
        assert!(
            (watched - expected).abs() < 0.02,
            "watch {watched}, {expected}"
        );
        assert!(
            (watched - traced).abs() < 0.02,
            "watch {watched}, trace {traced}"
        );
    };
    near(share(&["--rw=write"]), 1.0);
    near(share(&["--rw=randwrite"]), 0.0);
    // Two streams in turns, and the first sector of the disk, where no I/O ended.
    near(
        share(&["--rw=write", "--numjobs=2", "--offset_increment=32m"]),
        1.0,
    );
    let _ = std::fs::remove_file(&record);
}
