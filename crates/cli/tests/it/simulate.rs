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
    for (typed, why) in [
        ("run read:4k", "say the array and the workload"),
        ("run --raid 5 read:4k", "how many disks"),
        ("run --raid 5 --disks 2 read:4k", "needs 3 disks"),
        ("run --raid 5 --disks 3,4 read:4k", "simulate compare"),
        ("run raid0:4x64k read:4k --fs-block 1000", "whole sectors"),
        ("run raid0:4x64k read:4k --thin 512", "4 KiB or more"),
        ("run raid0:4x64k read:4k --thin 9T", "nothing is left"),
        ("run raid0:4x64k read:4k --cache back:1", "64 KiB"),
        ("compare raid0:4x64k read:4k -o page.odt", "ending"),
        (
            "compare raid0:4x64k read:4k --disks 4,6 -o page.html",
            "one array",
        ),
        ("placement --nodes 7", "even"),
        ("provision --disk single", "no slice"),
    ] {
        let words: Vec<_> = typed.split(' ').collect();
        let output = simulate(&words);
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{typed}: {says}");
        assert!(says.contains(why), "{typed}: {says}");
        assert!(
            says.trim().lines().count() == 1 || typed.contains("cache"),
            "{says}"
        );
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

/// All combinations, and which parameters matter.
#[test]
fn arrays_are_swept() {
    let found = document(&[
        "compare",
        "--raid",
        "5,10",
        "--disks",
        "4,6",
        "--controller",
        "randwrite:16k:qd8",
        "--element",
        "64k",
        "--starts",
        "2048s",
        "--ios",
        "2000",
    ]);
    let arms = found["arms"].as_array().unwrap();
    let labels: Vec<_> = arms
        .iter()
        .map(|arm| arm["array"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        [
            "RAID 5, 4 disks",
            "RAID 5, 6 disks",
            "RAID 10, 4 disks",
            "RAID 10, 6 disks"
        ]
    );
    let ios: Vec<_> = arms
        .iter()
        .map(|arm| arm["disk_ios_per_io"].as_f64().unwrap())
        .collect();
    assert_eq!(ios, [4.0, 4.0, 2.0, 2.0]);
    let matters = |name: &str| {
        let effects = found["effects"].as_array().unwrap();
        effects.iter().find(|one| one["parameter"] == name).unwrap()["matters"].clone()
    };
    assert_eq!(
        (matters("service"), matters("disk_size")),
        (true.into(), false.into())
    );
    let caches = document(&[
        "compare",
        "raid10:4x64k",
        "write:16k:qd4",
        "--cache",
        "none,back:1M",
        "--starts",
        "2048s",
        "--ios",
        "2000",
    ]);
    let ratio = caches["arms"][1]["iops_ratio"].as_f64().unwrap();
    assert!(ratio > 1.5, "{ratio}");
}

/// The figures of `measure matrix`, from a model.
#[test]
fn a_page_has_the_gains_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let output = simulate(&[
        "compare",
        "vmfs-raid5",
        "iometer-vmfs",
        "--starts",
        "63s,128s",
        "--cache",
        "through",
        "--ios",
        "300",
        "--runs",
        "3",
        "-o",
        page.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.matches("<svg").count() >= 4, "{}", html.len());
    assert!(html.contains("simulated, not measured"));
    let json = folder.path().join("page.json");
    let again = [
        "compare",
        "raid10:4x64k",
        "randread:16k:qd16",
        "--starts",
        "63s,2048s",
        "-o",
        json.to_str().unwrap(),
    ];
    assert_eq!(simulate(&again).status.code(), Some(0));
    let comparison: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    valid(&comparison, "comparison-1.schema.json");
    assert_eq!(
        comparison["arms"][0]["start_bytes"], 1_048_576,
        "the aligned one is first"
    );
    let gain = &comparison["summary"]["throughput_gain_ratio"]["mean"];
    assert!((0.15..0.26).contains(&gain.as_f64().unwrap()), "{gain}");
}

#[test]
fn a_trace_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.csv");
    let mut text = String::from("time_ns,op,offset,len\n");
    for number in 0..50_u64 {
        text.push_str(&format!(
            "{},R,{},16384\n",
            number * 20_000_000,
            number * 65536 + 56 * 1024
        ));
    }
    std::fs::write(&trace, text).unwrap();
    let name = trace.to_str().unwrap();
    let columns = [
        "--as",
        "csv",
        "--columns",
        "time=0,op=1,offset=2,len=3",
        "--time-unit",
        "ns",
    ];
    let units = ["--offset-unit", "1"];
    let run = |start: &str, more: &[&str]| {
        let first = ["run", "raid0:4x64k", "--replay", name, "--start", start];
        document(&[&first[..], &columns, &units, more].concat())
    };
    let open = run("0", &["--open"]);
    assert_eq!(open["arms"][0]["ios"], 50);
    // Each of them crosses the end of an element; 4 KiB further none does.
    assert_eq!(open["arms"][0]["disk_ios_per_io"], 2.0);
    assert_eq!(
        run("16s", &["--depth", "4"])["arms"][0]["disk_ios_per_io"],
        1.0
    );
    let small = ["run", "single", "--replay", name, "--size", "1M"];
    let far = simulate(&[&small[..], &columns, &units].concat());
    let says = String::from_utf8_lossy(&far.stderr).into_owned();
    assert_eq!(far.status.code(), Some(64), "{says}");
    assert!(
        says.contains("of the trace") && says.contains("past"),
        "{says}"
    );
}

/// Hits and misses are shown; directions are right, and what has a mechanical model is near.
#[test]
fn published_figures_are_met_or_shown_as_missed() {
    let output = simulate(&["published", "--ios", "8000", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    valid(&found, "published-1.schema.json");
    let rows = found["rows"].as_array().unwrap();
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        let off = (number("published") - number("simulated")).abs();
        if number("tolerance") > 0.0 && row["hit"] == true {
            assert!(off <= number("tolerance"), "{row}");
        }
        assert!(!row["source"].as_str().unwrap().is_empty());
    }
    let error = found["mean_error_points"].as_f64().unwrap();
    assert!(error <= 6.0, "{error}");
}

#[test]
fn provisioning_and_placement_have_documents() {
    let output = simulate(&[
        "provision",
        "--tiles",
        "1",
        "--filled",
        "50",
        "--ios",
        "2000",
        "--json",
    ]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    valid(&found, "provisioning-1.schema.json");
    assert!(found["rows"][0]["in_pool"]["iops"].is_number(), "{found}");
    assert_eq!(found["rows"].as_array().unwrap().len(), 10);
    let output = simulate(&["placement", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    valid(&found, "placement-1.schema.json");
    assert_eq!(found["rows"].as_array().unwrap().len(), 5);
}

/// A file in memory is no array: the prediction is made before the measurement, and missed or hit in public.
#[test]
fn a_prediction_is_kept_with_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("target.dat");
    std::fs::write(&file, vec![1; 32 << 20]).unwrap();
    let record = folder.path().join("record.json");
    let output = simulate(&[
        "calibrate",
        file.to_str().unwrap(),
        "--array",
        "raid0:4x64k",
        "--offset",
        "63s",
        "--depth",
        "8",
        "--time",
        "1s",
        "-o",
        record.to_str().unwrap(),
    ]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let found: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    valid(&found, "calibration-1.schema.json");
    let row = &found["rows"][0];
    let predicted = row["predicted_ratio"].as_f64().unwrap();
    assert!((0.75..0.95).contains(&predicted), "{row}");
    assert!(row["aligned_iops"].as_f64().unwrap() > 0.0);
    // On a busy machine the time may not be enough for a rate.
    let Some(hit) = row["hit"].as_bool() else {
        assert_eq!(row["measured_ratio"], Value::Null, "{row}");
        return;
    };
    assert_eq!(
        hit,
        row["error_ratio"].as_f64().unwrap().abs() <= 0.1,
        "{row}"
    );
    assert_eq!(output.status.code(), Some(i32::from(!hit)));
}
