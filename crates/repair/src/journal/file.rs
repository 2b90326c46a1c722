//! The journal as a file: made new, locked, with all its space reserved.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate, fstatvfs, statfs};
use rustix::io::Errno;

use crate::mover::FileDisk;
use crate::{Error, ErrorKind, Result};

/// File systems that live in memory: `TMPFS_MAGIC`, `RAMFS_MAGIC` of `linux/magic.h`.
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// A journal that can be handed to the mover.
#[derive(Debug)]
pub struct JournalFile {
    disk: FileDisk,
    path: PathBuf,
}

impl JournalFile {
    /// Makes a new one of `bytes`. An existing file is never taken: it may be what saves another disk.
    pub fn create(path: &Path, bytes: u64) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::new(
                ErrorKind::Refused,
                "there is a journal of an unfinished job already, or another file: `--resume` or \
                 `--rollback` ends a job",
            )
            .of_target(path),
            _ => Error::io("the journal cannot be made", error).of_target(path),
        })?;
        let made = reserve(&file, bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| sync_folder(path));
        if let Err(error) = made {
            let _ = std::fs::remove_file(path);
            let what = format!("no room for the journal, which needs {bytes} bytes");
            return Err(Error::io(what, error).of_target(path));
        }
        let disk = FileDisk::locked(file, 1, path)?;
        Ok(Self {
            disk,
            path: path.to_owned(),
        })
    }

    /// Opens that of an interrupted job, unless another program has it.
    pub fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file =
            file.map_err(|error| Error::io("the journal cannot be opened", error).of_target(path))?;
        let disk = FileDisk::locked(file, 1, path)?;
        Ok(Self {
            disk,
            path: path.to_owned(),
        })
    }

    /// What the journal is kept on.
    pub const fn store(&mut self) -> &mut FileDisk {
        &mut self.disk
    }

    /// Deletes it: the job is done, or never began.
    pub fn remove(self) -> Result<()> {
        let removed = std::fs::remove_file(&self.path).and_then(|()| sync_folder(&self.path));
        removed.map_err(|error| {
            Error::io("the job is done, but its journal cannot be deleted", error)
                .of_target(&self.path)
        })
    }

    /// Whether a loss of power takes the journal with it: it lies in memory.
    pub fn is_volatile(path: &Path) -> bool {
        let folder = folder(path);
        statfs(folder)
            .is_ok_and(|fs| u64::try_from(fs.f_type).is_ok_and(|of| IN_MEMORY.contains(&of)))
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The name of a new file, or that it is gone, survives the loss of power.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// All blocks are there before the first byte moves; where the file system cannot promise that, zeros are
/// written. What cannot fit is not tried: it would fill the file system for others.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    let room = fstatvfs(file)?;
    if room.f_bavail.saturating_mul(room.f_frsize) < bytes {
        return Err(io::ErrorKind::StorageFull.into());
    }
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut &*file)?;
            Ok(())
        }
        other => Ok(other?),
    }
}
