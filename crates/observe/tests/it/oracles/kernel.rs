//! This kernel's own tracers on a loop device, where that is permitted: root, tracefs and a loop
//! device. What is not permitted is said on standard error.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_observe::TraceSettings;

use super::{profile, run, totals, totals_of_fio};

const TRACING: &str = "/sys/kernel/tracing";

/// A loop device, released at the end.
struct Loop(String);

impl Loop {
    fn on(file: &Path) -> Option<Self> {
        std::fs::File::create(file)
            .unwrap()
            .set_len(64 << 20)
            .unwrap();
        let output = Command::new("losetup")
            .args(["-f", "--show"])
            .arg(file)
            .output()
            .ok()?;
        let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !name.is_empty()).then_some(Self(name))
    }

    /// `7:0`, as traces have it.
    fn number(&self) -> String {
        let name = self.0.trim_start_matches("/dev/");
        let number = std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
        number.trim().to_owned()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.0]).status();
    }
}

/// A buffer of our own in ftrace, removed at the end.
struct Instance(PathBuf);

impl Instance {
    fn new() -> Option<Self> {
        let name = format!("ioalign-test-{}", std::process::id());
        let path = Path::new(TRACING).join("instances").join(name);
        std::fs::create_dir(&path).ok()?;
        let instance = Self(path);
        for event in ["block_rq_issue", "block_rq_complete", "block_bio_queue"] {
            instance.write(&format!("events/block/{event}/enable"), "1")?;
        }
        instance.write("buffer_size_kb", "8192")?;
        Some(instance)
    }

