//! `ioalign serve`: this machine in a browser, as JSON and as metrics.

mod browser;
mod figures;
mod fleet_pages;
mod given;
mod pages;
mod refusals;
mod tls;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::PROGRAM;

/// A first check of a machine under load may take its time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of this machine; it ends with this.
struct ServedHost {
    child: Child,
    out: BufReader<ChildStdout>,
    url: String,
}

impl ServedHost {
    fn start(arguments: &[&str]) -> Self {
        Self::of(PROGRAM, &[], arguments)
    }

    /// The same, by a program that runs ours.
    fn of(program: &str, before: &[&str], arguments: &[&str]) -> Self {
        let mut command = ioalign_testkit::run::command(program);
        command.args(before);
        command.args(["serve", "--json"]);
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let command = command.args(arguments).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            panic!("{line:?} {}", said(&child.wait_with_output().unwrap()));
        };
        let url = ready["url"].as_str().unwrap().to_owned();
        Self { child, out, url }
    }

    fn address(&self) -> &str {
        let (_, rest) = self.url.split_once("://").unwrap();
        rest.trim_end_matches('/')
    }

    /// `GET path`: status and body.
    fn get(&self, path: &str, more: &str) -> (u16, String) {
        let address = self.address();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{more}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        parts(&text)
    }

    /// A document, once it is there.
    fn json(&self, path: &str) -> Value {
        let begun = Instant::now();
        loop {
            let (status, body) = self.get(path, "");
            match status {
                200 => return serde_json::from_str(&body).unwrap(),
                503 if begun.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(50)),
                _ => panic!("{path}: {status} {body}"),
            }
        }
    }

    /// Ends it: the exit code, and what it said on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        self.signal();
        let mut errors = String::new();
        let mut pipe = self.child.stderr.take().unwrap();
        pipe.read_to_string(&mut errors).unwrap();
        let code = self.child.wait().unwrap().code();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "one line, no more");
        (code, errors)
    }

    fn signal(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
    }
}

impl Drop for ServedHost {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.signal();
            let _ = self.child.wait();
        }
    }
}

/// Status and body of an answer.
fn parts(text: &str) -> (u16, String) {
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The children of a process, by their ids.
fn children(of: u32) -> Vec<u32> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace()
        .map(|id| id.parse().unwrap())
        .collect()
}

/// A field of `/proc/PID/status`.
fn status(pid: u32, field: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn the_stack_is_that_of_check() {
    let served = ServedHost::start(&[]);
    assert_eq!(served.get("/healthz", ""), (200, "ok\n".to_owned()));
    let stack = served.json("/api/v1/stack");
    super::schema::valid(&stack, "check-1.schema.json");
    assert_eq!(stack["targets"][0]["target"], "this host");
    let check = Command::new(PROGRAM)
        .args(["check", "--no-policy", "--json"])
        .output()
        .unwrap();
    let check: Value = serde_json::from_slice(&check.stdout).unwrap();
    let disks = |document: &Value| -> Vec<Value> {
        let layers = document["targets"][0]["layers"].as_array().unwrap();
        // Tests beside this one come and go with their loop devices.
        let kept = layers.iter().filter(|layer| layer["kind"] == "disk");
        let names = kept.map(|layer| layer["name"].clone());
        names
            .filter(|name| !name.as_str().unwrap().starts_with("loop"))
            .collect()
    };
    assert_eq!(disks(&stack), disks(&check));
    let (code, errors) = served.end();
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn the_server_has_no_rights_and_its_checker_ends_with_it() {
    let served = ServedHost::start(&[]);
    served.json("/api/v1/stack");
    let server = served.child.id();
    for set in ["CapEff:", "CapPrm:", "CapInh:"] {
        assert_eq!(status(server, set), "0".repeat(16), "{set}");
    }
    assert_eq!(status(server, "NoNewPrivs:"), "1");
    let checkers = children(server);
    assert_eq!(checkers.len(), 1, "{checkers:?}");
    let checker = checkers[0];
    let id = rustix::process::Pid::from_child(&served.child);
    rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    drop(served);
    let is_gone =
        || !Path::new(&format!("/proc/{checker}")).exists() || status(checker, "State:") == "Z";
    let begun = Instant::now();
    while !is_gone() {
        assert!(
            begun.elapsed() < PATIENCE,
            "the checker outlives its server"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_token_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let token = "0123456789abcdef0123456789abcdef";
    std::fs::write(&file, format!("{token}\n")).unwrap();
    let served = ServedHost::start(&["--token-file", file.to_str().unwrap()]);
    assert_eq!(served.get("/api/v1/stack", "").0, 401);
    let shown = format!("Authorization: Bearer {token}\r\n");
    assert_ne!(served.get("/api/v1/stack", &shown).0, 401);
    let (_, errors) = served.end();
    assert!(!errors.contains(token), "{errors}");
}
