//! End to end: a real Prometheus scrapes a real node_exporter that reads our textfile.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ioalign_testkit::run::text;
use serde_json::Value;

use super::rules::queries;
use super::{bad, file, run};

/// After this the test has failed; it takes about five seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that goes away with the test, however that ends.
struct Server(Child);

impl Server {
    fn start(program: &str, arguments: &[String]) -> Self {
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap_or_else(|error| panic!("{program} is needed for this test: {error}")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port of the loopback interface that nobody has at this moment.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The body of a page, once the server gives one with status 200.
fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.lines()
        .next()?
        .contains(" 200 ")
        .then(|| body.to_owned())
}

/// Asks again and again until there is an answer.
fn wait<T>(deadline: Instant, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "no answer in time: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
        out
    })
}

/// The samples of a query; `None` until the server answers.
fn query(port: u16, query: &str) -> Option<Vec<Value>> {
    let body = get(port, &format!("/api/v1/query?query={}", encoded(query)))?;
    let answer: Value = serde_json::from_str(&body).ok()?;
    assert_eq!(answer["status"], "success", "{query}: {body}");
    answer["data"]["result"].as_array().cloned()
}

fn start(folder: &Path, exporter: u16, prometheus: u16) -> [Server; 2] {
    let config = folder.join("prometheus.yml");
    let rules = file("contrib/prometheus/alerts.yml")
        .canonicalize()
        .unwrap();
    let yaml = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n\
         rule_files: ['{}']\n\
         scrape_configs:\n- job_name: node\n  static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]\n",
        text(&rules)
    );
    std::fs::write(&config, yaml).unwrap();
    let listen = |port: u16| format!("--web.listen-address=127.0.0.1:{port}");
    [
        Server::start(
            "prometheus-node-exporter",
            &[
                "--collector.disable-defaults".to_owned(),
                "--collector.textfile".to_owned(),
                format!("--collector.textfile.directory={}", text(folder)),
                listen(exporter),
            ],
        ),
        Server::start(
            "prometheus",
            &[
                format!("--config.file={}", text(&config)),
                format!("--storage.tsdb.path={}", text(&folder.join("data"))),
                listen(prometheus),
            ],
        ),
    ]
}

#[test]
fn prometheus_finds_what_ioalign_wrote() {
    needs!(Packages);
    let image = bad();
    let folder = tempfile::tempdir().unwrap();
    let textfile = folder.path().join("ioalign.prom");
    let arguments = [
        "/usr/bin/ioalign",
        "check",
        "--no-policy",
        "--format",
        "prometheus",
        "--output",
    ];
    let output = run(&arguments, &[text(&textfile), text(image.path())]);
    assert_eq!(output.status.code(), Some(1));

    let (exporter, prometheus) = (free_port(), free_port());
    let _servers = start(folder.path(), exporter, prometheus);
    let deadline = Instant::now() + PATIENCE;
    let wanted = "ioalign_partition_offset_bytes{device=\"p1\",unit=\"physical\"}";
    let found = wait(deadline, wanted, || {
        query(prometheus, wanted).filter(|samples| !samples.is_empty())
    });
    assert_eq!(found[0]["value"][1], "3584");
    assert_eq!(found[0]["metric"]["target"], text(image.path()));
    let errors = query(prometheus, "node_textfile_scrape_error").unwrap();
    assert_eq!(errors[0]["value"][1], "0");
    for panel in queries() {
        query(prometheus, &panel).unwrap_or_else(|| panic!("{panel}"));
    }
    let rule = wait(deadline, "the alert", || {
        let body = get(prometheus, "/api/v1/alerts")?;
        let alerts: Value = serde_json::from_str(&body).ok()?;
        let mut alerts = alerts["data"]["alerts"].as_array()?.iter();
        let ours = alerts.find(|alert| alert["labels"]["alertname"] == "StorageMisaligned")?;
        Some(ours["labels"]["rule"].clone())
    });
    assert_eq!(rule, "start-misaligned");
}
