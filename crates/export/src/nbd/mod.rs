//! A server of the network block device on a Unix socket.
//!
//! The protocol is that of `doc/proto.md` of the NBD project: the fixed newstyle handshake and simple replies. The
//! `nbd` crate serves one request at a time, which would be a device of queue depth 1, so the protocol is here.
//!
//! A client is not trusted: messages have limits, a handshake has a deadline, and a client that does not take its answers
//! keeps only itself waiting.

mod connection;
mod handshake;
mod limit;
mod request;
mod wire;

use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::fs::Mode;

pub use handshake::{NbdExport, handshake};
pub use request::{NbdCommand, NbdRequest};

use crate::server::BlockServer;

/// More clients than this at a time are refused.
const MOST_CLIENTS: usize = 16;

/// A server that takes clients until it is dropped.
#[derive(Debug)]
pub struct NbdServer {
    shared: Arc<NbdClients>,
    address: std::path::PathBuf,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct NbdClients {
    stops: AtomicBool,
    /// Of those that are connected, by number.
    streams: Mutex<Vec<(u64, UnixStream)>>,
}

impl NbdServer {
    /// Listens on a path that does not exist yet. Only its owner can connect.
    pub fn listen(server: Arc<BlockServer>, path: &Path) -> io::Result<Self> {
        let before = rustix::process::umask(Mode::RWXG | Mode::RWXO);
        let listener = UnixListener::bind(path);
        rustix::process::umask(before);
        let listener = listener?;
        let shared = Arc::new(NbdClients {
            stops: AtomicBool::new(false),
            streams: Mutex::new(Vec::new()),
        });
        let clients = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("ioalign-nbd".to_owned());
        let thread = thread.spawn(move || accept(&listener, &clients, &server))?;
        Ok(Self {
            shared,
            address: path.to_owned(),
            thread: Some(thread),
        })
    }
}

impl Drop for NbdServer {
    fn drop(&mut self) {
        self.shared.stops.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        drop(UnixStream::connect(&self.address));
        // Where it could not be woken it ends with the process.
        if let Some(thread) = self.thread.take()
            && std::fs::remove_file(&self.address).is_ok()
        {
            let _ = thread.join();
        }
        for (_, stream) in self.shared.streams().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl NbdClients {
    fn streams(&self) -> std::sync::MutexGuard<'_, Vec<(u64, UnixStream)>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, number: u64) {
        self.streams().retain(|(one, _)| *one != number);
    }
}

fn accept(listener: &UnixListener, clients: &Arc<NbdClients>, server: &Arc<BlockServer>) {
    for number in 0.. {
        let accepted = listener.accept();
        if clients.stops.load(Ordering::Relaxed) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            // Out of descriptors: some come back when a client leaves.
            std::thread::sleep(std::time::Duration::from_millis(100));
            continue;
        };
        let Ok(kept) = stream.try_clone() else {
            continue;
        };
        let mut streams = clients.streams();
        if streams.len() >= MOST_CLIENTS {
            continue;
        }
        streams.push((number, kept));
        drop(streams);
        let (clients, server) = (Arc::clone(clients), Arc::clone(server));
        let thread = std::thread::Builder::new().name("ioalign-client".to_owned());
        let started = thread.spawn({
            let clients = Arc::clone(&clients);
            move || {
                // However it ends, it ends for this client alone.
                let _ = connection::serve(&stream, &server);
                let _ = stream.shutdown(Shutdown::Both);
                clients.leave(number);
            }
        });
        if started.is_err() {
            clients.leave(number);
        }
    }
}
