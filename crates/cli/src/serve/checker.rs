//! `check` of this machine, in a process of its own.
//!
//! A check opens devices, so that it needs rights that a server should not have. The process is started before the
//! server gives up its own. It gets a line for each check, and no byte of any client; it ends with the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use ioalign_report::{RenderOptions, json, prometheus};
use ioalign_serve::Board;
use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::say::note;
use crate::{check, look};

/// A check of ten thousand devices takes less.
const LARGEST: u64 = 256 << 20;

/// The answer to a line.
#[derive(Serialize, Deserialize)]
struct CheckedHost {
    /// `check --json`.
    document: String,
    /// `check --format prometheus`.
    metrics: String,
}

/// The process: a check for each line, until the end of them.
pub fn run() -> Result<Exit> {
    let options = RenderOptions::default();
    for line in std::io::stdin().lock().lines() {
        line.context("standard input")?;
        let report = check::this_host();
        look::json_line(&CheckedHost {
            document: json::render(&report, &options),
            metrics: prometheus::render(&report, &options),
        })?;
    }
    Ok(Exit::Done)
}

/// The process, as the server has it.
pub struct HostChecker {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl HostChecker {
    /// Starts it, with the rights of this process.
    pub fn start() -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut child = Command::new(program)
            .args(["serve", "--as-checker"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for the server; the checker ends with its pipe.
            .process_group(0)
            .spawn()
            .context("cannot start the process that checks")?;
        let asks = child.stdin.take().context("no pipe to the checker")?;
        let answers = child.stdout.take().context("no pipe from the checker")?;
        Ok(Self {
            child,
            asks,
            answers: BufReader::new(answers),
        })
    }

    /// Checks now and then, in a thread of its own.
    pub fn publish(mut self, board: Arc<Board>, every: Duration) {
        let work = move || {
            loop {
                match self.ask() {
                    Ok(checked) => {
                        board.set_check_metrics(checked.metrics);
                        board.set_stack(Ok(checked.document));
                    }
                    Err(error) => {
                        note(format_args!("the stack is not checked any more: {error:#}"));
                        board.set_stack(Err("the process that checks has ended".to_owned()));
                        let _ = self.child.wait();
                        return;
                    }
                }
                std::thread::sleep(every);
            }
        };
        std::thread::spawn(work);
    }

    fn ask(&mut self) -> Result<CheckedHost> {
        self.asks.write_all(b"\n")?;
        let mut line = String::new();
        (&mut self.answers).take(LARGEST).read_line(&mut line)?;
        if line.is_empty() {
            return Err(anyhow!("it has ended"));
        }
        Ok(serde_json::from_str(&line)?)
    }
}
