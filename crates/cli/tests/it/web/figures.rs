//! What is counted, as JSON and as metrics; and what is said where it cannot be.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;

use ioalign_testkit::run::{promtool, text, tool};
use serde_json::{Value, json};

use super::{PATIENCE, ServedHost};
use crate::watch::Memory;

impl ServedHost {
    /// The next second, as a listener gets it.
    fn event(&self) -> Value {
        let address = self.address();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("GET /api/v1/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        serde_json::from_str(&data.unwrap()).unwrap()
    }
}

/// A document against a schema of the description of the API.
fn described(document: &Value, schema: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/openapi.json");
    let description: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/components/schemas/{schema}"),
        "components": description["components"],
    });
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?} {document}");
}

/// The metrics once they have a line.
fn metrics(served: &ServedHost, line: &str) -> String {
    let begun = std::time::Instant::now();
    loop {
        let (_, metrics) = served.get("/metrics", "");
        if metrics.lines().any(|one| one == line) {
            return metrics;
        }
        assert!(begun.elapsed() < PATIENCE, "{line}: {metrics}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
fn counters_are_those_of_the_load() {
    needs!(Root, Packages);
    let disk = Memory::new("figures", 64);
    let served = ServedHost::start(&[disk.name()]);
    served.json("/api/v1/stack");
    let device = format!("--filename={}", disk.device.text());
    let job = [
        "--name=a",
        "--rw=write",
        "--bs=8k",
        "--direct=1",
        "--ioengine=psync",
    ];
    let place = ["--offset=4k", "--size=4m", "--io_size=4m", &device];
    tool("fio", &[&job[..], &place[..]].concat());
    let labels = format!("device=\"{}\",op=\"write\"", disk.name());
    let metrics = metrics(
        &served,
        &format!("ioalign_io_requests_total{{{labels}}} 512"),
    );
    for line in [
        format!("ioalign_io_bytes_total{{{labels}}} 4194304"),
        format!(
            "ioalign_io_crossing_total{{{labels},kind=\"physical-block\",phase_bytes=\"0\",unit_bytes=\"4096\"}} 0"
        ),
        "ioalign_watch_dropped_total 0".to_owned(),
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line}: {metrics}");
    }
    assert!(metrics.contains("ioalign_target_verdict"), "{metrics}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("metrics");
    std::fs::write(&file, &metrics).unwrap();
    promtool(&file);
    let profile = served.json("/api/v1/profile");
    crate::schema::valid(&profile, "profile.json");
    assert_eq!(profile["devices"][0]["by_op"]["write"]["ios"], 512);
    let one = served.json(&format!("/api/v1/devices/{}/profile", disk.name()));
    assert_eq!(one["by_op"]["write"]["size_histogram"][0]["bytes"], 8192);
    let history = served.json(&format!("/api/v1/devices/{}/history", disk.name()));
    described(&history, "History");
    let event = served.event();
    described(&event, "LiveDocument");
    assert_eq!(event["why_not"], Value::Null);
    let (_, reports) = served.get("/api/v1/reports", "");
    described(&serde_json::from_str(&reports).unwrap(), "ReportList");
}

/// Nobody may count I/O: the pages are there, the kernel's own sums are shown, and the reason is said.
#[test]
fn without_rights_the_reason_is_said() {
    needs!(Root, Packages);
    let folder = tempfile::tempdir().unwrap();
    let program = crate::unprivileged::program(&folder);
    let served = ServedHost::of(
        "setpriv",
        &["--reuid=65534", "--regid=65534", "--clear-groups", &program],
        &[],
    );
    let event = served.event();
    described(&event, "LiveDocument");
    let why = event["why_not"].as_str().unwrap();
    assert!(why.contains("CAP_BPF"), "{why}");
    let (status, body) = served.get("/api/v1/profile", "");
    assert_eq!(status, 503);
    assert!(body.contains("CAP_BPF"), "{body}");
    let stack = served.json("/api/v1/stack");
    assert_eq!(stack["targets"][0]["target"], "this host");
    assert_eq!(served.get("/", "").0, 200);
    let (code, errors) = served.end();
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains("no live counters on boundaries"),
        "{errors}"
    );
}

#[test]
fn a_folder_of_reports_is_listed_and_never_left() {
    let folder = tempfile::tempdir().unwrap();
    let reports = folder.path().join("reports");
    std::fs::create_dir(&reports).unwrap();
    let document = "{\"schema\":\"ioalign.geometry/1\",\"found\":false}";
    std::fs::write(reports.join("probe.json"), document).unwrap();
    std::fs::write(folder.path().join("outside.json"), document).unwrap();
    let served = ServedHost::start(&["--reports", text(&reports)]);
    let list = served.json("/api/v1/reports");
    described(&list, "ReportList");
    assert_eq!(list["reports"][0]["name"], "probe.json");
    assert!(!list.to_string().contains(text(folder.path())), "{list}");
    assert_eq!(served.get("/api/v1/reports/probe.json", "").1, document);
    for path in [
        "..%2Foutside.json",
        "%2Fetc%2Fpasswd",
        "..",
        ".%2Fprobe.json",
    ] {
        assert_eq!(
            served.get(&format!("/api/v1/reports/{path}"), "").0,
            404,
            "{path}"
        );
    }
    // A report that is written while the server runs appears.
    std::fs::write(reports.join("later.json"), document).unwrap();
    assert_eq!(
        served.json("/api/v1/reports")["reports"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}
