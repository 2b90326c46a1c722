//! A disk that is a file or a block device of this machine.
//!
//! Through the page cache: the kernel then reads ahead and writes while the mover hashes, and one program
//! with one buffer keeps the disk busy. Asking it to read ahead (`POSIX_FADV_WILLNEED`) made copies slower: it
//! reads 1 MiB at a time well enough. `fdatasync` reaches through the cache and that of the disk; before
//! something is read back for verification the pages are dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use ioalign_device::lock::LockedBelow;
use ioalign_device::while_busy;
use rustix::fs::{Advice, FallocateFlags, OFlags, fadvise, fallocate, ioctl_blksszget};
use rustix::io::Errno;

use super::holes;
use crate::{Disk, Error, ErrorKind, Result};

/// An open file with its size.
#[derive(Debug)]
pub struct FileDisk {
    file: File,
    size: u64,
    logical: u64,
    /// Stretches of zeros become holes, and holes are not read.
    keeps_holes: bool,
    /// The files and devices below a loop device.
    below: Arc<LockedBelow>,
}

impl FileDisk {
    /// Opens an image or a block device for writing: exclusively, so that one which is mounted or held
    /// is refused, and locked, so that two programs of this kind are.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::io("cannot be opened", error).of_target(path);
        let meta = std::fs::metadata(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        if meta.file_type().is_block_device() {
            options.custom_flags(i32::try_from(OFlags::EXCL.bits()).unwrap_or(0));
        }
        let file = while_busy(|| options.open(path)).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => in_use(path),
            _ => failed(error),
        })?;
        let logical = ioctl_blksszget(&file).map_or(512, u64::from);
        Self::locked(file, logical, path)
    }

    /// Takes an open file and locks it, with what lies below a loop device.
    pub fn locked(mut file: File, logical: u64, path: &Path) -> Result<Self> {
        match ioalign_device::lock::whole(&file) {
            Err(Errno::WOULDBLOCK) => return Err(in_use(path)),
            Err(error) => return Err(Error::io("cannot be locked", error.into()).of_target(path)),
            Ok(()) => {}
        }
        let size = file.seek(SeekFrom::End(0));
        let size = size.map_err(|error| Error::io("has no size", error).of_target(path))?;
        let below = LockedBelow::of(&file, path)?;
        Ok(Self {
            file,
            size,
            logical,
            keeps_holes: false,
            below: Arc::new(below),
        })
    }
}

impl FileDisk {
    /// Makes the file longer, with zeros, or shorter.
    pub(crate) fn resize(&mut self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)?;
        self.size = bytes;
        Ok(())
    }

    /// A sparse file stays sparse from now on: stretches of zeros that are written to it become holes, and
    /// its holes are not read. One that has no holes keeps all of its space.
    pub(crate) fn keeping_holes(mut self) -> io::Result<Self> {
        let meta = self.file.metadata()?;
        self.keeps_holes = meta.is_file() && meta.blocks().saturating_mul(512) < meta.len();
        if self.keeps_holes {
            // Some file systems report holes right only of what is on the medium.
            self.file.sync_all()?;
        }
        Ok(self)
    }

    /// Writes data, and makes holes of stretches of zeros.
    fn write_with_holes(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut from = at;
        for (is_hole, part) in holes::stretches(at, bytes) {
            let length = part.len() as u64;
            if !(is_hole && self.punched(from, length)) {
                self.file.write_all_at(part, from)?;
            }
            from += length;
        }
        Ok(())
    }

    /// Whether a stretch is a hole now. Where none can be made zeros are written, as anywhere else.
    fn punched(&self, at: u64, bytes: u64) -> bool {
        if hole_from(&self.file, at, self.size) >= bytes {
            return true;
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        fallocate(&self.file, flags, at, bytes).is_ok()
    }

    /// The same open file.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

fn in_use(path: &Path) -> Error {
    Error::new(ErrorKind::InUse, "another program is using it").of_target(path)
}

impl Disk for FileDisk {
    fn size_bytes(&self) -> u64 {
        self.size
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        if self.keeps_holes && self.zeros_from(at) >= bytes.len() as u64 {
            bytes.fill(0);
            return Ok(());
        }
        self.file.read_exact_at(bytes, at)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if self.keeps_holes {
            return self.write_with_holes(at, bytes);
        }
        self.file.write_all_at(bytes, at)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn release(&mut self, at: u64, bytes: u64) {
        // Advice is never needed, so that it fails does not matter.
        let _ = fadvise(&self.file, at, NonZeroU64::new(bytes), Advice::DontNeed);
    }

    fn second(&self) -> Option<Box<dyn Disk + Send>> {
        let file = self.file.try_clone().ok()?;
        let below = Arc::clone(&self.below);
        Some(Box::new(Self {
            file,
            below,
            ..*self
        }))
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        hole_from(&self.file, at, self.size)
    }

    fn data_from(&mut self, at: u64) -> u64 {
        let hole = rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Hole(at));
        hole.map_or(0, |hole| hole.min(self.size).saturating_sub(at))
    }
}

/// The length of the hole there.
fn hole_from(file: &File, at: u64, size: u64) -> u64 {
    let data = match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(data) => data,
        // No data up to the end.
        Err(Errno::NXIO) => size,
        Err(_) => at,
    };
    data.min(size).saturating_sub(at)
}
