//! A served device, from the side of its clients.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

mod client;
mod nbd;
mod power;
mod times;

use std::path::PathBuf;
use std::sync::Arc;

use ioalign_export::OpenArray;
use ioalign_export::media::{Media, PowerRules};
use ioalign_export::nbd::NbdServer;
use ioalign_export::server::{BlockServer, StartedArray};
use ioalign_simulate::description::named;
use ioalign_simulate::disk::DiskModel;
use ioalign_simulate::geometry::ArrayGeometry;

const BYTES: u64 = 64 << 20;

/// A server with a socket, which ends with the value.
struct Served {
    server: Arc<BlockServer>,
    folder: tempfile::TempDir,
    _nbd: NbdServer,
}

impl Served {
    fn new(array: &str, ns: u64, rules: PowerRules) -> Self {
        let data = tempfile::tempfile().unwrap();
        data.set_len(BYTES).unwrap();
        let geometry = ArrayGeometry::new(named(array).unwrap().shape).unwrap();
        let model = StartedArray {
            array: OpenArray::new(&geometry, &DiskModel::Fixed { ns }, 42),
            start: 32256,
        };
        let media = Media::new(data, BYTES, rules).unwrap();
        let (server, _) = BlockServer::start(Box::new(model), media).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let nbd = NbdServer::listen(Arc::clone(&server), &folder.path().join("nbd")).unwrap();
        Self {
            server,
            folder,
            _nbd: nbd,
        }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("nbd")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.stop();
    }
}
