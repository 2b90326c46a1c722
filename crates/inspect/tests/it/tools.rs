//! Runs the real tools, which are the oracles.
#![allow(clippy::panic)]

use std::process::Command;
use std::time::Duration;

/// Standard output of a command that must succeed.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start, is it installed? {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What this thread has used of a processor: other programs on the machine do not count.
pub fn on_cpu() -> Duration {
    let path = "/proc/thread-self/schedstat";
    let shown = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let nanoseconds = shown.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_else(|| panic!("{path} has no number: {shown}")))
}
