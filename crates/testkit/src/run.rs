//! Runs `ioalign check --json` and asks questions of the answer.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What a run of `check` said.
#[derive(Debug)]
pub struct CheckRun {
    /// The JSON document.
    pub json: Value,
    /// The exit code.
    pub code: i32,
}

/// Runs `program check --json` with arguments.
pub fn check<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> CheckRun {
    let mut command = Command::new(program);
    command.arg("check").arg("--json").args(arguments);
    let output = command.output().unwrap();
    let code = output.status.code().unwrap_or(-1);
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let errors = String::from_utf8_lossy(&output.stderr);
        panic!("{command:?} exits with {code} and no JSON ({error}): {errors}")
    });
    CheckRun { json, code }
}

impl CheckRun {
    /// The only target.
    pub fn target(&self) -> &Value {
        let targets = self.json["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 1, "one target: {:#}", self.json);
        &targets[0]
    }

    /// The target's verdict.
    pub fn verdict(&self) -> &str {
        self.target()["verdict"].as_str().unwrap()
    }

    /// All findings of the target.
    pub fn findings(&self) -> &[Value] {
        self.target()["findings"].as_array().unwrap()
    }

    /// The findings of one rule.
    pub fn of_rule<'a>(&'a self, rule: &'a str) -> Vec<&'a Value> {
        self.findings()
            .iter()
            .filter(|finding| finding["rule"] == rule)
            .collect()
    }

    /// The first finding of a rule about a layer whose id ends in `layer`.
    pub fn finding(&self, rule: &str, layer: &str) -> &Value {
        let found = self.findings().iter().find(|finding| {
            let guilty = [&finding["layer"], &finding["guilty_layer"]];
            finding["rule"] == rule
                && guilty
                    .iter()
                    .any(|id| id.as_str().is_some_and(|id| id.ends_with(layer)))
        });
        found.unwrap_or_else(|| panic!("no {rule} at {layer}: {:#}", self.target()))
    }

    /// Rules and severities, for comparing whole answers: `start-misaligned=misaligned`.
    pub fn rules(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut rules: Vec<_> = self
            .findings()
            .iter()
            .map(|finding| format!("{}={}", text(&finding["rule"]), text(&finding["severity"])))
            .collect();
        rules.sort();
        rules
    }

    /// A layer by the end of its id.
    pub fn layer(&self, name: &str) -> &Value {
        let layers = self.target()["layers"].as_array().unwrap();
        let found = layers
            .iter()
            .find(|l| l["id"].as_str().is_some_and(|id| id.ends_with(name)));
        found.unwrap_or_else(|| panic!("no layer {name}: {:#}", self.target()))
    }

    /// Offset of a layer on the grid of `size` bytes below it, where it has only one.
    pub fn offset(&self, layer: &str, size: u64) -> Option<u64> {
        let grids = self.target()["grids"].as_array().unwrap();
        let is_of_size = |id: &Value| {
            grids
                .iter()
                .any(|grid| grid["id"] == *id && grid["size_bytes"] == size)
        };
        let phases = self.layer(layer)["phases"].as_array().unwrap();
        let mut offsets = phases.iter().filter(|phase| is_of_size(&phase["grid"]));
        offsets
            .next()
            .and_then(|phase| phase["offset_bytes"].as_u64())
    }
}

/// Waits until it is so, for two minutes at most: a busy machine takes its time.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Bytes that a process has read from devices and written to them (proc(5), `io`).
pub fn device_bytes(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/io")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    let of_devices = lines.filter(|(key, _)| ["read_bytes", "write_bytes"].contains(key));
    of_devices
        .filter_map(|(_, value)| value.parse::<u64>().ok())
        .sum()
}

/// Runs a tool that must succeed and returns its standard output.
pub fn tool(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .output()
        .unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A command with the folders of administrators on its path and nothing translated.
pub fn command(tool: &str) -> Command {
    let mut command = Command::new(tool);
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .env("PATH", format!("{path}:/usr/sbin:/sbin"))
        .env("LC_ALL", "C.UTF-8");
    command
}

/// Runs a command whose reader hangs up at once.
pub fn hung_up(command: &mut Command) -> Output {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

/// Prometheus' own rules for metrics, on a file of them.
pub fn promtool(metrics: &Path) {
    let script = "promtool check metrics < \"$1\"";
    tool("sh", &["-c", script, "sh", text(metrics)]);
}

/// Below the target folder: the stacks that `cargo xtask fixtures` made.
pub const FIXTURES: &str = "vm-fixtures/current";

/// The folder of a stack that `cargo xtask fixtures` took from a virtual machine: devices in `dev`, outputs
/// in `oracle`.
pub fn fixture(name: &str) -> PathBuf {
    let folder = target_folder().join(FIXTURES).join(name);
    assert!(
        folder.is_dir(),
        "{}: run `cargo xtask fixtures` first",
        folder.display()
    );
    folder
}

/// Where cargo puts what it builds.
pub fn target_folder() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target")))
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
