//! The guest's serial console: shown as it comes, searched for results, and watched by a clock.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Result, Tried};

/// Lines of a failed run that are shown.
const TAIL: usize = 40;
/// Characters of a line that are shown.
const WIDEST: usize = 200;
/// How often the interrupt is looked for.
const PAUSE: Duration = Duration::from_millis(100);

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
    /// The operator stopped it.
    Interrupted,
}

/// What the console said.
pub struct ConsoleLog {
    /// How it ended.
    pub ending: Ending,
    /// Lines that start with `@@`, without init's own.
    pub results: Vec<String>,
    lines: VecDeque<String>,
}

impl ConsoleLog {
    /// The last lines, for a message. Results are for programs: of a long one the beginning.
    pub fn tail(&self) -> String {
        let lines = self.lines.iter();
        let lines: Vec<String> = lines
            .map(|line| line.chars().take(WIDEST).collect())
            .collect();
        lines.join("\n")
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

/// How long a guest may take.
pub struct GuestClock<'a> {
    /// To its first sign of life.
    pub patience: Duration,
    /// In all.
    pub limit: Duration,
    /// True: no longer.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

impl GuestClock<'_> {
    /// Whether the time is over after so much of it.
    fn over(&self, booted: bool, elapsed: Duration) -> bool {
        elapsed >= if booted { self.limit } else { self.patience }
    }
}

/// Runs the guest; `each` sees every line as it comes, QEMU's own messages among them.
pub fn run(
    mut command: Command,
    clock: &GuestClock<'_>,
    each: &mut dyn FnMut(&str),
) -> Result<ConsoleLog> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let spawned = command.spawn().tried(|| "cannot start QEMU".to_owned());
    let mut child = QemuGuard(spawned?);
    let (send, lines) = channel();
    let no_pipe = || "no console".to_owned();
    reader(child.0.stdout.take().tried(no_pipe)?, send.clone());
    reader(child.0.stderr.take().tried(no_pipe)?, send);
    Ok(listen(&lines, clock, each))
}

fn listen(
    lines: &Receiver<String>,
    clock: &GuestClock<'_>,
    each: &mut dyn FnMut(&str),
) -> ConsoleLog {
    let started = Instant::now();
    let mut watch = ConsoleWatch::default();
    loop {
        if (clock.interrupt)() {
            return watch.log(Some(Ending::Interrupted));
        }
        if clock.over(watch.booted, started.elapsed()) {
            let ending = match watch.booted {
                true => Ending::TimedOut,
                false => Ending::NoSign,
            };
            return watch.log(Some(ending));
        }
        match lines.recv_timeout(PAUSE) {
            Ok(line) => {
                each(&line);
                watch.line(line);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return watch.log(None),
        }
    }
}

fn reader(console: impl Read + Send + 'static, send: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(console)
            .split(b'\n')
            .map_while(|line| line.ok())
        {
            let line = String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_owned();
            if send.send(line).is_err() {
                break;
            }
        }
    });
}

#[derive(Default)]
struct ConsoleWatch {
    booted: bool,
    status: Option<i32>,
    results: Vec<String>,
    lines: VecDeque<String>,
}

impl ConsoleWatch {
    fn line(&mut self, line: String) {
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
        if self.lines.len() >= TAIL {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// `cut`: why nobody waits any longer; a status that came before counts.
    fn log(self, cut: Option<Ending>) -> ConsoleLog {
        let ending = match (self.status, cut) {
            (Some(status), _) => Ending::Done(status),
            (None, Some(cut)) => cut,
            (None, None) => Ending::Died,
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

    /// What these lines make of a guest; `hangs`: it says nothing more and does not end.
    fn said(lines: &[&str], hangs: bool, interrupted: bool) -> ConsoleLog {
        let (send, receive) = channel();
        for line in lines {
            send.send((*line).to_owned()).unwrap();
        }
        let _open = hangs.then_some(send);
        let clock = GuestClock {
            patience: Duration::from_millis(250),
            limit: Duration::from_millis(300),
            interrupt: &|| interrupted,
        };
        listen(&receive, &clock, &mut |_| {})
    }

    #[test]
    fn results_and_status_are_found() {
        let lines = ["noise", "@@boot 1.2", "@@md min=65536", "@@end 3 uptime=2"];
        let log = said(&lines, false, false);
        assert_eq!(log.ending, Ending::Done(3));
        assert_eq!(log.results, ["@@md min=65536"]);
    }

    #[test]
    fn the_ways_to_fail_differ() {
        assert_eq!(said(&[], true, false).ending, Ending::NoSign);
        assert_eq!(said(&["@@boot 1"], true, false).ending, Ending::TimedOut);
        assert_eq!(said(&["@@boot 1"], false, false).ending, Ending::Died);
        assert_eq!(said(&["@@boot 1"], true, true).ending, Ending::Interrupted);
        assert_eq!(said(&["panic"], false, false).tail(), "panic");
    }
}
