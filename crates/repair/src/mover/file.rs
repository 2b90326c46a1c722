//! A disk that is a file or a block device of this machine.
//!
//! Through the page cache: the kernel then reads ahead and writes while the mover hashes, and one program
//! with one buffer keeps the disk busy. Asking it to read ahead (`POSIX_FADV_WILLNEED`) made copies slower: it
//! reads 1 MiB at a time well enough. `fdatasync` reaches through the cache and that of the disk; before
//! something is read back for verification the pages are dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Advice, FlockOperation, OFlags, fadvise, flock, ioctl_blksszget};
use rustix::io::Errno;

use crate::{Disk, Error, ErrorKind, Result};

/// A lock that another holds is asked for so often,
const LOCK_TRIES: u32 = 5;
/// with such a pause between.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// An open file with its size.
#[derive(Debug)]
pub struct FileDisk {
    file: File,
    size: u64,
    logical: u64,
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
        let file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => in_use(path),
            _ => failed(error),
        })?;
        let logical = ioctl_blksszget(&file).map_or(512, u64::from);
        Self::locked(file, logical, path)
    }

    /// Takes an open file and locks it.
    pub fn locked(mut file: File, logical: u64, path: &Path) -> Result<Self> {
        match lock(&file) {
            Err(Errno::WOULDBLOCK) => return Err(in_use(path)),
            Err(error) => return Err(Error::io("cannot be locked", error.into()).of_target(path)),
            Ok(()) => {}
        }
        let size = file.seek(SeekFrom::End(0));
        let size = size.map_err(|error| Error::io("has no size", error).of_target(path))?;
        Ok(Self {
            file,
            size,
            logical,
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

    /// The same open file.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

/// A child of a program that has just let go of the file holds the lock too, between its fork and its exec:
/// so it is asked for a few times.
fn lock(file: &File) -> rustix::io::Result<()> {
    for _ in 0..LOCK_TRIES {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => std::thread::sleep(LOCK_PAUSE),
            other => return other,
        }
    }
    Err(Errno::WOULDBLOCK)
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
        self.file.read_exact_at(bytes, at)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
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
        Some(Box::new(Self { file, ..*self }))
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        let data = match rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Data(at)) {
            Ok(data) => data,
            // No data up to the end.
            Err(Errno::NXIO) => self.size,
            Err(_) => at,
        };
        data.min(self.size).saturating_sub(at)
    }
}
