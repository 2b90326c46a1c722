//! What an image is kept in: a file of this machine, memory, or a model that loses power.

use std::io;

use crate::mover::FileDisk;
use crate::{Disk, MemoryDisk};

/// Memory is not for disks: a header that claims terabytes must not get them.
const MOST_MEMORY: u64 = 64 << 20;

/// The bytes of an image file. A [`Disk`] that can grow: what is added reads as zeros.
pub trait Store: Disk {
    /// Makes it longer or shorter.
    fn set_len(&mut self, bytes: u64) -> io::Result<()>;

    /// Writes, and makes it longer where that needs it.
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let end = end_of(at, bytes.len() as u64)?;
        if end > self.size_bytes() {
            self.set_len(end)?;
        }
        self.write_at(at, bytes)
    }

    /// Reads; what lies behind the end are zeros.
    fn get(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let there = self.size_bytes().saturating_sub(at);
        let there = usize::try_from(there).map_or(bytes.len(), |there| there.min(bytes.len()));
        let (now, behind) = bytes.split_at_mut(there);
        behind.fill(0);
        if now.is_empty() {
            return Ok(());
        }
        self.read_at(at, now)
    }
}

/// Bytes that contradict the format.
pub(super) fn damaged(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// The end of a stretch, where 64 bits hold it.
pub(super) fn end_of(at: u64, bytes: u64) -> io::Result<u64> {
    let end = at.checked_add(bytes);
    end.ok_or_else(|| damaged(format!("{bytes} bytes at byte {at} are past 64 bits")))
}

/// A length in memory.
pub(super) fn length(bytes: u64) -> io::Result<usize> {
    usize::try_from(bytes).map_err(|_| damaged(format!("{bytes} bytes are too many")))
}

pub(super) use crate::mover::holes::is_zero;

impl Store for FileDisk {
    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.resize(bytes)
    }
}

impl Store for MemoryDisk {
    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        if bytes > MOST_MEMORY {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.resize(length(bytes)?, 0);
        Ok(())
    }
}
