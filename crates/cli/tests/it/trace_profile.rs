//! `ioalign trace`: summaries of known I/O, as text and by the schema, and Little's law.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ioalign_testkit::run::wait_until;
use serde_json::{Value, json};

use super::PROGRAM;
use super::schema::valid;

/// blktrace events.
const QUEUE: u32 = 1 | 1 << 20;
const ISSUE: u32 = 7 | 1 << 22;
const COMPLETE: u32 = 8 | 1 << 23;
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;

/// A blktrace of version 7.
#[derive(Default)]
struct Trace(Vec<u8>);

impl Trace {
    fn event(&mut self, action: u32, device: (u32, u32), time: u64, sector: u64, bytes: u32) {
        let mut word = |value: u32| self.0.extend(value.to_le_bytes());
        word(0x6561_7407);
        word(0);
        self.0.extend(time.to_le_bytes());
        self.0.extend(sector.to_le_bytes());
        let mut word = |value: u32| self.0.extend(value.to_le_bytes());
        word(bytes);
        word(action);
        word(4711);
        word(device.0 << 20 | device.1);
        word(0);
        word(0);
    }

    /// Issue and completion.
    fn io(&mut self, op: u32, time: u64, sector: u64, bytes: u32, latency: u64) {
        self.event(ISSUE | op, (8, 16), time, sector, bytes);
        self.event(COMPLETE | op, (8, 16), time + latency, sector, bytes);
    }

    fn save(&self, folder: &Path) -> String {
        let path = folder.join("sdb.blktrace.0");
        std::fs::write(&path, &self.0).unwrap();
        path.display().to_string()
    }
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("trace").args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn summary(file: &str, arguments: &[&str]) -> Value {
    let mut all = vec!["summarize", file, "--json"];
    all.extend(arguments);
    let value: Value = serde_json::from_str(&text(&run(&all))).unwrap();
    valid(&value, "profile.json");
    value
}

/// A partition at sector 63: 4 KiB writes one after another, each after a read of its cells.
fn sector_63() -> Trace {
    let mut trace = Trace::default();
    for i in 0..400 {
        let (time, sector) = (i * 2_000_000, 63 + i * 4096);
        trace.io(READ, time, sector / 8 * 8, 4096, 100_000);
        trace.io(WRITE, time + 500_000, sector, 4096, 300_000);
    }
    trace
}

#[test]
fn a_shift_is_named_and_read_modify_write_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let file = sector_63().save(folder.path());
    let profile = summary(&file, &["--interval", "100ms"]);
    let device = &profile["devices"][0];
    assert_eq!(device["device"], "8:16");
    let write = &device["by_op"]["write"];
    assert_eq!(write["alignment"]["state"], "misaligned");
    assert_eq!(write["alignment"]["offset_bytes"], 3584);
    assert_eq!(device["by_op"]["read"]["alignment"]["state"], "aligned");
    let grids = device["grids"].as_array().unwrap();
    let grid = grids.iter().find(|grid| grid["op"] == "write").unwrap();
    assert_eq!(
        (&grid["straddling"], &grid["pieces"]),
        (&json!(400), &json!(400))
    );
    assert_eq!(grid["read_before_write"]["seen"], true);
    let rows = device["intervals"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[0]["read"]["ios"], 50);
    assert_eq!(rows[0]["read"]["merged_ratio"], Value::Null);
    assert_eq!(device["queue_depth"]["max"], 1);

    let shown = text(&run(&["summarize", &file, "--interval", "100ms"]));
    for wanted in [
        "7 mod 8 sectors",
        "sector 63",
        "Read-modify-write",
        "avkb",
        "800 I/Os on 1 device",
    ] {
        // Wherever the line is broken.
        let said = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(wanted), "{wanted}: {shown}");
    }
    assert!(
        shown.lines().all(|line| line.chars().count() <= 100),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}'), "no colour in a pipe");
    let ascii = text(&run(&["summarize", &file, "--ascii", "-v"]));
    assert!(ascii.is_ascii(), "{ascii}");
    let quiet = text(&run(&["summarize", &file, "--quiet"]));
    assert_eq!(quiet, "misaligned by 3584 B: 8:16: 50 % of 800 I/Os\n");
}

#[test]
fn a_shift_by_hand_puts_it_right() {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = Trace::default();
    (0..200).for_each(|i| trace.io(WRITE, i * 1_000_000, 63 + i * 8, 4096, 1000));
    let file = trace.save(folder.path());
    for shift in ["512", "8:16=512", "-63s"] {
        let profile = summary(&file, &["--shift", shift]);
        assert_eq!(profile["alignment"]["state"], "aligned", "{shift}");
    }
    assert_eq!(
        summary(&file, &["--shift", "sda=512"])["alignment"]["offset_bytes"],
        3584
    );
    let few = summary(&Trace::default().also(3).save(folder.path()), &[]);
    assert_eq!(few["alignment"]["state"], "indeterminate");
}

