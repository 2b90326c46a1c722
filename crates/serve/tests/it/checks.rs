//! `check` of what a client sends: bounded, and a bug in it ends nothing else.

use std::io::Write;
use std::time::{Duration, Instant};

use super::{Answer, Served};

#[test]
fn bytes_are_judged_under_their_name() {
    let served = Served::open();
    let answer = served.post("/api/v1/check?name=disk%20a.img", b"12345");
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, "{\"bytes\":5,\"name\":\"disk a.img\"}")
    );
    let long = format!("/api/v1/check?name={}", "x".repeat(5000));
    assert!(served.post(&long, b"1").body.len() < 300);
    assert_eq!(served.post("/api/v1/check", b"").status, 400);
    assert_eq!(served.post("/api/v1/check?name=refused", b"1").status, 422);
}

#[test]
fn more_bytes_than_are_judged_are_refused_unread() {
    let served = Served::open();
    let head = |length: &str| {
        format!(
            "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\n{length}\r\nConnection: close\r\n\r\n",
            served.address
        )
    };
    let begun = Instant::now();
    let answer = served.send(head("Content-Length: 67108865").as_bytes());
    assert_eq!(answer.status, 413, "{}", answer.body);
    assert!(begun.elapsed() < Duration::from_secs(5));
    // Without a length, by what has come.
    let mut stream = served.connect();
    stream
        .write_all(head("Transfer-Encoding: chunked").as_bytes())
        .unwrap();
    let chunk = [b"100000\r\n".as_slice(), &vec![0; 1 << 20], b"\r\n"].concat();
    let sent = (0..80)
        .take_while(|_| stream.write_all(&chunk).is_ok())
        .count();
    assert!(sent >= 64, "{sent}");
    // One that took them all would judge them now.
    let _ = stream.write_all(b"0\r\n\r\n");
    let mut all = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut all);
    let answer = Answer::of(&all);
    assert!([0, 413].contains(&answer.status), "{}", answer.status);
    let nonsense = served.send(head("Content-Length: many").as_bytes());
    assert_eq!(nonsense.status, 400);
    assert_eq!(served.post("/api/v1/check", b"1").status, 200);
}

#[test]
fn a_bug_in_a_check_ends_that_answer_only() {
    let served = Served::open();
    for _ in 0..3 {
        let answer = served.post("/api/v1/check?name=panic", b"1");
        assert_eq!(answer.status, 500);
        assert!(!answer.body.contains("planted"), "{}", answer.body);
    }
    assert_eq!(served.post("/api/v1/check", b"1").status, 200);
}

#[test]
fn two_checks_at_a_time() {
    let served = Served::open();
    let codes: Vec<u16> = std::thread::scope(|scope| {
        let slow = || served.post("/api/v1/check?name=slow", b"1").status;
        let all: Vec<_> = (0..4).map(|_| scope.spawn(slow)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let done = codes.iter().filter(|code| **code == 200).count();
    let busy = codes.iter().filter(|code| **code == 503).count();
    assert_eq!((done, busy), (2, 2), "{codes:?}");
    // The others are answered meanwhile.
    assert_eq!(served.get("/healthz", "").status, 200);
}
