//! An image that does not say how long its sectors are.

use std::io;
use std::ops::DerefMut;

use ioalign_core::on_disk::GPT_SIGNATURE;

use crate::Disk;

/// A disk whose logical block is another than its file says.
pub struct Sectored<D> {
    disk: D,
    logical: u64,
}

impl<D> Sectored<D> {
    /// `disk` with blocks of `logical` bytes.
    pub const fn new(disk: D, logical: u64) -> Self {
        Self { disk, logical }
    }
}

impl Sectored<Box<dyn Disk>> {
    /// With sectors of this size; `None`: 4096 where a GPT stands at byte 4096, else as it says.
    pub fn boxed(mut disk: Box<dyn Disk>, logical: Option<u64>) -> Box<dyn Disk> {
        let own = disk.logical_bytes();
        let logical = logical.unwrap_or_else(|| seen(&mut *disk).unwrap_or(own));
        if logical == own {
            return disk;
        }
        Box::new(Self { disk, logical })
    }
}

/// The sector that the place of a GPT says.
fn seen(disk: &mut dyn Disk) -> Option<u64> {
    let own = disk.logical_bytes();
    let begins = |disk: &mut dyn Disk, at: u64| {
        let mut block = vec![0; usize::try_from(own).ok()?];
        disk.read_at(at, &mut block).ok()?;
        block.starts_with(&GPT_SIGNATURE).then_some(())
    };
    if own >= 4096 || begins(disk, own).is_some() {
        return None;
    }
    begins(disk, 4096).map(|()| 4096)
}

impl<D: DerefMut<Target: Disk>> Disk for Sectored<D> {
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

    fn zeros_from(&mut self, at: u64) -> u64 {
        self.disk.zeros_from(at)
    }

    fn data_from(&mut self, at: u64) -> u64 {
        self.disk.data_from(at)
    }

    fn second(&self) -> Option<Box<dyn Disk + Send>> {
        let disk = self.disk.second()?;
        let logical = self.logical;
        Some(Box::new(Sectored { disk, logical }))
    }
}
