//! `ioalign advise` on documents of the other verbs: decisions, exit codes, JSON by the schema.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::PROGRAM;
use super::schema::valid;

/// Documents in a folder.
struct Desk(tempfile::TempDir);

impl Desk {
    /// With the check of a disk whose only partition starts at this sector.
    fn new(start: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("disk.img");
        let script = format!("label: dos\nstart={start}, size=40960, type=83\n");
        partition(&image, &script);
        let desk = Self(folder);
        let check = Command::new(PROGRAM)
            .args(["check", "--json", "--no-policy"])
            .arg(image)
            .output()
            .unwrap();
        std::fs::write(desk.path("check.json"), check.stdout).unwrap();
        desk
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn save(&self, name: &str, document: &Value) -> String {
        let path = self.path(name);
        std::fs::write(&path, document.to_string()).unwrap();
        path
    }

    fn run(&self, more: &[&str]) -> Output {
        let mut command = Command::new(PROGRAM);
        let stack = self.path("check.json");
        command
            .args(["advise", "--stack", &stack])
            .args(more)
            .output()
            .unwrap()
    }

    /// The document and the exit code, of documents that are taken for those of the image.
    fn advice(&self, more: &[&str]) -> (Value, i32) {
        let mut all = vec!["--json", "--assume-same"];
        all.extend(more);
        let output = self.run(&all);
        let document = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        valid(&document, "advice-1.schema.json");
        (document, output.status.code().unwrap())
    }
}

/// `sfdisk` as it is asked, on a new image.
fn partition(image: &Path, script: &str) {
    std::fs::File::create(image)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let stated = "sfdisk --quiet \"$1\" <<EOF\n$2\nEOF";
    let image = image.to_str().unwrap();
    let mut command = ioalign_testkit::run::command("sh");
    let status = command
        .args(["-c", stated, "sh", image, script])
        .status()
        .unwrap();
    assert!(status.success(), "sfdisk is needed for this test");
}

/// Writes of 4 KiB that take twice as long off the grid.
fn cost() -> Value {
    let estimate = json!({ "metric": "latency_median", "arm": "+32256", "baseline": "aligned", "ratio": 2.0,
        "ratio_low": 1.9, "ratio_high": 2.1, "confidence": 0.95, "method": "m", "rounds": 50, "verdict": "slower" });
    json!({ "schema": "ioalign.comparison/1", "tool": "t", "target": "/dev/sdb",
        "machine": { "host": "h", "platform": "", "kernel": "", "system": "", "cpu_model": "", "cpus": 1,
            "memory_bytes": null, "time": "", "load_average": null, "controllers": [], "disks": [] },
        "arms": [{ "name": "aligned", "offset_bytes": 0 }, { "name": "+32256", "offset_bytes": 32256 }],
        "cells": [{ "block_bytes": 4096, "op": "write", "pattern": "random", "queue_depth": 1, "workers": 1,
            "estimates": [estimate],
            "placebo": { "ratio": 1.0, "ratio_low": 0.99, "ratio_high": 1.01, "moved": false } }],
        "summary": { "throughput_gain_ratio": null, "latency_drop_ratio": null }, "duration_s": 3.0 })
}

/// A trace of random writes of 4 KiB, as the program itself summarizes it.
fn profile(desk: &Desk) -> String {
    let (trace, out) = (desk.path("writes.csv"), desk.path("profile.json"));
    let mut text = String::from("time,op,offset,bytes,latency\n");
    for i in 0..400_u32 {
        let place = i * 7_919 % 9_973 * 4096;
        text.push_str(&format!(
            "{},W,{place},4096,0.0009\n",
            f64::from(i) / 1000.0
        ));
    }
    std::fs::write(&trace, text).unwrap();
    let columns = "time=time,op=op,offset=offset,len=bytes,latency=latency";
    let hints = [
        "--columns",
        columns,
        "--time-unit",
        "s",
        "--offset-unit",
        "1",
    ];
    let output = Command::new(PROGRAM)
        .args(["trace", "summarize", "--json", &trace])
        .args(hints)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    std::fs::write(&out, output.stdout).unwrap();
    out
}

#[test]
fn measured_and_weighed_it_is_fixed_now() {
    needs!(Packages);
    let desk = Desk::new(63);
    let (profile, cost) = (profile(&desk), desk.save("cost.json", &cost()));
    let (advice, code) = desk.advice(&["--profile", &profile, "--cost", &cost]);
    assert_eq!((&advice["decision"], code), (&json!("fix-now"), 1));
    let item = &advice["items"][0];
    assert_eq!(
        (&item["rule"], &item["offset_bytes"]),
        (&json!("start-misaligned"), &json!(3584))
    );
    let loss = &item["loss"];
    assert_eq!(loss["basis"], "measured-and-weighed");
    for (key, wanted) in [
        ("low_ratio", 0.9),
        ("likely_ratio", 1.0),
        ("high_ratio", 1.1),
    ] {
        assert!(
            (loss[key].as_f64().unwrap() - wanted).abs() < 1e-9,
            "{key}: {loss}"
        );
    }
    assert_eq!(
        (&loss["crossing_ratio"], &loss["covered_ratio"]),
        (&json!(1.0), &json!(1.0))
    );
    let documents = ["--profile", &profile, "--cost", &cost, "--assume-same"];
    let text = String::from_utf8(desk.run(&documents).stdout).unwrap();
    assert!(text.starts_with("Fix now: 1"), "{text}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "takes 100 % longer (90 to 110 %) because of it";
    assert!(flat.contains(said), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
}

#[test]
fn a_cell_whose_placebo_moved_is_no_reason() {
    needs!(Packages);
    let desk = Desk::new(63);
    let mut moved = cost();
    moved["cells"][0]["placebo"]["moved"] = json!(true);
    let (profile, cost) = (profile(&desk), desk.save("cost.json", &moved));
    let (advice, code) = desk.advice(&["--profile", &profile, "--cost", &cost]);
    assert_eq!((&advice["decision"], code), (&json!("next-outage"), 1));
    assert_eq!(advice["items"][0]["loss"]["basis"], "weighed");
    assert_eq!(advice["cost"]["cells_left_out"], 1);
}

#[test]
fn without_profile_and_cost_it_says_how_to_know() {
    needs!(Packages);
    let desk = Desk::new(63);
    let (advice, code) = desk.advice(&[]);
    assert_eq!((&advice["decision"], code), (&json!("next-outage"), 1));
    let assumed = advice["assumed"].as_array().unwrap().iter();
    let settle: Vec<_> = assumed.filter_map(|one| one["settle"].as_str()).collect();
    assert_eq!(settle.len(), 2, "{settle:?}");
    // The commands exist, with these flags.
    for command in settle {
        let words = command
            .split(" >")
            .next()
            .unwrap()
            .split_whitespace()
            .skip(1);
        let output = Command::new(PROGRAM)
            .args(words)
            .arg("--help")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
    }
}

#[test]
fn what_is_right_is_left() {
    needs!(Packages);
    let desk = Desk::new(2048);
    let (advice, code) = desk.advice(&[]);
    assert_eq!((&advice["decision"], code), (&json!("leave"), 0));
    assert_eq!(advice["items"], json!([]));
    let text = String::from_utf8(desk.run(&[]).stdout).unwrap();
    assert_eq!(text, "Leave it: nothing is off its grid.\n");
}

/// A model in place of a measurement, and the advice says so.
#[test]
fn an_array_stands_in_for_a_measurement() {
    needs!(Packages);
    let desk = Desk::new(63);
    let (advice, _) = desk.advice(&["--array", "raid10:4x64k"]);
    assert_eq!(advice["cost"]["simulated"], json!(true));
    let assumed = advice["assumed"].to_string();
    assert!(assumed.contains("no device was measured"), "{assumed}");
    let text = String::from_utf8(desk.run(&["--array", "raid10:4x64k"]).stdout).unwrap();
    assert!(!text.contains("it, as measured"), "{text}");
}

#[test]
fn a_cost_that_is_nothing_is_left() {
    needs!(Packages);
    let desk = Desk::new(63);
    let mut same = cost();
    let estimate = &mut same["cells"][0]["estimates"][0];
    estimate["verdict"] = json!("no-difference");
    for (key, value) in [
        ("ratio", 1.001),
        ("ratio_low", 0.998),
        ("ratio_high", 1.004),
    ] {
        estimate[key] = json!(value);
    }
    let (profile, cost) = (profile(&desk), desk.save("cost.json", &same));
    let (advice, code) = desk.advice(&["--profile", &profile, "--cost", &cost]);
    assert_eq!((&advice["decision"], code), (&json!("leave"), 0));
    assert_eq!(advice["items"][0]["reasons"][0]["kind"], "costs-little");
}

#[test]
fn documents_of_another_kind_are_refused() {
    needs!(Packages);
    let desk = Desk::new(63);
    let other = desk.save(
        "other.json",
        &json!({ "schema": "ioalign.geometry/1", "targets": [] }),
    );
    let broken = desk.path("broken.json");
    std::fs::write(&broken, "{").unwrap();
    let none = desk.path("none.json");
    for path in [&other, &broken, &none] {
        for flag in ["--profile", "--cost"] {
            let output = desk.run(&[flag, path]);
            assert_eq!(output.status.code(), Some(65), "{flag} {path}: {output:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains(path.as_str()), "{said}");
        }
        let mut command = Command::new(PROGRAM);
        let output = command.args(["advise", "--stack", path]).output().unwrap();
        assert_eq!(output.status.code(), Some(65), "{output:?}");
    }
    let output = desk.run(&["--cost", &other]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("its schema is `ioalign.geometry/1`"),
        "{said}"
    );
    let output = Command::new(PROGRAM).arg("advise").output().unwrap();
    assert_eq!(output.status.code(), Some(64));
}

/// Names by which a profile, a measurement and a stack know the same disk, and others.
#[test]
fn documents_of_another_device_are_refused() {
    needs!(Packages);
    let desk = Desk::new(63);
    let profile = profile(&desk);
    let mut own = cost();
    own["target"] = json!(desk.path("disk.img"));
    let (own, other) = (
        desk.save("own.json", &own),
        desk.save("other.json", &cost()),
    );
    let output = desk.run(&["--cost", &own]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for (arguments, named) in [
        (["--cost", &other], "/dev/sdb"),
        (["--profile", &profile], "of table"),
    ] {
        let output = desk.run(&arguments);
        assert_eq!(output.status.code(), Some(65), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        for part in [named, "disk.img", "--assume-same", arguments[1]] {
            assert!(said.contains(part), "{part}: {said}");
        }
        // With it the advice says so, in text and in JSON.
        let (advice, _) = desk.advice(&arguments);
        let assumed = advice["assumed"].as_array().unwrap();
        let said = |one: &Value| one["what"].as_str().unwrap().contains("--assume-same");
        assert!(assumed.iter().any(said), "{advice}");
        let text = desk.run(&[arguments[0], arguments[1], "--assume-same"]);
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(text.contains("--assume-same"), "{text}");
    }
}

/// A partition without a number of its own in the document is called what people call it.
#[test]
fn layers_have_the_names_that_people_use() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    partition(
        &image,
        "label: dos\nstart=63, size=40960, type=83\nstart=41087, size=40960, type=83\n",
    );
    for start in [63_u64, 41087] {
        let offset = format!("offset={}", start * 512);
        let mut mkfs = ioalign_testkit::run::command("mkfs.ext4");
        let mkfs = mkfs
            .args(["-q", "-F", "-E", &offset])
            .arg(&image)
            .arg("20480k");
        assert!(mkfs.status().unwrap().success());
    }
    let check = Command::new(PROGRAM)
        .args(["check", "--json", "--no-policy"])
        .arg(&image)
        .output()
        .unwrap();
    let desk = Desk(folder);
    std::fs::write(desk.path("check.json"), check.stdout).unwrap();
    let (advice, _) = desk.advice(&[]);
    let items = advice["items"].as_array().unwrap();
    let names: Vec<_> = items
        .iter()
        .map(|item| item["layer_name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"file system ext4 on p1") && names.contains(&"file system ext4 on p2"),
        "{names:?}"
    );
    let text = String::from_utf8(desk.run(&[]).stdout).unwrap();
    assert!(
        !text.contains("ext4#2") && !text.contains("filesystem:"),
        "{text}"
    );
    assert!(text.contains("file system ext4 on p2"), "{text}");
}
