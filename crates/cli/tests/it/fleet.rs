//! `ioalign serve --collect` and `ioalign push`: hosts, a server, and what lies between them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use ioalign_fleet::{PushEnvelope, envelope, hash};
use ioalign_testkit::bundle::BundleMember;
use ioalign_testkit::sysroot::SysrootDisk;
use ioalign_testkit::{BundleBuilder, Random, Sysroot};
use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub const OWNER: &str = "fedcba9876543210fedcba9876543210";

/// A folder with a store, a list of agents and tokens.
pub struct MadeFleet {
    pub folder: tempfile::TempDir,
}

/// A server; it is killed when this is dropped.
pub struct FleetProcess {
    child: Child,
    pub url: String,
}

impl MadeFleet {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = |name: &str, token: &str, may: &str| {
            let hash = hash::of(token.as_bytes());
            format!("[[agent]]\nname = \"{name}\"\ntoken_sha256 = \"{hash}\"\nmay = [{may}]\n")
        };
        let agents = agent("rack", TOKEN, "\"push\"") + &agent("ann", OWNER, "\"waive\"");
        fs::write(folder.path().join("agents.toml"), agents).unwrap();
        fs::write(folder.path().join("token"), format!("{TOKEN}\n")).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn serve(&self, more: &[&str]) -> FleetProcess {
        let mut child = Command::new(PROGRAM)
            .args([
                "serve",
                "--collect",
                "--listen",
                "127.0.0.1:0",
                "--json",
                "--store",
            ])
            .arg(format!("sqlite:{}", self.path("fleet.db").display()))
            .arg("--agents-file")
            .arg(self.path("agents.toml"))
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let url = ready["url"]
            .as_str()
            .unwrap()
            .trim_end_matches('/')
            .to_owned();
        FleetProcess { child, url }
    }

    /// Pushes a made host: exit code, document and messages.
    pub fn push(&self, url: &str, host: &Sysroot, more: &[&str]) -> (Option<i32>, Value, String) {
        let output = Command::new(PROGRAM)
            .args(["push", url, "--json", "--retry-for", "10ms", "--sysroot"])
            .arg(host.path())
            .arg("--spool")
            .arg(self.path("spool"))
            .arg("--token-file")
            .arg(self.path("token"))
            .args(more)
            .output()
            .unwrap();
        let Output {
            stdout,
            stderr,
            status,
        } = output;
        let document = serde_json::from_slice(&stdout).unwrap_or(Value::Null);
        (
            status.code(),
            document,
            String::from_utf8_lossy(&stderr).into_owned(),
        )
    }
}

impl FleetProcess {
    pub fn ask(&self, request: &str, head: &str, body: &[u8]) -> (u16, String) {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n{head}Connection: close\r\n\r\n"
        );
        // A server that refuses by the head may close before it has read the body.
        let _ = stream.write_all(&[head.as_bytes(), body].concat());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_owned())
    }

    pub fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask(&format!("GET /api/v1/fleet/{path}"), "", b"");
        assert_eq!(status, 200, "{path}: {body}");
        let document: Value = serde_json::from_str(&body).unwrap();
        valid(&document, "fleet-1.schema.json");
        document["answer"].clone()
    }

    fn push(&self, token: &str, push: &[u8]) -> u16 {
        let head = format!("Authorization: Bearer {token}\r\n");
        self.ask("POST /api/v1/push", &head, push).0
    }
}

impl Drop for FleetProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A disk whose partition starts at sector 63.
fn host() -> Sysroot {
    let disk = SysrootDisk::new("sda", 1 << 21)
        .limits(512, 4096, 4096, 0)
        .model("ACME", "DISK 9");
    Sysroot::new()
        .disk(disk)
        .partition("sda", 1, 63, 1 << 20)
        .file("etc/machine-id", "0123456789abcdef0123456789abcdef\n")
        .file("proc/sys/kernel/hostname", "db1\n")
}

