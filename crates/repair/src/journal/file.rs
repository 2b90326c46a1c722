//! The journal as a file: made new, locked, with all its space reserved.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, OFlags, fallocate, fstatvfs, statfs};
use rustix::io::Errno;

use super::header::{BLOCK, STATES_AT};
use super::{JournalHeader, JournalState};
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

    /// Its name, by which it is found again.
    pub fn name(&self) -> JournalName {
        let found = self.disk.file().and_then(|file| file.metadata());
        JournalName {
            path: self.path.clone(),
            inode: found.ok().map(|found| (found.dev(), found.ino())),
        }
    }

    /// Deletes it: the job is done, or never began. One that is gone already is no matter; another file under its
    /// name is left alone.
    pub fn remove(self) -> Result<()> {
        let failed = |error| {
            Error::io("the job is done, but its journal cannot be deleted", error)
                .of_target(&self.path)
        };
        match std::fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            _ => {}
        }
        if self.name().check().is_err() {
            let what =
                "the job is done; another file has the name of its journal now, and is left alone";
            return Err(Error::new(ErrorKind::Refused, what).of_target(&self.path));
        }
        let removed = std::fs::remove_file(&self.path).and_then(|()| sync_folder(&self.path));
        removed.map_err(failed)
    }

    /// Whether a loss of power takes the journal with it: it lies in memory.
    pub fn is_volatile(path: &Path) -> bool {
        let folder = folder(path);
        statfs(folder)
            .is_ok_and(|fs| u64::try_from(fs.f_type).is_ok_and(|of| IN_MEMORY.contains(&of)))
    }
}

/// The run of a journal, and the number of its newest record: a copy that was made earlier has a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalGlance {
    /// The name of the run.
    pub run: u128,
    /// The number of the newest record.
    pub number: u64,
}

impl JournalGlance {
    /// Looks at a file without locking it; `None`: it is no whole journal. Links are not followed.
    pub fn at(path: &Path) -> Option<Self> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.read(true);
        options.custom_flags(i32::try_from(flags.bits()).ok()?);
        let file = options.open(path).ok()?;
        let length = file
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)?
            .len();
        let block = |at: u64| {
            let mut bytes = vec![0; usize::try_from(BLOCK).ok()?];
            file.read_exact_at(&mut bytes, at).ok()?;
            Some(bytes)
        };
        let header = |at: u64| JournalHeader::decode(&block(at)?);
        let header = header(0).or_else(|| header(length.checked_sub(BLOCK)?))?;
        let states = (0..4).filter_map(|index| {
            let bytes = block(STATES_AT + index * BLOCK)?;
            JournalState::decode(&bytes, header.id)
        });
        Some(Self {
            run: header.id,
            number: states.map(|state| state.number).max()?,
        })
    }
}

/// A name that leads to a journal.
pub struct JournalName {
    path: PathBuf,
    inode: Option<(u64, u64)>,
}

impl JournalName {
    /// Refuses if it leads to another file, or to none.
    pub fn check(&self) -> Result<()> {
        let found = std::fs::symlink_metadata(&self.path).ok();
        let found = found.map(|found| (found.dev(), found.ino()));
        if found.is_some() && found == self.inode {
            return Ok(());
        }
        let what = "the journal was deleted or renamed while it was made; nothing was written";
        Err(Error::new(ErrorKind::Refused, what).of_target(&self.path))
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
