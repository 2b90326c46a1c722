//! Connections, their limits, and the thread that serves them.
//!
//! One thread serves all: an answer is a copy of something that is there already. What takes longer (`check` of bytes)
//! has threads of its own.

use std::io::{Error, Result};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::patient::Patient;
use crate::tls::TlsFiles;

/// How often the server looks whether it is to end.
const GLANCE: Duration = Duration::from_millis(100);
/// Time to get better when the system has no more descriptors.
const BREATH: Duration = Duration::from_millis(50);

/// What a client may take.
#[derive(Copy, Clone, Debug)]
pub struct ServerLimits {
    /// Connections at one time; more wait in the queue of the kernel.
    pub connections: usize,
    /// From the connection, or the last answer, to the end of the next header.
    pub header_time: Duration,
    /// Bytes of a header; at least 8 KiB.
    pub header_bytes: usize,
    /// A client that does not read an answer for so long is cut off.
    pub write_time: Duration,
    /// Threads for what takes longer than a copy.
    pub workers: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 256,
            header_time: Duration::from_secs(10),
            header_bytes: 16 << 10,
            write_time: Duration::from_secs(20),
            workers: 4,
        }
    }
}

/// A server that listens.
pub struct WebServer {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    limits: ServerLimits,
}

impl WebServer {
    /// Listens on an address; port 0 takes one that is free.
    ///
    /// # Errors
    /// The address is taken or not of this machine; a certificate or key is wrong.
    pub fn bind(address: SocketAddr, tls: Option<&TlsFiles>, limits: ServerLimits) -> Result<Self> {
        let tls = tls.map(TlsFiles::acceptor).transpose()?;
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            tls,
            limits,
        })
    }

    /// The address, with its port.
    ///
    /// # Errors
    /// Those of the system.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// `http` or `https`.
    pub const fn scheme(&self) -> &'static str {
        match self.tls {
            None => "http",
            Some(_) => "https",
        }
    }

    /// Serves until `stop` is set. Connections that are open then are cut off.
    ///
    /// # Errors
    /// The system has no threads or descriptors for it.
    pub fn run(self, app: Router, stop: &AtomicBool) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(self.limits.workers)
            .enable_all()
            .build()?;
        let served = runtime.block_on(self.accept(app, stop));
        // A check that is under way is not waited for.
        runtime.shutdown_background();
        served
    }

    async fn accept(self, app: Router, stop: &AtomicBool) -> Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let places = Arc::new(Semaphore::new(self.limits.connections));
        let connection = Arc::new(WebConnection {
            app,
            tls: self.tls,
            limits: self.limits,
        });
        while !stop.load(Ordering::Relaxed) {
            let place = Arc::clone(&places).acquire_owned();
            let Ok(place) = timeout(GLANCE, place).await else {
                continue;
            };
            let place = place.map_err(Error::other)?;
            match timeout(GLANCE, listener.accept()).await {
                Ok(Ok((stream, _))) => {
                    tokio::spawn(Arc::clone(&connection).serve(stream, place));
                }
                // The client has gone, or there is no descriptor left: the others are served.
                Ok(Err(_)) => tokio::time::sleep(BREATH).await,
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// What all connections have in common.
struct WebConnection {
    app: Router,
    tls: Option<TlsAcceptor>,
    limits: ServerLimits,
}

impl WebConnection {
    /// One connection, to its end. Its errors are those of its client, who is told by the end of it.
    async fn serve(self: Arc<Self>, stream: TcpStream, place: OwnedSemaphorePermit) {
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, self.limits.write_time);
        match &self.tls {
            None => self.http(stream).await,
            Some(tls) => {
                let shaken = timeout(self.limits.header_time, tls.accept(stream)).await;
                if let Ok(Ok(stream)) = shaken {
                    self.http(stream).await;
                }
            }
        }
        drop(place);
    }

    async fn http(&self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let service = TowerToHyperService::new(self.app.clone());
        let _ = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_time)
            .max_buf_size(self.limits.header_bytes)
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }
}
