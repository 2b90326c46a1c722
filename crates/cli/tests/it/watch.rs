//! `ioalign watch` on a loop device: every counter is fio's, and the same by every way of looking.
//!
//! BPF and loop devices need root. Without it the same tests prove that the program says so.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;
use serde_json::Value;

use super::PROGRAM;

/// Others read block devices too (udev, other tests), and a kernel may run no BPF program on top of one process: of a
/// few completions none is seen, which the profile says. Then the round does not count.
const ROUNDS: usize = 12;

/// A loop device over memory, and its file; both go with this.
struct Memory {
    device: Loop,
    file: PathBuf,
}

impl Memory {
    fn new(name: &str, mib: u64) -> Self {
        let file = PathBuf::from(format!("/dev/shm/ioalign-{name}-{}", std::process::id()));
        std::fs::File::create(&file)
            .unwrap()
            .set_len(mib << 20)
            .unwrap();
        let device = Loop::new(&file, &[]);
        Self { device, file }
    }

    fn name(&self) -> &str {
        self.device.name()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // The device goes after it: a file that is in use may lose its name.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Whether BPF and loop devices can be used; if not, the program has to say what is missing.
fn permitted() -> bool {
    if rustix::process::geteuid().is_root() {
        // Where systemd mounts it always; containers lack it.
        let tracefs = "/sys/kernel/tracing";
        if !Path::new(tracefs).join("events").exists() {
            tool("mount", &["-t", "tracefs", "tracefs", tracefs]);
        }
        return true;
    }
    let output = Command::new(PROGRAM)
        .args(["watch", "--duration", "1s", "--json"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(65), "{said}");
    assert!(said.contains("CAP_BPF"), "{said}");
    eprintln!("not root: only the refusal was tested");
    false
}

/// A watch that has begun.
struct Watching {
    child: Child,
    messages: BufReader<std::process::ChildStderr>,
}

impl Watching {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .arg("watch")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let mut said = String::new();
        while !line.starts_with("ioalign: watching ") {
            line.clear();
            assert!(
                messages.read_line(&mut line).unwrap() > 0,
                "it ended: {said}"
            );
            said.push_str(&line);
        }
        Self { child, messages }
    }

    /// Ctrl-C, and what it printed.
    fn end(self) -> String {
        let Self { child, messages } = self;
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        let said: Vec<_> = messages.lines().map_while(Result::ok).collect();
        assert!(output.status.success(), "{said:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn profile(self) -> Value {
        serde_json::from_str(&self.end()).unwrap()
    }
}

/// Random reads and writes of mixed sizes at any sector; fio's own totals by operation.
fn fio(device: &Memory, ios: u64, more: &[&str]) -> BTreeMap<String, (u64, u64)> {
    let device = format!("--filename={}", device.device.text());
    let count = format!("--number_ios={ios}");
    let mut arguments = vec![
        "--name=known",
        "--rw=randrw",
        "--direct=1",
        "--bssplit=512/3:1536/3:4k/36:8k/28:12k/20:64k/8:192k/2",
        "--blockalign=512",
        "--ioengine=libaio",
        "--iodepth=8",
        "--norandommap",
        "--randrepeat=1",
        "--output-format=json",
        &device,
        &count,
    ];
    arguments.extend(more);
    let text = tool("fio", &arguments);
    let json = text.get(text.find('{').unwrap()..).unwrap();
    let json: Value = serde_json::from_str(json).unwrap();
    let job = &json["jobs"][0];
    let one = |op: &str| {
        (
            job[op]["total_ios"].as_u64().unwrap(),
            job[op]["io_bytes"].as_u64().unwrap(),
        )
    };
    ["read", "write"].map(|op| (op.to_owned(), one(op))).into()
}

fn by_op(profile: &Value) -> BTreeMap<String, (u64, u64)> {
    let ops = profile["devices"][0]["by_op"].as_object().unwrap();
    let one = |value: &Value| {
        (
            value["ios"].as_u64().unwrap(),
            value["bytes"].as_u64().unwrap(),
        )
    };
    ops.iter()
        .map(|(op, value)| (op.clone(), one(value)))
        .collect()
}

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
    let recorded = exact(&disk, &["--top", "9", "--record", record.to_str().unwrap()]);
    assert_eq!(counters(&counted), counters(&recorded), "with a record");
    let read = summarized(&record);
    assert_eq!(counters(&counted), counters(&read), "watch and trace");
    exact(&disk, &["--record", columns.to_str().unwrap()]);
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

/// A watch that begins and ends while I/O goes on misses what was in flight at both moments, and no more.
#[test]
fn beginning_and_end_cut_off_what_is_in_flight() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("cut", 64);
    let mut load = Command::new("fio");
    load.args(["--name=steady", "--rw=randread", "--direct=1", "--bs=4k"]);
    load.args(["--ioengine=libaio", "--iodepth=8", "--time_based"]);
    load.args(["--runtime=60", "--filename", disk.device.text()]);
    let load = load.stdout(Stdio::null()).stderr(Stdio::null());
    let mut load = load.spawn().expect("fio is needed for this test");
    let within = |profile: &Value| {
        let known = |key: &str| profile["unpaired"][key].as_u64().unwrap();
        let ios = by_op(profile)["read"].0;
        let of_each = [known("without_issue"), known("without_completion")];
        (ios > 1000 && of_each.iter().all(|cut| *cut <= 8), of_each)
    };
    let mut rounds = (0..ROUNDS).map(|_| {
        let watch = Watching::start(&[disk.name(), "--json"]);
        std::thread::sleep(std::time::Duration::from_millis(300));
        within(&watch.profile())
    });
    let found = rounds.by_ref().find(|(as_wanted, _)| *as_wanted);
    load.kill().unwrap();
    load.wait().unwrap();
    assert!(found.is_some(), "more than were in flight in every round");
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
fn processes_are_told_apart_and_the_summary_is_right_for_any_unit() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("summary", 64);
    let watch = Watching::start(&[disk.name(), "--line", "--unit", "8k", "--top", "3"]);
    // Sector 8: what the published align.d calls aligned to 8 KiB.
    let device = format!("--filename={}", disk.device.text());
    tool(
        "fio",
        &[
            "--name=shifted",
            "--rw=write",
            "--direct=1",
            "--bs=8k",
            "--offset=4k",
            "--io_size=4m",
            "--size=4m",
            &device,
        ],
    );
    let text = watch.end();
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with("write"))
        .unwrap();
    let row = text
        .lines()
        .find(|line| line.contains("4096 B, 8.0 blocks"))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(row.contains("512") && row.contains("100.0 %"), "{row}");
    assert!(line.starts_with("write") || !line.is_empty());
    assert!(text.contains("fio ("), "{text}");
    assert!(text.contains("4096 to 8191 B"), "{text}");
    assert!(text.trim_end().ends_with("dropped 0"), "{text}");
}

#[test]
fn bursts_columns_and_single_ios_are_shown() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("bursts", 64);
    let shifted = || {
        fio(&disk, 400, &["--io_size=10g", "--rw=randwrite"]);
    };
    let timed = ["--burst-gap", "300ms"];
    let watch = Watching::start(&[&[disk.name(), "--json"], &timed[..]].concat());
    shifted();
    std::thread::sleep(std::time::Duration::from_secs(1));
    shifted();
    let profile = watch.profile();
    let device = &profile["devices"][0];
    let bursts = device["bursts"].as_array().unwrap();
    let ios: u64 = bursts.iter().map(|b| b["ios"].as_u64().unwrap()).sum();
    let timed_ios: u64 = ["read", "write"]
        .iter()
        .filter_map(|op| device["by_op"][op]["latency_us"]["ios"].as_u64())
        .sum();
    assert_eq!(ios, timed_ios, "{bursts:?}");
    assert!(bursts.len() >= 2, "{bursts:?}");
    assert!(device["queue_depth"]["mean_while_busy"].as_f64() > Some(0.0));