#[test]
fn a_push_is_in_the_store_when_it_is_acknowledged() {
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    let (code, document, said) = fleet.push(&server.url, &host(), &[]);
    valid(&document, "push-1.schema.json");
    assert_eq!(
        (code, &document["acknowledged"], &document["waiting"]),
        (Some(0), &1.into(), &0.into()),
        "{said}"
    );
    // Killed at once: what it acknowledged is there.
    drop(server);
    let server = fleet.serve(&[]);
    assert_eq!(server.get("overview")["hosts"], 1);
    let worst = &server.get("worst")[0];
    assert_eq!(
        (&worst["host"], &worst["severity"]),
        (&"db1".into(), &"misaligned".into())
    );
    let one = server.get("hosts/db1");
    assert_eq!(
        (&one["reports"][0]["pushed_by"], &one["devices"][0]["model"]),
        (&"rack".into(), &"DISK 9".into())
    );
    for question in [
        "rules",
        "models",
        "ages",
        "busy",
        "gains",
        "claims",
        "changes",
        "waivers",
        "search?q=db",
    ] {
        assert!(!server.get(question).is_null(), "{question}");
    }
    let (status, page) = server.ask("GET /fleet", "", b"");
    assert!(status == 200 && page.contains("/pages/fleet.js"));
    let (_, metrics) = server.ask("GET /metrics", "", b"");
    assert!(
        metrics.contains("ioalign_fleet_hosts{severity=\"misaligned\"} 1\n"),
        "{metrics}"
    );
    let (_, csv) = server.ask("GET /api/v1/fleet/export/findings.csv", "", b"");
    assert!(csv.contains(",db1,start-misaligned,misaligned,"), "{csv}");
}

#[test]
fn a_server_that_is_away_loses_nothing() {
    let fleet = MadeFleet::new();
    let url = fleet.serve(&[]).url.clone();
    for waiting in 1..3 {
        let (code, document, said) = fleet.push(&url, &host(), &[]);
        assert_eq!(
            (code, &document["waiting"]),
            (Some(1), &waiting.into()),
            "{said}"
        );
        assert!(said.contains("waits in the spool"), "{said}");
    }
    let server = fleet.serve(&[]);
    // A wrong token may be put right: nothing is thrown away for it.
    fs::write(fleet.path("token"), "x".repeat(32)).unwrap();
    assert_eq!(fleet.push(&server.url, &host(), &[]).1["waiting"], 3);
    fs::write(fleet.path("token"), TOKEN).unwrap();
    let (code, document, said) = fleet.push(&server.url, &host(), &[]);
    assert_eq!(
        (code, &document["acknowledged"], &document["waiting"]),
        (Some(0), &4.into(), &0.into()),
        "{said}"
    );
    // The same bytes in the same second are one report.
    let reports = server.get("overview")["reports"].as_u64().unwrap();
    assert_eq!(reports + document["duplicates"].as_u64().unwrap(), 4);
}

#[test]
fn a_token_crosses_no_network_in_the_open() {
    let fleet = MadeFleet::new();
    for url in [
        "http://192.0.2.1:9184",
        "ftp://localhost",
        "localhost:9184",
        "https://user@host",
    ] {
        let (code, _, said) = fleet.push(url, &host(), &[]);
        assert_eq!(code, Some(64), "{url}: {said}");
    }
    assert!(
        !Path::new(&fleet.path("spool"))
            .join("0000000000000001.push")
            .exists()
    );
}

#[test]
fn hostile_pushes_are_refused_and_the_server_goes_on() {
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    let wrapped = |capture: Vec<u8>| {
        let envelope = PushEnvelope {
            host_id: envelope::host_id("x"),
            host: "evil".to_owned(),
            taken_at_seconds: i64::MIN,
            capture,
            profile: None,
        };
        envelope.encode().unwrap()
    };
    let tar = |member: BundleMember| BundleBuilder::new("top").member(member).tar();
    let escape = BundleMember::link("top/sys/block/sda", b'2', "../../../../../etc/shadow");
    let device = BundleMember {
        flag: b'3',
        ..BundleMember::file("top/dev/sda", "")
    };
    let good = BundleBuilder::new("top")
        .queue("sda", (512, 4096, 4096, 0))
        .file("sys/block/sda/size", "x".repeat(1 << 20))
        .tar();
    let mut all = vec![
        b"".to_vec(),
        b"{".to_vec(),
        vec![0; 1 << 20],
        wrapped(b"no tarball".to_vec()),
        wrapped(tar(escape)),
        wrapped(tar(device)),
        wrapped(tar(BundleMember::file("../../etc/passwd", "x"))),
    ];
    all.extend(
        (1..good.len())
            .step_by(good.len() / 40)
            .map(|end| wrapped(good[..end].to_vec())),
    );
    let mut random = Random(19);
    all.extend((0..64).map(|_| {
        let mut mutated = good.clone();
        for _ in 0..=random.below(8) {
            // Headers of the tarball rather than the long text in it.
            let at = random.below(4096);
            mutated[at] = u8::try_from(random.below(256)).unwrap();
        }
        wrapped(mutated)
    }));
    for (number, push) in all.iter().enumerate() {
        let status = server.push(TOKEN, push);
        assert!([200, 422].contains(&status), "{number}: {status}");
    }
    assert_eq!(server.push("", &all[0]), 401);
    assert_eq!(
        server.push(OWNER, &all[0]),
        401,
        "it may waive, and not push"
    );
    let (status, _) = server.ask(
        "GET /fleet",
        &format!("X: {}\r\n", "y".repeat(1 << 20)),
        b"",
    );
    assert_ne!(status, 200);
    let (status, _) = server.ask(
        "POST /api/v1/push",
        &format!("Authorization: Bearer {TOKEN}\r\nX-L: 1\r\n"),
        &vec![b'x'; 20 << 20],
    );
    assert!([0, 413].contains(&status), "{status}");
    assert_eq!(server.ask("GET /healthz", "", b"").0, 200);
}