impl Trace {
    fn also(mut self, ios: u64) -> Self {
        (0..ios).for_each(|i| self.io(READ, i * 1000, i * 8, 4096, 100));
        self
    }
}

#[test]
fn bursts_show_what_a_chart_hides() {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = Trace::default();
    // Twice 350 MiB, 32 at a time at 80 ms, 20 s apart.
    for burst in 0..2 {
        let mut events = Vec::new();
        for i in 0..350_u64 {
            let (time, sector) = (
                burst * 20_000_000_000 + i * 2_500_000,
                (burst * 350 + i) * 2048,
            );
            events.push((time, ISSUE, sector));
            events.push((time + 80_000_000, COMPLETE, sector));
        }
        events.sort_unstable();
        for (time, action, sector) in events {
            trace.event(action | WRITE, (8, 16), time, sector, 1 << 20);
        }
    }
    let profile = summary(
        &trace.save(folder.path()),
        &["--sampler", "20s", "--burst-gap", "1s"],
    );
    let device = &profile["devices"][0];
    assert_eq!(device["bursts_total"]["count"], 2);
    let mib = |value: &Value| value.as_f64().unwrap() / 1_048_576.0;
    assert!((mib(&device["samplers"][0]["highest_bytes_per_s"]) - 17.5).abs() < 0.01);
    for burst in device["bursts"].as_array().unwrap() {
        assert!((mib(&burst["throughput_bytes_per_s"]) - 367.3).abs() < 0.5);
        assert!((mib(&burst["sampled"][0]["throughput_bytes_per_s"]) - 17.5).abs() < 0.01);
        assert_eq!(burst["littles_law"]["consistent"], true);
    }
    assert_eq!(device["queue_depth"]["max"], 32);
}

/// A document of `check --json`: two disks, 8:0 with a grid of 4 KiB, striped to md0 in chunks of 6 KiB.
fn striped(folder: &Path) -> String {
    let disk = |name: &str, number: &str| {
        json!({ "id": format!("disk:{name}"), "kind": "disk", "name": name, "below": [],
                "size_bytes": null, "facts": { "device-number": number } })
    };
    let member = |name: &str, column: u64| {
        json!({ "id": format!("disk:{name}"), "map": "striped", "start_bytes": 1 << 20,
                "chunk_bytes": 6144, "data_chunks": 2, "column": column })
    };
    let document = json!({ "schema": "ioalign.check/1", "targets": [{
        "layers": [disk("sda", "8:0"), disk("sdb", "8:16"),
            { "id": "md:md0", "kind": "md", "name": "md0", "size_bytes": 100 * 12288,
              "below": [member("sda", 0), member("sdb", 1)], "facts": { "device-number": "9:0" } }],
        "grids": [{ "layer": "disk:sda", "size_bytes": 4096, "phase_bytes": 0, "tier": "rmw",
                    "kind": "physical-block", "source": "test", "trusted": true, "why": null },
                  { "layer": "md:md0", "size_bytes": 6144, "phase_bytes": 0, "tier": "preference",
                    "kind": "raid-chunk", "source": "test", "trusted": true, "why": null }]
    }]});
    let path = folder.join("check.json");
    std::fs::write(&path, document.to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn io_is_followed_to_the_layers_below() {
    let folder = tempfile::tempdir().unwrap();
    let stack = striped(folder.path());
    let mut trace = Trace::default();
    // 12 KiB at every 12 KiB: one whole chunk on each disk.
    for i in 0..100 {
        trace.event(QUEUE | WRITE, (9, 0), i * 1000, i * 24, 12288);
        trace.event(COMPLETE | WRITE, (9, 0), i * 1000 + 500, i * 24, 12288);
    }
    let file = trace.save(folder.path());
    let profile = summary(&file, &["--stack", &stack]);
    let device = &profile["devices"][0];
    assert_eq!(device["layer"], "md:md0");
    let grids = device["grids"].as_array().unwrap();
    let of = |layer: &str| grids.iter().find(|grid| grid["layer"] == layer).unwrap();
    // On md0 nothing is off; each is two chunks, as it must be.
    assert_eq!(
        (
            &of("md:md0")["start_off_grid"],
            &of("md:md0")["cells_touched"]
        ),
        (&json!(0), &json!(200))
    );
    // On sda every other chunk starts in the middle of a block: 6 KiB touch two either way.
    let sda = of("disk:sda");
    assert_eq!(
        (&sda["pieces"], &sda["start_off_grid"]),
        (&json!(100), &json!(50))
    );
    assert_eq!(
        (&sda["cells_touched"], &sda["cells_minimum"]),
        (&json!(200), &json!(200))
    );
    let shown = text(&run(&["summarize", &file, "--stack", &stack]));
    assert!(shown.contains("physical block of sda"), "{shown}");

    std::fs::write(&stack, "{}").unwrap();
    let bad = run(&["summarize", &file, "--stack", &stack]);
    assert_eq!(bad.status.code(), Some(65));
    assert!(
        String::from_utf8(bad.stderr)
            .unwrap()
            .contains("check.json")
    );
}

/// The trace of another device, or a shift that is wrong.
#[test]
fn io_outside_of_the_device_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let stack = striped(folder.path());
    let mut trace = Trace::default();
    for i in 0..103 {
        trace.event(QUEUE | WRITE, (9, 0), i * 1000, i * 24, 12288);
    }
    let file = trace.save(folder.path());
    let outside = |more: &[&str]| {
        let arguments = [&["--stack", &stack], more].concat();
        summary(&file, &arguments)["devices"][0]["outside_ios"].clone()
    };
    assert_eq!(outside(&[]), 3);
    assert_eq!(outside(&["--shift", "-24k"]), 3);
    let shown = text(&run(&["summarize", &file, "--stack", &stack]));
    assert!(
        shown.contains("3 I/Os lie past the end of the device"),
        "{shown}"
    );
}

#[test]
fn what_check_writes_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("sdb");
    std::fs::write(&image, vec![0; 1 << 20]).unwrap();
    let checked = ioalign_testkit::check(PROGRAM, [image.as_os_str()]);
    let path = folder.path().join("check.json");
    std::fs::write(&path, checked.json.to_string()).unwrap();
    let file = Trace::default().also(200).save(folder.path());
    let profile = summary(&file, &["--stack", &path.display().to_string()]);
    // The trace knows the device by number only, and an image has none.
    assert_eq!(profile["devices"][0]["layer"], Value::Null);
}

