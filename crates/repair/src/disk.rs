//! What data are moved on.

use std::io;

/// A disk, an image, or a model of one. Addresses and lengths are bytes.
pub trait Disk {
    /// Its size.
    fn size_bytes(&self) -> u64;

    /// Its logical block: reads and writes are of whole ones.
    fn logical_bytes(&self) -> u64;

    /// Reads exactly `bytes`.
    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Writes all of `bytes`; durable only after [`flush`](Self::flush), and until then in any order,
    /// in part, or not at all.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Everything written so far survives the loss of power from now on.
    fn flush(&mut self) -> io::Result<()>;

    /// A hint: this will be read next.
    fn will_read(&mut self, _at: u64, _bytes: u64) {}

    /// A hint: no cache need keep this, and what was written there may go out now. After a flush and
    /// this, a read comes from the medium where that can be had.
    fn release(&mut self, _at: u64, _bytes: u64) {}
}