/// SQLite keeps the pages that a statement changes for its rollback, and the server may open no temporary file for them.
#[test]
fn a_statement_of_many_pages_needs_no_other_file() {
    let fleet = MadeFleet::new();
    let mut server = fleet.serve(&[]);
    let mut random = Random(7);
    for time in 0..3 {
        if time == 2 {
            drop(server);
            server = fleet.serve(&["--keep", "1"]);
        }
        let mut bundle = BundleBuilder::new("top");
        for disk in 0..60 {
            let name = format!("sd{disk}");
            bundle = bundle
                .queue(&name, (512, 4096, 4096, 0))
                .file(&format!("sys/block/{name}/size"), "2097152\n")
                .file(
                    &format!("sys/block/{name}/device/model"),
                    (0..200)
                        .map(|_| format!("{:x}", random.next()))
                        .collect::<String>(),
                );
        }
        let push = PushEnvelope {
            host_id: envelope::host_id("x"),
            host: "many".to_owned(),
            taken_at_seconds: time,
            capture: bundle.tar(),
            profile: None,
        };
        assert_eq!(server.push(TOKEN, &push.encode().unwrap()), 200, "{time}");
    }
    let reports = &server.get("hosts/many")["reports"];
    assert_eq!(reports.as_array().map(Vec::len), Some(1), "{reports}");
}

#[test]
fn a_push_too_many_is_asked_to_come_again() {
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    let address = server.url.trim_start_matches("http://");
    let begun = format!(
        "POST /api/v1/push HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 4096\r\n\r\n{{"
    );
    let mut stalled: Vec<TcpStream> = (0..16)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(begun.as_bytes()).unwrap();
            stream
        })
        .collect();
    // The sixteen places are taken soon after; then who comes is sent away at once, and the pages are answered all the same.
    let refused = |stream: &mut TcpStream| {
        stream
            .set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let mut answer = [0; 512];
        let read = stream.read(&mut answer).unwrap_or(0);
        String::from_utf8_lossy(&answer[..read]).to_lowercase()
    };
    let more = (0..20).find_map(|_| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(begun.as_bytes()).unwrap();
        let answer = refused(&mut stream);
        stalled.push(stream);
        (!answer.is_empty()).then_some(answer)
    });
    let answer = more.unwrap();
    assert!(
        answer.starts_with("http/1.1 503") && answer.contains("\r\nretry-after: "),
        "{answer}"
    );
    assert_eq!(server.ask("GET /healthz", "", b"").0, 200);
    // An agent keeps what it was not rid of, and its next push finds a place.
    assert_eq!(fleet.push(&server.url, &host(), &[]).1["waiting"], 1);
    drop(stalled);
    let gone = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        fleet.push(&server.url, &host(), &[]).1["waiting"] == 0
    });
    assert!(gone);
}

#[test]
fn waivers_are_made_by_those_who_may() {
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    fleet.push(&server.url, &host(), &[]);
    let waiver = br#"{"rule": "start-misaligned", "host": "db1", "reason": "moved in March", "expires": "2999-12-31"}"#;
    let make = |token: &str| {
        let head = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        server.ask("POST /api/v1/fleet/waivers", &head, waiver).0
    };
    assert_eq!((make(TOKEN), make("")), (401, 401));
    assert_eq!(make(OWNER), 200);
    let found = &server.get("waivers")[0];
    assert_eq!(
        (&found["owner"], &found["expires"]),
        (&"ann".into(), &"2999-12-31".into())
    );
    assert_eq!(server.get("worst")[0]["severity"], "ok");
    let delete = format!("DELETE /api/v1/fleet/waivers/{}", found["id"]);
    assert_eq!(
        server
            .ask(&delete, &format!("Authorization: Bearer {OWNER}\r\n"), b"")
            .0,
        204
    );
    assert_eq!(server.get("worst")[0]["severity"], "misaligned");
}
