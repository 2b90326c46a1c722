//! `ioalign watch` on a loop device: every counter is fio's, and the same by every way of looking.
//!
//! BPF and loop devices need root. Without it the same tests prove that the program says so.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;
use serde_json::Value;

use super::PROGRAM;

mod above;
mod assertions;
mod counts;
mod discards;
mod edges;
mod files;
mod groups;
mod screen;

/// Others read block devices too (udev, other tests), and a kernel may run no BPF program on top of one process: of a
/// few completions none is seen, which the profile says. Then the round does not count.
const ROUNDS: usize = 30;

/// A program on a plain tracepoint does not run while another one runs on its processor, or while a process there is inside
/// a map of any program (`trace_call_bpf` in kernel/trace/bpf_trace.c): such a watch has the machine for itself. Tests run in
/// processes that share nothing but the machine, so the lock is on a folder that every Linux has.
struct Turn(#[allow(dead_code)] File); // held, not read

impl Turn {
    fn take(arguments: &[&str]) -> Self {
        let folder = File::open("/dev/shm").unwrap();
        if arguments.contains(&"tracepoint") {
            folder.lock().unwrap();
        } else {
            folder.lock_shared().unwrap();
        }
        Self(folder)
    }
}

/// A loop device over memory, and its file; both go with this.
pub struct Memory {
    pub device: Loop,
    file: PathBuf,
}

impl Memory {
    pub fn new(name: &str, mib: u64) -> Self {
        let file = PathBuf::from(format!("/dev/shm/ioalign-{name}-{}", std::process::id()));
        std::fs::File::create(&file)
            .unwrap()
            .set_len(mib << 20)
            .unwrap();
        let device = Loop::new(&file, &[]);
        Self { device, file }
    }

    pub fn name(&self) -> &str {
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
        mount_tracefs();
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

/// Where systemd mounts it always; containers lack it. Two tests at once would mount it twice.
fn mount_tracefs() {
    let tracefs = Path::new("/sys/kernel/tracing");
    let folder = File::open(tracefs.parent().unwrap()).unwrap();
    folder.lock().unwrap();
    if !tracefs.join("events").exists() {
        tool(
            "mount",
            &["-t", "tracefs", "tracefs", tracefs.to_str().unwrap()],
        );
    }
}

/// A watch that has begun; a test that fails ends it too.
struct Watching {
    child: Child,
    messages: BufReader<std::process::ChildStderr>,
    // The last: other watches wait until this one has ended.
    _turn: Turn,
}

impl Watching {
    fn start(arguments: &[&str]) -> Self {
        let turn = Turn::take(arguments);
        let mut child = Command::new(PROGRAM)
            .arg("watch")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let messages = BufReader::new(child.stderr.take().unwrap());
        let mut watching = Self {
            child,
            messages,
            _turn: turn,
        };
        let mut line = String::new();
        let mut said = String::new();
        while !line.starts_with("ioalign: watching ") {
            line.clear();
            assert!(
                watching.messages.read_line(&mut line).unwrap() > 0,
                "it ended: {said}"
            );
            said.push_str(&line);
        }
        watching
    }

    /// Ctrl-C, and what it printed.
    fn end(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let (mut text, mut said) = (String::new(), String::new());
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut text).unwrap();
        self.messages.read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{said:?}");
        text
    }

    fn profile(self) -> Value {
        serde_json::from_str(&self.end()).unwrap()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // Of one that has ended both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Random reads and writes of mixed sizes at any sector; fio's own totals by operation.
fn fio(device: &Memory, ios: u64, more: &[&str]) -> BTreeMap<String, (u64, u64)> {
    fio_by(&["fio"], device, ios, more)
}

/// The same, by a command that runs fio.
fn fio_by(
    command: &[&str],
    device: &Memory,
    ios: u64,
    more: &[&str],
) -> BTreeMap<String, (u64, u64)> {
    let device = format!("--filename={}", device.device.text());
    let count = format!("--number_ios={ios}");
    let (program, before) = command.split_first().unwrap();
    let mut arguments = before.to_vec();
    arguments.extend([
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
    ]);
    arguments.extend(more);
    let text = tool(program, &arguments);
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
        .find(|line| line.contains("4096 B, 8.0 sectors"))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(row.contains("512") && row.contains("100 %"), "{row}");
    assert!(line.starts_with("write") || !line.is_empty());
    assert!(text.contains("fio ("), "{text}");
    assert!(text.contains("4096 to 8191 B"), "{text}");
    assert!(text.trim_end().ends_with("dropped 0"), "{text}");
}

/// A field of `/proc/PID/status`.
fn status(pid: u32, field: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn rights_are_given_up_once_it_runs() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("rights", 64);
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record.parquet");
    // What a record needs in a folder of another user: CHOWN, DAC_OVERRIDE, FOWNER.
    for (more, kept) in [
        (vec!["--line", "--groups", "3", "--files", "3"], 0),
        (vec!["--line", "--record", record.to_str().unwrap()], 0b1011),
    ] {
        let watch = Watching::start(&[&[disk.name()], &more[..]].concat());
        let pid = watch.child.id();
        for set in ["CapEff:", "CapPrm:"] {
            let left = u64::from_str_radix(&status(pid, set), 16).unwrap();
            assert_eq!(left & !kept, 0, "{set} {left:x}");
        }
        assert_eq!(status(pid, "CapInh:"), "0".repeat(16));
        assert_eq!(status(pid, "NoNewPrivs:"), "1");
        // It still counts, and ends as it should.
        fio(&disk, 100, &[]);
        let text = watch.end();
        assert!(text.trim_end().ends_with("dropped 0"), "{text}");
    }
    assert!(record.metadata().unwrap().len() > 0);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
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
