//! Any image as a disk to read: compressed, streamed, split, with its backing chain.

use std::io;
use std::sync::Arc;

use ioalign_inspect::Source;

use crate::Disk;

/// What a guest sees of an image. Nothing is written to it.
pub struct Reading {
    guest: Arc<dyn Source>,
    logical: u64,
}

impl Reading {
    /// A guest's bytes as a disk with blocks of a size.
    pub const fn new(guest: Arc<dyn Source>, logical: u64) -> Self {
        Self { guest, logical }
    }
}

/// The reader's error as one of I/O.
pub(super) fn failed(error: ioalign_inspect::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl Disk for Reading {
    fn size_bytes(&self) -> u64 {
        self.guest.len()
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.guest.read_at(at, bytes).map_err(failed)
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        self.guest.zeros_at(at)
    }
}
