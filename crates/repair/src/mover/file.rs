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

    /// An error if another program has cut it off: what is behind its end is lost, and would read as a hole.
    fn is_whole(&self) -> io::Result<()> {
        let now = rustix::fs::seek(&self.file, rustix::fs::SeekFrom::End(0))?;
        if now >= self.size {
            return Ok(());
        }
        let what = format!(
            "another program has cut it off to {now} of {} bytes",
            self.size
        );
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, what))
    }

    /// Whether a stretch is a hole now. Where none can be made zeros are written, as anywhere else.
    fn punched(&self, at: u64, bytes: u64) -> bool {
        if hole_from(&self.file, at, self.size) >= bytes && self.is_whole().is_ok() {
            return true;
        }
        let flags = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);
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
        self.file.read_exact_at(bytes, at).or_else(|error| {
            self.is_whole()?;
            Err(error)
        })
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        // A write behind the end would make it longer again.
        self.is_whole()?;
        if self.keeps_holes {
            return self.write_with_holes(at, bytes);
        }
        self.file.write_all_at(bytes, at)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.is_whole()?;
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
        match self.is_whole() {
            Ok(()) => hole_from(&self.file, at, self.size),
            Err(_) => 0,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    /// A file of 1 MiB whose second and third 64 KiB are data.
    fn sparse() -> (tempfile::NamedTempFile, FileDisk) {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let data = vec![5; 128 * KIB];
        file.as_file().write_all_at(&data, 64 << 10).unwrap();
        let disk = FileDisk::open(file.path()).unwrap();
        (file, disk)
    }

    fn blocks(file: &tempfile::NamedTempFile) -> u64 {
        file.as_file().sync_all().unwrap();
        file.as_file().metadata().unwrap().blocks() * 512
    }

    #[test]
    fn holes_and_data_are_known_by_their_lengths() {
        let (_file, mut disk) = sparse();
        assert_eq!((disk.size_bytes(), disk.logical_bytes()), (1 << 20, 512));
        let zeros = [0, 1000, 64 << 10, 192 << 10, 1 << 20, 2 << 20].map(|at| disk.zeros_from(at));
        assert_eq!(zeros, [64 << 10, (64 << 10) - 1000, 0, 832 << 10, 0, 0]);
        let data = [0, 64 << 10, 100 << 10, 192 << 10].map(|at| disk.data_from(at));
        assert_eq!(data, [0, 128 << 10, 92 << 10, 0]);
    }

    #[test]
    fn a_sparse_file_stays_sparse() {
        let (file, disk) = sparse();
        let mut disk = disk.keeping_holes().unwrap();
        let before = blocks(&file);
        // Zeros over the data, and data around a stretch of zeros.
        disk.write_at(64 << 10, &vec![0; 64 * KIB]).unwrap();
        assert!(blocks(&file) < before, "{before}");
        let mut mixed = vec![6; 192 * KIB];
        mixed[64 * KIB..128 * KIB].fill(0);
        disk.write_at(512 << 10, &mixed).unwrap();
        assert_eq!(disk.zeros_from(576 << 10), 64 << 10);
        let mut wanted = vec![0; 1 << 20];
        wanted[128 * KIB..192 * KIB].fill(5);
        wanted[512 * KIB..704 * KIB].copy_from_slice(&mixed);
        let mut there = vec![9; 1 << 20];
        disk.read_at(0, &mut there).unwrap();
        assert!(there == wanted);
        let mut hole = vec![9; 64 * KIB];
        disk.read_at(576 << 10, &mut hole).unwrap();
        assert!(hole.iter().all(|byte| *byte == 0));
        let mut edge = vec![9; 1024];
        disk.read_at((640 << 10) - 512, &mut edge).unwrap();
        assert!(edge[..512] == [0; 512] && edge[512..] == [6; 512]);
    }

    #[test]
    fn a_file_that_is_cut_off_has_no_hole_behind_its_end() {
        let (file, disk) = sparse();
        let mut disk = disk.keeping_holes().unwrap();
        let (at, mut there) = (512 << 10, vec![9; 4096]);
        disk.read_at(at, &mut there).unwrap();
        assert_eq!(disk.zeros_from(at), 512 << 10);
        file.as_file().set_len(300_000).unwrap();
        assert_eq!(disk.zeros_from(at), 0);
        for done in [
            disk.read_at(at, &mut there),
            disk.write_at(at, &[0; 4096]),
            disk.write_at(at, &[1; 4096]),
            disk.write_at(0, &[1; 4096]),
            disk.flush(),
        ] {
            let said = done.unwrap_err().to_string();
            assert!(said.contains("cut it off to 300000 of 1048576"), "{said}");
        }
        assert_eq!(file.as_file().metadata().unwrap().len(), 300_000);
    }

    #[test]
    fn a_file_without_holes_keeps_its_space() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().write_all_at(&[5; 256 * KIB], 0).unwrap();
        file.as_file().sync_all().unwrap();
        let disk = FileDisk::open(file.path()).unwrap();
        let mut disk = disk.keeping_holes().unwrap();
        disk.write_at(0, &[0; 256 * KIB]).unwrap();
        assert!(blocks(&file) >= 256 << 10);
    }

    #[test]
    fn a_second_handle_is_on_the_same_bytes() {
        let (_file, mut disk) = sparse();
        let mut second = disk.second().unwrap();
        second.write_at(0, &[8; 512]).unwrap();
        let mut there = [0; 512];
        disk.read_at(0, &mut there).unwrap();
        assert_eq!(there, [8; 512]);
        assert_eq!(second.size_bytes(), 1 << 20);
    }

    #[test]
    fn a_file_is_made_longer_or_shorter() {
        let (file, mut disk) = sparse();
        for bytes in [3 << 20, 70_000] {
            disk.resize(bytes).unwrap();
            assert_eq!(disk.size_bytes(), bytes);
            assert_eq!(file.as_file().metadata().unwrap().len(), bytes);
            assert_eq!(disk.file().unwrap().metadata().unwrap().len(), bytes);
        }
    }

    #[test]
    fn a_flush_that_fails_is_an_error() {
        let path = Path::new("/dev/zero");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap();
        let mut disk = FileDisk::locked(file, 512, path).unwrap();
        assert!(disk.flush().is_err(), "nothing makes this durable");
    }
}
