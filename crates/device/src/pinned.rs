//! Names that are looked up once: the same file is checked, opened, filled and written, even if its name changes
//! later.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, openat, statx};
use rustix::io::Errno;

use crate::{Error, ErrorKind, Result};

/// A descriptor (`O_PATH`) of a file, folder or device. It stays with its inode.
#[derive(Debug)]
pub(crate) struct Pinned {
    handle: OwnedFd,
    found: Metadata,
}

impl Pinned {
    /// A path that a user has named; `None`: it does not exist. Links may lead to devices (`/dev/disk/by-id`),
    /// folders and files, but not to a file that is to be written: a user who may exchange a link would decide what
    /// is overwritten.
    pub(crate) fn named(path: &Path, write: bool) -> Result<Option<Self>> {
        let failed = |error: io::Error| Error::io("cannot be looked at", error);
        let Some(found) = Self::at(CWD, path.as_os_str(), OFlags::NOFOLLOW).map_err(failed)? else {
            return Ok(None);
        };
        if !found.found.is_symlink() {
            return Ok(Some(found));
        }
        let Some(target) = Self::at(CWD, path.as_os_str(), OFlags::empty()).map_err(failed)? else {
            return Err(Error::new(
                ErrorKind::Refused,
                "is a symbolic link that leads nowhere",
            ));
        };
        if write && target.found.is_file() {
            let name = std::fs::canonicalize(path).unwrap_or_default();
            return Err(Error::new(
                ErrorKind::Refused,
                "is a symbolic link, which is not followed to a file that is to be written",
            )
            .advise(format!("name the file: {}", name.display())));
        }
        Ok(Some(target))
    }

    /// A file in a folder, by its name there; `None`: there is none. Refused is all but a regular file of one name
    /// that lies in the same file system.
    pub(crate) fn member(folder: &OwnedFd, name: &OsStr) -> Result<Option<Self>> {
        let failed = |error: io::Error| Error::io("cannot be looked at", error);
        let Some(found) = Self::at(folder, name, OFlags::NOFOLLOW).map_err(failed)? else {
            return Ok(None);
        };
        let what = if found.found.is_symlink() {
            "is a symbolic link, which is not followed out of a folder"
        } else if !found.found.is_file() {
            "is no file"
        } else if std::os::unix::fs::MetadataExt::nlink(&found.found) != 1 {
            "has other names (hard links)"
        } else if mount_of(&found.handle) != mount_of(folder) {
            "is mounted there from elsewhere"
        } else {
            return Ok(Some(found));
        };
        Err(Error::new(ErrorKind::Refused, what)
            .advise("take it out of the folder, or name another folder"))
    }

    fn at(folder: impl AsFd, name: &OsStr, more: OFlags) -> io::Result<Option<Self>> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | more;
        match openat(folder, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(handle) => Self::of_handle(handle).map(Some),
        }
    }

    /// The identity of an open file.
    pub(crate) fn of_file(file: &File) -> io::Result<Self> {
        Self::of_handle(file.try_clone()?.into())
    }

    fn of_handle(handle: OwnedFd) -> io::Result<Self> {
        let file = File::from(handle);
        let found = file.metadata()?;
        Ok(Self {
            handle: file.into(),
            found,
        })
    }

    /// Its kind.
    pub(crate) const fn found(&self) -> &Metadata {
        &self.found
    }

    /// A name that leads to this inode and no other, for as long as this lives.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()))
    }

    /// Opens the inode.
    pub(crate) fn open(&self, write: bool, more: OFlags) -> io::Result<File> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        let flags = access | more | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(CWD, self.path(), flags, Mode::empty()).map_err(|error| match error {
            Errno::NOENT => io::Error::other("/proc is not mounted"),
            other => other.into(),
        })?;
        let file = File::from(file);
        rustix::fs::fcntl_setfl(&file, more)?;
        Ok(file)
    }
}

/// The mount that something is seen through; `None` before Linux 5.8.
fn mount_of(handle: &OwnedFd) -> Option<u64> {
    let found = statx(handle, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    let known = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    known.then_some(found.stx_mnt_id)
}
