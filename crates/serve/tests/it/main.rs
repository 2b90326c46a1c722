//! The server over real connections.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod access;
mod answers;
mod api;
mod checks;
mod limits;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use answers::TestAnswers;
use ioalign_serve::{
    AccessRules, AccessToken, Board, HostNames, ServerLimits, WebApp, WebServer, host,
};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server that ends with this.
struct Served {
    address: SocketAddr,
    board: Arc<Board>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new(token: Option<&str>, limits: ServerLimits) -> Self {
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let server = WebServer::bind(any, None, limits).unwrap();
        let address = server.address().unwrap();
        let rules = AccessRules {
            hosts: HostNames::new(any.ip(), Vec::new()),
            token: token.map(|token| AccessToken::parse(token).unwrap()),
        };
        let board = Arc::new(Board::new());
        let app = WebApp::new(rules).with(host::routes(Arc::clone(&board), Arc::new(TestAnswers)));
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let work = move || server.run(app.router(), &flag).unwrap();
        Self {
            address,
            board,
            stop,
            thread: Some(std::thread::spawn(work)),
        }
    }

    fn open() -> Self {
        Self::new(None, ServerLimits::default())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        let longest = Some(Duration::from_secs(20));
        stream.set_read_timeout(longest).unwrap();
        stream
    }

    /// Sends bytes and reads to the end of the connection.
    fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has heard enough may hang up before the end.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Answer::of(&all)
    }

    /// `POST path` with a body.
    fn post(&self, path: &str, body: &[u8]) -> Answer {
        let (host, len) = (self.address, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n"
        );
        self.send(&[head.as_bytes(), body].concat())
    }

    /// `GET path` with further lines of the header.
    fn get(&self, path: &str, more: &str) -> Answer {
        let host = self.address;
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
        self.send(head.as_bytes())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// An answer in its parts; status 0: the connection ended without one.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
