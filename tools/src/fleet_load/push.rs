//! Pushes over HTTP, as many hosts send them: each with a capture of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ioalign_fleet::{PushEnvelope, envelope};
use ioalign_testkit::BundleBuilder;

/// A connection that stays, and what it has not read yet.
type KeptConnection = BufReader<TcpStream>;

/// Pushes `hosts` captures to `ADDRESS:PORT` over some connections; a server that is busy is asked again. Prints how many
/// were acknowledged a second, and how often it was busy.
pub fn push(address: &str, token: &str, hosts: usize, connections: usize) {
    let pushes: Vec<Vec<u8>> = (0..hosts).map(made).collect();
    let (next, busy) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let mut connection = connect(address);
                loop {
                    let host = next.fetch_add(1, Ordering::Relaxed);
                    if host >= hosts {
                        break;
                    }
                    while send(&mut connection, address, token, &pushes[host]) == 503 {
                        busy.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(20));
                        // The server has not read the body, and ends the connection.
                        connection = connect(address);
                    }
                }
            });
        }
    });
    let took = began.elapsed().as_secs_f64();
    let rate = f64::from(u32::try_from(hosts).unwrap()) / took;
    let busy = busy.into_inner();
    println!("{hosts} pushes acknowledged in {took:.1} s: {rate:.0} a second; {busy} times busy");
}

fn connect(address: &str) -> KeptConnection {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    BufReader::new(stream)
}

/// The status: 200, or 503 where it is to come again. All else ends the load.
fn send(connection: &mut KeptConnection, address: &str, token: &str, body: &[u8]) -> u16 {
    let head = format!(
        "POST /api/v1/push HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    // A server that is busy may end the connection while the body is still on its way.
    let _ = connection
        .get_mut()
        .write_all(&[head.as_bytes(), body].concat());
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        assert!(
            connection.read_line(&mut line).unwrap() > 0,
            "the server has ended"
        );
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        } else if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().unwrap();
        } else if let Some(rest) = line.strip_prefix("content-length: ") {
            length = rest.parse().unwrap();
        }
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer).unwrap();
    assert!(
        [200, 503].contains(&status),
        "{status}: {}",
        String::from_utf8_lossy(&answer)
    );
    status
}

/// A host with two disks; one in ten has a partition at sector 63.
fn made(host: usize) -> Vec<u8> {
    let start = if host.is_multiple_of(10) { 63 } else { 2048 };
    let mut bundle = BundleBuilder::new("top")
        .file("proc/sys/kernel/hostname", format!("host-{host}\n"))
        .file("etc/machine-id", format!("{host:032x}\n"));
    for name in ["sda", "sdb"] {
        let disk = format!("sys/block/{name}");
        bundle = bundle
            .queue(name, (512, 4096, 4096, 0))
            .file(&format!("{disk}/size"), format!("{}\n", (1 << 21) + host))
            .file(
                &format!("{disk}/device/model"),
                format!("DISK {}\n", host % 20),
            )
            .file(&format!("{disk}/{name}1/partition"), "1\n")
            .file(&format!("{disk}/{name}1/start"), format!("{start}\n"))
            .file(&format!("{disk}/{name}1/size"), "1048576\n");
    }
    let push = PushEnvelope {
        host_id: envelope::host_id(&format!("{host}")),
        host: format!("host-{host}"),
        taken_at_seconds: 1_790_000_000,
        capture: bundle.tar(),
        profile: None,
    };
    push.encode().unwrap()
}