    fn write(&self, file: &str, value: &str) -> Option<()> {
        std::fs::write(self.0.join(file), value).ok()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

fn fio(device: &str, report: &Path) -> Vec<String> {
    let mut words: Vec<String> = [
        "fio",
        "--name=job",
        "--size=64M",
        "--rw=randrw",
        "--bssplit=4k/50:8k/50",
        "--blockalign=512",
        "--norandommap=1",
        "--number_ios=500",
        "--direct=1",
        "--ioengine=psync",
        "--output-format=json",
    ]
    .map(str::to_owned)
    .to_vec();
    words.push(format!("--filename={device}"));
    words.push(format!("--output={}", report.display()));
    words
}

fn not_permitted(what: &str) {
    eprintln!("not permitted here, so not tested: {what}");
}

#[test]
fn ftrace_text_of_a_known_job() {
    let folder = tempfile::TempDir::new().unwrap();
    let Some(device) = Loop::on(&folder.path().join("disk")) else {
        return not_permitted("loop devices");
    };
    let Some(instance) = Instance::new() else {
        return not_permitted("an instance of ftrace");
    };
    let words = fio(&device.0, &folder.path().join("report"));
    run(Command::new(&words[0]).args(&words[1..]));
    instance.write("tracing_on", "0").unwrap();
    let trace = folder.path().join("trace");
    std::fs::write(&trace, std::fs::read(instance.0.join("trace")).unwrap()).unwrap();
    let found = profile(&[trace], &TraceSettings::default());
    let expected = totals_of_fio(&folder.path().join("report"));
    let found = totals(&found, Some(&device.number()));
    assert_eq!(found.get("write"), expected.get("write"));
    // Whoever looks at a new device (udev) reads a little too.
    assert!(found["read"].0 >= expected["read"].0, "{found:?}");
}

#[test]
fn perf_script_of_a_known_job() {
    let folder = tempfile::TempDir::new().unwrap();
    let Some(device) = Loop::on(&folder.path().join("disk")) else {
        return not_permitted("loop devices");
    };
    let data = folder.path().join("perf.data");
    let mut record = Command::new("perf");
    record.args([
        "record",
        "-q",
        "-a",
        // It would copy the symbols of the kernel into ~/.debug.
        "--no-buildid-cache",
        "-e",
        "block:block_rq_issue,block:block_rq_complete",
        "-o",
    ]);
    record
        .arg(&data)
        .arg("--")
        .args(fio(&device.0, &folder.path().join("report")));
    if !record.output().is_ok_and(|output| output.status.success()) {
        return not_permitted("perf record");
    }
    let expected = totals_of_fio(&folder.path().join("report"));
    for columns in [
        &[][..],
        &["--ns"],
        &["-F", "time,event,trace"],
        &["-F", "+tid,+cpu"],
    ] {
        let text = run(Command::new("perf")
            .args(["script", "-i"])
            .arg(&data)
            .args(columns));
        let file = folder.path().join("text");
        std::fs::write(&file, text).unwrap();
        let found = totals(
            &profile(&[file], &TraceSettings::default()),
            Some(&device.number()),
        );
        assert_eq!(found.get("write"), expected.get("write"), "{columns:?}");
        assert!(
            found["read"].0 >= expected["read"].0,
            "{columns:?}: {found:?}"
        );
    }
}

/// The `blk` tracer, which only the top-level buffer has; all is put back at the end.
struct BlkTracer {
    enable: PathBuf,
    cat: std::process::Child,
}

impl BlkTracer {
    fn on(device: &Loop, context: &str, out: &Path) -> Option<Self> {
        let tracing = Path::new(TRACING);
        let idle = std::fs::read_to_string(tracing.join("current_tracer")).ok()?;
        let name = device.0.trim_start_matches("/dev/");
        let enable = PathBuf::from(format!("/sys/block/{name}/trace/enable"));
        if idle.trim() != "nop" || std::fs::write(&enable, "1").is_err() {
            return None;
        }
        std::fs::write(tracing.join("current_tracer"), "blk").ok()?;
        for option in ["bin", context] {
            std::fs::write(tracing.join("trace_options"), option).ok()?;
        }
        let out = std::fs::File::create(out).ok()?;
        let mut cat = Command::new("cat");
        let cat = cat
            .arg(tracing.join("trace_pipe"))
            .stdout(out)
            .spawn()
            .ok()?;
        Some(Self { enable, cat })
    }
}

impl Drop for BlkTracer {
    fn drop(&mut self) {
        // The pipe gives pages that are full, or what there is after a moment.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let _ = self.cat.kill();
        let _ = self.cat.wait();
        let _ = std::fs::write(&self.enable, "0");
        let tracing = Path::new(TRACING);
        for option in ["nobin", "context-info"] {
            let _ = std::fs::write(tracing.join("trace_options"), option);
        }
        let _ = std::fs::write(tracing.join("current_tracer"), "nop");
    }
}

/// One workload, seen as text and as binary at the same time: the same counters.
#[test]
fn the_blk_tracer_and_the_text_of_events_agree() {
    for context in ["context-info", "nocontext-info"] {
        let folder = tempfile::TempDir::new().unwrap();
        let Some(device) = Loop::on(&folder.path().join("disk")) else {
            return not_permitted("loop devices");
        };
        let number = device.number();
        let binary = folder.path().join("binary");
        let Some(instance) = Instance::new() else {
            return not_permitted("an instance of ftrace");
        };
        let Some(tracer) = BlkTracer::on(&device, context, &binary) else {
            return not_permitted("the blk tracer, or another tracer is on");
        };
        let words = fio(&device.0, &folder.path().join("report"));
        run(Command::new(&words[0]).args(&words[1..]));
        instance.write("tracing_on", "0").unwrap();
        drop(tracer);
        let trace = folder.path().join("trace");
        std::fs::write(&trace, std::fs::read(instance.0.join("trace")).unwrap()).unwrap();
        let of_text = profile(&[trace], &TraceSettings::default());
        let of_binary = profile(&[binary], &TraceSettings::default());
        let device_of = |profile: &ioalign_core::profile::Profile| {
            let found = profile.devices.iter().find(|d| d.device == number);
            found.unwrap().clone()
        };
        let (text, binary) = (device_of(&of_text), device_of(&of_binary));
        for op in ["read", "write"] {
            let (text, binary) = (&text.by_op[op], &binary.by_op[op]);
            assert_eq!(
                text.size_histogram, binary.size_histogram,
                "{context}: {op}"
            );
            assert_eq!(
                text.start_pow2_histogram, binary.start_pow2_histogram,
                "{context}: {op}"
            );
            assert_eq!(
                text.straddling_pow2, binary.straddling_pow2,
                "{context}: {op}"
            );
        }
        let fio = totals_of_fio(&folder.path().join("report"));
        assert_eq!(totals(&of_binary, None).get("write"), fio.get("write"));
    }
}
