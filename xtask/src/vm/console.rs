//! The guest's serial console: shown as it comes, searched for results, and watched by a clock.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Lines of a failed run that are shown.
const TAIL: usize = 40;

/// How a run ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// The script ended with this status.
    Done(i32),
    /// Nothing came from the guest's init in time.
    NoSign,
    /// It booted, and then took too long.
    TimedOut,
    /// QEMU ended before the script did.
    Died,
}

/// What the console said.
pub struct ConsoleLog {
    /// How it ended.
    pub ending: Ending,
    /// Lines that start with `@@`, without init's own.
    pub results: Vec<String>,
    lines: Vec<String>,
}

impl ConsoleLog {
    /// The last lines, for a message.
    pub fn tail(&self) -> String {
        let from = self.lines.len().saturating_sub(TAIL);
        self.lines.get(from..).unwrap_or_default().join("\n")
    }
}

/// Kills QEMU when it goes out of scope, whatever the way.
struct QemuGuard(Child);

impl Drop for QemuGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the guest: `patience` to its first sign of life, `limit` in all.
pub fn run(
    mut command: Command,
    patience: Duration,
    limit: Duration,
    echo: bool,
) -> Result<ConsoleLog> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = QemuGuard(command.spawn().context("cannot start QEMU")?);
    let lines = reader(child.0.stdout.take().context("no console")?);
    let started = Instant::now();
    let mut watch = ConsoleWatch::default();
    let silent = loop {
        let allowed = if watch.booted { limit } else { patience };
        let left = allowed.saturating_sub(started.elapsed());
        match lines.recv_timeout(left) {
            Ok(line) => watch.line(line, echo),
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    Ok(watch.log(silent))
}

fn reader(console: ChildStdout) -> Receiver<String> {
    let (send, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(console).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_owned();
            if send.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

#[derive(Default)]
struct ConsoleWatch {
    booted: bool,
    status: Option<i32>,
    results: Vec<String>,
    lines: Vec<String>,
}

impl ConsoleWatch {
    fn line(&mut self, line: String, echo: bool) {
        if line.starts_with("@@boot ") {
            self.booted = true;
        } else if let Some(status) = line.strip_prefix("@@end ") {
            self.status = status
                .split_whitespace()
                .next()
                .and_then(|text| text.parse().ok());
        } else if line.starts_with("@@") {
            self.results.push(line.clone());
        }
        if echo {
            println!("{line}");
        }
        self.lines.push(line);
    }

    fn log(self, silent: bool) -> ConsoleLog {
        let ending = match (self.status, self.booted, silent) {
            (Some(status), ..) => Ending::Done(status),
            (None, false, true) => Ending::NoSign,
            (None, true, true) => Ending::TimedOut,
            (None, _, false) => Ending::Died,
        };
        ConsoleLog {
            ending,
            results: self.results,
            lines: self.lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[&str], silent: bool) -> ConsoleLog {
        let mut watch = ConsoleWatch::default();
        lines
            .iter()
            .for_each(|line| watch.line((*line).to_owned(), false));
        watch.log(silent)
    }

    #[test]
    fn results_and_status_are_found() {
        let log = said(
            &["noise", "@@boot 1.2", "@@md min=65536", "@@end 3 uptime=2"],
            false,
        );
        assert_eq!(log.ending, Ending::Done(3));
        assert_eq!(log.results, ["@@md min=65536"]);
    }

    #[test]
    fn the_ways_to_fail_differ() {
        assert_eq!(said(&[], true).ending, Ending::NoSign);
        assert_eq!(said(&["@@boot 1"], true).ending, Ending::TimedOut);
        assert_eq!(said(&["@@boot 1"], false).ending, Ending::Died);
        assert_eq!(said(&["panic"], false).tail(), "panic");
    }
}
