//! The API, against its own description.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use ioalign_serve::{LiveDevice, LiveMoment, host};
use serde_json::Value;

use super::Served;

fn full() -> Served {
    let served = Served::open();
    served.board.set_stack(Ok("{}".to_owned()));
    let devices = BTreeMap::from([("sda".to_owned(), "{\"device\":\"sda\"}".to_owned())]);
    served
        .board
        .set_profile(Ok("{\"devices\":[]}".to_owned()), devices);
    served.board.set_check_metrics("a 1\n".to_owned());
    served.board.set_watch_metrics("b 2\n".to_owned());
    served
}

fn moment(number: u64) -> LiveMoment {
    let mut device = LiveDevice::default();
    device.figures.name = "sda".to_owned();
    device.figures.iostat.read.ios = 5.0;
    LiveMoment {
        number,
        at_ms: number * 1000,
        seconds: 1.0,
        why_not: Some("a reason".to_owned()),
        devices: vec![device],
    }
}

/// Every route is described, every description has its route, and answers as it says.
#[test]
fn the_description_is_that_of_the_routes() {
    let served = full();
    let text = served.get("/api/openapi.json", "").body;
    let described: Value = serde_json::from_str(&text).unwrap();
    let paths = described["paths"].as_object().unwrap();
    let named: BTreeSet<&str> = paths.keys().map(String::as_str).collect();
    let mut real: BTreeSet<&str> = host::paths().into_iter().collect();
    real.insert("/healthz");
    assert_eq!(named, real);
    for (path, methods) in paths {
        let real = path.replace("{name}", "a.json");
        for (method, operation) in methods.as_object().unwrap() {
            if path == "/api/v1/events" {
                continue;
            }
            let answer = match method.as_str() {
                "get" => served.get(&real, ""),
                "post" => served.post(&real, b"x"),
                other => panic!("{other}"),
            };
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            let kind = answer.header("content-type").unwrap();
            let kind = kind.split(';').next().unwrap();
            let content = &operation["responses"]["200"]["content"];
            assert!(!content[kind].is_null(), "{path}: {kind}");
            // Other methods are refused.
            let other = if method == "get" { "DELETE" } else { "GET" };
            let head = format!(
                "{other} {real} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                served.address
            );
            assert_eq!(served.send(head.as_bytes()).status, 405, "{other} {path}");
        }
    }
}

#[test]
fn what_was_published_is_answered() {
    let served = full();
    assert_eq!(served.get("/metrics", "").body, "a 1\nb 2\n");
    let device = |name: &str| {
        served
            .get(&format!("/api/v1/devices/{name}/profile"), "")
            .body
    };
    assert_eq!(device("sda"), "{\"device\":\"sda\"}");
    assert_eq!(device("%3Cscript%3E"), "{}");
    served.board.publish(&moment(1));
    let history = served.get("/api/v1/devices/sda/history", "").body;
    let history: Value = serde_json::from_str(&history).unwrap();
    assert_eq!(history["read_iops"], serde_json::json!([5.0]));
    served
        .board
        .set_profile(Err("no rights".to_owned()), BTreeMap::new());
    let refused = served.get("/api/v1/profile", "");
    assert_eq!((refused.status, device("sda").as_str()), (503, "{}"));
    assert!(refused.body.contains("no rights"), "{}", refused.body);
    let list: Value = serde_json::from_str(&served.get("/api/v1/reports", "").body).unwrap();
    assert_eq!(list["reports"][0]["name"], "a.json");
    assert_eq!(
        (&list["served"], &list["left_out"]),
        (&true.into(), &2.into())
    );
}

#[test]
fn a_listener_gets_the_last_second_and_every_new_one() {
    let served = full();
    served.board.publish(&moment(1));
    let mut stream = served.connect();
    let head = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut next = || {
        lines
            .find_map(|line| line.strip_prefix("data: ").map(str::to_owned))
            .unwrap()
    };
    let first: Value = serde_json::from_str(&next()).unwrap();
    assert_eq!(first["number"], 1);
    let begun = Instant::now();
    served.board.publish(&moment(2));
    let second: Value = serde_json::from_str(&next()).unwrap();
    assert_eq!(second["number"], 2);
    assert_eq!(second["why_not"], "a reason");
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn listeners_have_a_limit() {
    let served = full();
    served.board.publish(&moment(1));
    let head = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        served.address
    );
    let mut open = Vec::new();
    for number in 0..65 {
        let mut stream = served.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        let wanted = if number < 64 { "200" } else { "503" };
        assert!(line.contains(wanted), "{number}: {line}");
        open.push(stream);
    }
}

#[test]
fn a_report_is_a_page_without_scripts() {
    let served = full();
    let page = served.get("/api/v1/reports/a.json/view", "");
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("sandbox") && !policy.contains("script-src"),
        "{policy}"
    );
    let text = served.get("/api/v1/reports/text.json/view", "");
    assert_eq!(
        text.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    for path in ["..%2Fa.json", "b.json", "a.json%00"] {
        assert_eq!(
            served.get(&format!("/api/v1/reports/{path}"), "").status,
            404,
            "{path}"
        );
    }
}

#[test]
fn every_page_is_there() {
    let served = full();
    for page in [
        "/",
        "/device/sda",
        "/device/%3Cscript%3E",
        "/reports",
        "/check",
    ] {
        let answer = served.get(page, "");
        assert_eq!(answer.status, 200, "{page}");
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert!(!answer.body.contains("<script>"), "{page}");
        for part in answer
            .body
            .split('"')
            .filter(|part| part.starts_with("/pages/"))
        {
            assert_eq!(served.get(part, "").status, 200, "{part}");
        }
    }
}
