//! `ioalign simulate serve`: the array as a block device, put up, used, and taken down however it ends.

mod devices;
mod ends;
mod probed;
mod refusals;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use ioalign_testkit::run::text;
use serde_json::Value;

use super::PROGRAM;

/// A server in a folder of its own.
struct ServedArray {
    child: Child,
    out: BufReader<ChildStdout>,
    ready: Value,
}

/// The program with its folders below this one.
fn serve(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.env("TMPDIR", folder).env_remove("XDG_RUNTIME_DIR");
    command.args(["simulate", "serve"]).args(arguments);
    command
}

impl ServedArray {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = serve(folder, arguments);
        let command = command.arg("--json").stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| {
            let output = child.wait_with_output_of_errors();
            panic!("{error}: {line:?} {output}")
        });
        Self { child, out, ready }
    }

    fn path(&self, key: &str) -> PathBuf {
        PathBuf::from(self.ready[key].as_str().unwrap())
    }

    fn device(&self) -> PathBuf {
        self.path("device")
    }

    fn signal(&self, name: &str) {
        let signal = match name {
            "INT" => rustix::process::Signal::INT,
            "TERM" => rustix::process::Signal::TERM,
            "KILL" => rustix::process::Signal::KILL,
            "USR1" => rustix::process::Signal::USR1,
            "USR2" => rustix::process::Signal::USR2,
            _ => panic!("{name}"),
        };
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Sends a signal, and what the server says on standard error until it has ended.
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        self.signal(signal);
        let said = self.child.wait_with_output_of_errors();
        let code = self.child.wait().unwrap().code();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut rest).unwrap();
        assert_eq!(rest, "", "one line, no more");
        (code, said)
    }
}

impl Drop for ServedArray {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.signal("TERM");
            let _ = self.child.wait();
        }
    }
}

trait ErrorsOfChild {
    fn wait_with_output_of_errors(&mut self) -> String;
}

impl ErrorsOfChild for Child {
    fn wait_with_output_of_errors(&mut self) -> String {
        let mut said = String::new();
        let errors = self.stderr.take();
        std::io::Read::read_to_string(&mut errors.unwrap(), &mut said).unwrap();
        said
    }
}

fn stated(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What of this folder is mounted or below a loop device.
fn traces(folder: &Path) -> Vec<String> {
    let within = |line: &&str| line.contains(text(folder));
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let mut out: Vec<_> = mounts.lines().filter(within).map(str::to_owned).collect();
    for entry in std::fs::read_dir("/sys/block").unwrap().flatten() {
        let below = std::fs::read_to_string(entry.path().join("loop/backing_file"));
        out.extend(below.ok().filter(|below| within(&below.as_str())));
    }
    out
}

/// Whether something becomes true within some seconds.
fn soon(mut is_true: impl FnMut() -> bool) -> bool {
    (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_true()
    })
}