#[test]
fn interrupted_shows_what_was_read() {
    let mut child = Command::new(PROGRAM)
        .args(["trace", "summarize", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let trace = Trace::default().also(30_000);
    input.write_all(&trace.0).unwrap();
    wait_until("the trace is read", || {
        rustix::io::ioctl_fionread(&input).unwrap() == 0
    });
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    // More could come: it does not wait for that.
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("Interrupted") && shown.contains("I/Os on 1 device"),
        "{shown}"
    );
}

#[test]
fn wrong_use_of_trace_is_64_and_a_bad_trace_65() {
    let wrong: [&[&str]; 6] = [
        &["summarize"],
        &["summarize", "x", "--shift", "lots"],
        &["summarize", "x", "--interval", "0"],
        &["summarize", "x", "--profile-grid", "floppy"],
        &["littles-law", "--size", "1M"],
        &["littles-law", "--latency", "soon"],
    ];
    for arguments in wrong {
        assert_eq!(run(arguments).status.code(), Some(64), "{arguments:?}");
    }
    assert_eq!(run(&["summarize", "/nonexistent"]).status.code(), Some(65));
}

#[test]
fn littles_law_finds_the_burst_behind_a_chart() {
    let plain = [
        "littles-law",
        "--outstanding",
        "32",
        "--size",
        "1M",
        "--latency",
        "80ms",
    ];
    let shown = text(&run(&plain));
    assert!(
        shown.contains("400/s") && shown.contains("400 MiB/s"),
        "{shown}"
    );
    let chart = [&plain[..], &["--throughput", "17.5M", "--sampler", "20s"]].concat();
    let output = run(&chart);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("875 ms") && shown.contains("4.38 %"),
        "{shown}"
    );
    let output = run(&[&chart[..], &["--json"]].concat());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    valid(&answer, "littles-law-1.schema.json");
    assert_eq!(answer["consistent"], false);
    assert!((answer["understated_ratio"].as_f64().unwrap() - 22.857).abs() < 0.001);

    let solaris = ["littles-law", "--outstanding", "62.8", "--iops", "20233"];
    assert!(text(&run(&solaris)).contains("3.1 ms"));
    let printed = [&solaris[..], &["--latency", "3.3ms"]].concat();
    assert_eq!(run(&printed).status.code(), Some(0));
}
