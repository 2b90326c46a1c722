//! Bad input through the real program: a clear error, exit 65, no panic, no hang, bounded memory,
//! and the other targets of the same call are judged as if nothing had happened.

mod files;
mod images;
mod names;
mod tables;
mod truncate;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioalign_testkit::{Disk, mbr};
use serde_json::Value;

use super::PROGRAM;

/// A run is killed after this many seconds; most take a hundredth of one, on an idle machine.
const PATIENCE: &str = "20";
/// Peak of resident memory, whatever the bytes claim.
const MOST_KIB: u64 = 64 << 10;

/// What a watched run said.
#[derive(Debug)]
struct Watched {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs the program under a watch for time and memory, and asserts that it kept within both and
/// did not panic.
fn watched<S: AsRef<OsStr>>(program: &Path, arguments: impl IntoIterator<Item = S>) -> Watched {
    let folder = tempfile::TempDir::new().unwrap();
    let log = folder.path().join("peak");
    let mut command = Command::new("time");
    command.args(["-f", "%M", "-o"]).arg(&log);
    command
        .args(["timeout", "-s", "KILL", PATIENCE])
        .arg(program);
    let output = command.args(arguments).output();
    let output = output.expect("`time` is needed for this test (Debian package time)");
    let peak = std::fs::read_to_string(&log).unwrap();
    let peak: u64 = peak.lines().last().unwrap().trim().parse().unwrap();
    let run = Watched::of(&output);
    assert_ne!(run.code, 137, "{command:?} does not end in {PATIENCE} s");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    assert!(peak <= MOST_KIB, "{command:?} takes {peak} KiB");
    run
}

impl Watched {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    fn json(&self) -> Value {
        let parsed = serde_json::from_str(&self.stdout);
        parsed.unwrap_or_else(|error| panic!("{error}: {} {}", self.stdout, self.stderr))
    }
}

/// `check --json TARGET…` of the program under test.
fn check_json<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Watched {
    let mut all: Vec<_> = ["check", "--json"].map(Into::into).to_vec();
    all.extend(arguments.into_iter().map(|s| s.as_ref().to_owned()));
    watched(Path::new(PROGRAM), all)
}

/// What is said about a bad file, in a call that also names a good one.
struct Answer {
    target: Value,
    error: Value,
    path: PathBuf,
}

/// Judges `bad` between two good disks: exit 65, the good ones are judged, the bad one has an
/// error that names its file.
fn bad(bad: &Path) -> Answer {
    about(bad, bad, &[])
}

/// The same, where the error is about another file than the target.
fn about(bad: &Path, guilty: &Path, more: &[&str]) -> Answer {
    let good = mbr::disk("good.img", 64, &[(0x83, 2048, 100_000)]);
    let mut arguments = vec![
        good.path().as_os_str(),
        bad.as_os_str(),
        good.path().as_os_str(),
    ];
    arguments.extend(more.iter().map(OsStr::new));
    let run = check_json(&arguments);
    let json = run.json();
    assert_eq!(run.code, 65, "{:#}", json["targets"][1]);
    for other in [&json["targets"][0], &json["targets"][2]] {
        assert_eq!(
            (&other["verdict"], &other["error"]),
            (&"ok".into(), &Value::Null)
        );
    }
    let target = json["targets"][1].clone();
    let error = target["error"].clone();
    assert!(error.is_object(), "{target:#}");
    let answer = Answer {
        target,
        error,
        path: guilty.to_owned(),
    };
    assert_eq!(
        answer.error["path"],
        guilty.to_str().unwrap(),
        "{:#}",
        answer.error
    );
    answer
}

impl Answer {
    /// Asserts the place that the error names.
    fn at(&self, offset: u64, field: &str) -> &Self {
        let error = &self.error;
        let named = (error["offset_bytes"].as_u64(), error["field"].as_str());
        assert_eq!(named, (Some(offset), Some(field)), "{error:#}");
        let message = error["message"].as_str().unwrap();
        let place = format!("(field {field} at byte {offset})");
        assert!(message.contains(&place), "{message}");
        assert!(message.contains(self.path.to_str().unwrap()), "{message}");
        self
    }

    /// Asserts its kind.
    fn kind(&self, kind: &str) -> &Self {
        assert_eq!(self.error["kind"], kind, "{:#}", self.error);
        self
    }

    /// Asserts that its message contains a phrase.
    fn says(&self, phrase: &str) -> &Self {
        let message = self.error["message"].as_str().unwrap();
        assert!(message.contains(phrase), "{message}");
        self
    }
}

/// Runs qemu-img in the folder of `disk`.
fn qemu_img(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("qemu-img");
    let output = command.args(arguments).current_dir(folder).output();
    let output = output.expect("qemu-img is needed for this test");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "qemu-img {arguments:?}: {errors}");
}

/// A disk whose bytes are those of a file.
fn copy_of(file: &Path) -> Disk {
    let name = file.file_name().unwrap().to_str().unwrap();
    let disk = Disk::new(name, std::fs::metadata(file).unwrap().len());
    disk.splice(0, file);
    disk
}
