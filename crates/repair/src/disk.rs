//! What data are moved on.

use std::io;
use std::ops::Range;

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

    /// A hint: no cache need keep this, and what was written there may go out now. After a flush and
    /// this, a read comes from the medium where that can be had.
    fn release(&mut self, _at: u64, _bytes: u64) {}

    /// Another handle on the same bytes, for a thread of its own; `None` where there is but one.
    fn second(&self) -> Option<Box<dyn Disk + Send>> {
        None
    }

    /// How many bytes from there on are known to be zeros without a look at them; 0 where that is not
    /// known.
    fn zeros_from(&mut self, _at: u64) -> u64 {
        0
    }

    /// How many bytes from there on are stored, as far as is known without a look at them; 0 where that is
    /// not known.
    fn data_from(&mut self, _at: u64) -> u64 {
        0
    }
}

/// Reads bytes at any place, by the whole blocks that they lie in.
pub(crate) fn read_bytes(disk: &mut dyn Disk, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let unit = disk.logical_bytes().max(1);
    let start = at - at % unit;
    let end = at.checked_add(len as u64);
    let end = end.and_then(|end| end.checked_next_multiple_of(unit));
    let length = |end: u64| usize::try_from(end - start).ok();
    let length = end.and_then(length).ok_or(io::ErrorKind::InvalidInput)?;
    let mut bytes = vec![0; length];
    disk.read_at(start, &mut bytes)?;
    // Within the first block, which is in memory.
    bytes.drain(..usize::try_from(at - start).unwrap_or(length));
    bytes.truncate(len);
    Ok(bytes)
}

/// The bytes of one partition, read at any place by the whole blocks that they lie in.
pub(crate) struct DiskPart<'a> {
    pub disk: &'a mut dyn Disk,
    /// Its place on the disk.
    pub place: Range<u64>,
}

impl DiskPart<'_> {
    /// Its length.
    pub const fn size(&self) -> u64 {
        self.place.end.saturating_sub(self.place.start)
    }

    /// Bytes from `at` on; `None` where they lie outside or cannot be read.
    pub fn read(&mut self, at: u64, length: usize) -> Option<Vec<u8>> {
        let start = self.place.start.checked_add(at)?;
        let end = start.checked_add(length as u64)?;
        let inside = end <= self.place.end;
        inside.then(|| read_bytes(self.disk, start, length).ok())?
    }

    /// Whether this magic number is there.
    pub fn holds(&mut self, at: u64, magic: &[u8]) -> bool {
        self.read(at, magic.len())
            .is_some_and(|found| found == magic)
    }
}

/// A disk in memory, with blocks of any size: for tests and fuzzing.
#[derive(Clone, Debug)]
pub struct MemoryDisk {
    /// What is on it.
    pub bytes: Vec<u8>,
    /// Its logical block.
    pub logical_bytes: u64,
}

impl MemoryDisk {
    fn place(&mut self, at: u64, length: usize) -> io::Result<&mut [u8]> {
        let start = usize::try_from(at).ok();
        let end = start.and_then(|start| start.checked_add(length));
        let place = start.zip(end);
        let place = place.and_then(|(start, end)| self.bytes.get_mut(start..end));
        place.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl Disk for MemoryDisk {
    fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn logical_bytes(&self) -> u64 {
        self.logical_bytes
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        bytes.copy_from_slice(self.place(at, bytes.len())?);
        Ok(())
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.place(at, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
