//! Clients that take too much: of the header, of the time, of the connections.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use ioalign_serve::ServerLimits;

use super::{Answer, Served};

fn short() -> ServerLimits {
    ServerLimits {
        connections: 4,
        header_time: Duration::from_millis(400),
        write_time: Duration::from_millis(400),
        ..ServerLimits::default()
    }
}

#[test]
fn a_header_of_a_mebibyte_is_refused() {
    let served = Served::open();
    let name = format!("X-Long: {}\r\n", "x".repeat(1 << 20));
    let answer = served.get("/healthz", &name);
    assert!([0, 431].contains(&answer.status), "{}", answer.status);
    let many: String = (0..5000).map(|n| format!("X-{n}: 1\r\n")).collect();
    let answer = served.get("/healthz", &many);
    assert!([0, 431].contains(&answer.status), "{}", answer.status);
    let path = format!("/{}", "x".repeat(1 << 20));
    let answer = served.get(&path, "");
    assert!([0, 414, 431].contains(&answer.status), "{}", answer.status);
    assert_eq!(served.get("/healthz", "").status, 200);
}

/// A byte now and then keeps no connection: those who wait get their turn.
#[test]
fn slow_clients_keep_nobody_waiting() {
    let served = Served::new(None, short());
    let slow: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    assert_eq!(served.get("/healthz", "").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5));
    for mut stream in slow {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert_ne!(Answer::of(&rest).status, 200);
    }
}

/// One that asks much and reads nothing is cut off.
#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let served = Served::new(None, short());
    served.board.set_stack(Ok("x".repeat(64 << 20)));
    let head = format!(
        "GET /api/v1/stack HTTP/1.1\r\nHost: {}\r\n\r\n",
        served.address
    );
    let deaf: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    // All places are taken until then.
    assert_eq!(served.get("/healthz", "").status, 200);
    // The last of them has waited as long by then.
    std::thread::sleep(Duration::from_secs(1));
    for mut stream in deaf {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        assert!(bytes.len() < 64 << 20, "all of it was sent");
    }
}

#[test]
fn a_large_body_is_not_read() {
    let served = Served::open();
    let head = format!(
        "POST /healthz HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000000000\r\nConnection: close\r\n\r\n",
        served.address
    );
    let begun = Instant::now();
    let answer = served.send(head.as_bytes());
    assert_eq!(answer.status, 405);
    assert!(begun.elapsed() < Duration::from_secs(10));
}
