//! A disk read as if its blocks were of another size.

use std::io;

use crate::Disk;

/// The same bytes in other blocks.
pub struct Sectored<'a> {
    disk: &'a mut dyn Disk,
    logical: u64,
}

impl<'a> Sectored<'a> {
    /// `disk` with blocks of `logical` bytes.
    pub fn new(disk: &'a mut dyn Disk, logical: u64) -> Self {
        Self { disk, logical }
    }
}

impl Disk for Sectored<'_> {
    fn size_bytes(&self) -> u64 {
        self.disk.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(at, bytes)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(at, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.flush()
    }

    fn release(&mut self, at: u64, bytes: u64) {
        self.disk.release(at, bytes);
    }
}