    let lines = [
        "--columns",
        "diskstats",
        "--straddling",
        "10",
        "--unit",
        "4k",
    ];
    let watch = Watching::start(&[&[disk.name()], &lines[..], &timed[..]].concat());
    shifted();
    let text = watch.end();
    assert!(text.contains("wr_avkb"), "{text}");
    assert!(text.contains("300 ms without I/O end one"), "{text}");
    let shown: Vec<_> = text
        .lines()
        .filter(|line| line.contains(" crosses "))
        .collect();
    assert!(!shown.is_empty(), "{text}");
    for line in shown {
        assert!(line.contains("4 KiB") && line.contains("fio ("), "{line}");
    }
}

#[test]
fn a_device_that_is_not_there_is_65_and_wrong_times_are_64() {
    let code = |arguments: &[&str]| {
        let output = Command::new(PROGRAM)
            .arg("watch")
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (exit, said) = code(&["/dev/no-such-device", "--count", "1"]);
    assert_eq!(exit, Some(65), "{said}");
    assert!(said.contains("no block device"), "{said}");
    assert_eq!(code(&["--interval", "1parsec"]).0, Some(64));
    assert_eq!(code(&["--json", "--line"]).0, Some(64));
}

/// What a terminal of 80 columns gets from `ioalign watch ARGUMENT…`, and is left as.
fn on_a_terminal(command: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("typescript");
    let line = format!("stty cols 80 rows 30; {command}");
    let mut child = Command::new("script")
        .args(["-qec", &line])
        .arg(&out)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    String::from_utf8_lossy(&std::fs::read(&out).unwrap()).into_owned()
}

#[test]
fn the_full_screen_gives_the_terminal_back() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("screen", 64);
    let name = disk.name();
    let taken = "\u{1b}[?1049h";
    let given_back = "\u{1b}[?1049l";
    let ended = on_a_terminal(&format!(
        "{PROGRAM} watch {name} --count 2 --interval 200ms"
    ));
    let terminated = on_a_terminal(&format!(
        "{PROGRAM} watch {name} & sleep 4; kill -TERM $!; wait $!"
    ));
    for screen in [&ended, &terminated] {
        assert!(
            screen.contains(taken) && screen.contains(name),
            "{screen:?}"
        );
        let (_, after) = screen.rsplit_once(given_back).unwrap();
        assert!(
            after.contains("No I/O") || after.contains("dropped 0"),
            "{after:?}"
        );
        // The cursor is shown again.
        assert!(screen.contains("\u{1b}[?25h"));
    }
}
