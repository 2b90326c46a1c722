//! New files: what every file that the program makes has in common.
//!
//! A file is made under a random name in its folder, with `O_EXCL`, for its owner only. It gets its permission bits
//! and its name when it is complete and synced, in one step. An existing file of the name stays until then; a target
//! and everything that a target depends on stays always, and any other file unless it is a report of this program,
//! is empty, or `--force` was given. All steps use one descriptor of the folder, so an exchanged folder has no
//! effect.

mod chain;
mod leftover;
mod mode;
mod own;
mod place;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, openat, renameat_with, statat, unlinkat};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

pub use chain::DeviceChain;
pub use leftover::leftovers;
pub use mode::Readers;
pub(crate) use place::folder_of;

use crate::{Error, ErrorKind, Result};

/// Between the name that a file will have and its random part.
pub(crate) const PARTIAL: &str = ".ioalign-PARTIAL-";
/// Names of files have at most 255 bytes.
const LONGEST_NAME: usize = 200;
const TRIES: u32 = 16;

/// A file that is wanted, and what it may replace.
#[derive(Clone, Debug)]
pub struct NewFile<'a> {
    path: &'a Path,
    may_replace: MayReplace,
    kept: DeviceChain,
    readers: Readers,
}

/// Which file of the same name gives way.
#[derive(Copy, Clone, Debug)]
pub enum MayReplace {
    /// None.
    Nothing,
    /// An empty one.
    Empty,
    /// An empty one, and one whose first KiB is recognised.
    Recognised(fn(&[u8]) -> bool),
    /// Any regular file that no target lies in.
    AnyFile,
}

/// A file on its way: it is removed when it is dropped, unless it was [kept](Self::keep).
#[derive(Debug)]
pub struct PendingFile {
    file: File,
    folder: OwnedFd,
    /// `None`: it has its name.
    temporary: Option<OsString>,
    name: OsString,
    path: PathBuf,
    may_replace: MayReplace,
    kept: DeviceChain,
    readers: Readers,
}

impl<'a> NewFile<'a> {
    /// One that replaces nothing, for its owner's eyes.
    pub const fn new(path: &'a Path) -> Self {
        Self {
            path,
            may_replace: MayReplace::Nothing,
            kept: DeviceChain::nothing(),
            readers: Readers::Owner,
        }
    }

    /// The files that it may replace.
    #[must_use]
    pub const fn replacing(mut self, may_replace: MayReplace) -> Self {
        self.may_replace = may_replace;
        self
    }

    /// The files that it never replaces.
    #[must_use]
    pub fn keeping(mut self, kept: DeviceChain) -> Self {
        self.kept = kept;
        self
    }

    /// Who may read it when it is whole.
    #[must_use]
    pub fn readable_by(mut self, readers: Readers) -> Self {
        self.readers = readers;
        self
    }

    /// Makes it, or says why it may not be.
    pub fn create(self) -> Result<PendingFile> {
        let named = |error: Error| error.of_target(self.path);
        let (folder, name) = place::folder_of(self.path).map_err(named)?;
        place::check(&folder, &name, self.may_replace, &self.kept).map_err(named)?;
        let (file, temporary) = make(&folder, &name)
            .map_err(|error| named(Error::io("a file cannot be made beside it", error)))?;
        Ok(PendingFile {
            file,
            folder,
            temporary: Some(temporary),
            name,
            path: self.path.to_owned(),
            may_replace: self.may_replace,
            kept: self.kept,
            readers: self.readers,
        })
    }

    /// Whether it could be made: asked before hours of work. Nothing is left of the question.
    pub fn check(self) -> Result<()> {
        self.create().map(drop)
    }
}

impl PendingFile {
    /// The open file.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, once it is on the disk.
    pub fn keep(self) -> Result<()> {
        let path = self.path.clone();
        self.settle().map_err(|error| error.of_target(&path))
    }

    fn settle(mut self) -> Result<()> {
        let failed = |error| Error::io("cannot be written", error);
        self.file.flush().map_err(failed)?;
        // Again: a file may have come meanwhile.
        let replaced = place::check(&self.folder, &self.name, self.may_replace, &self.kept)?;
        mode::give(&self.file, &self.readers, replaced.as_ref()).map_err(failed)?;
        self.file.sync_all().map_err(failed)?;
        self.rename(replaced.is_some()).map_err(failed)?;
        self.temporary = None;
        own::remember(&self.path, &self.file);
        sync(&self.folder).map_err(failed)
    }

    fn rename(&self, replaces: bool) -> io::Result<()> {
        let temporary = self.temporary.as_deref().unwrap_or_default();
        let flags = if replaces {
            RenameFlags::empty()
        } else {
            RenameFlags::NOREPLACE
        };
        let to = |flags| renameat_with(&self.folder, temporary, &self.folder, &self.name, flags);
        match to(flags) {
            // Some file systems cannot: then the look before must do.
            Err(Errno::INVAL | Errno::NOSYS) => Ok(to(RenameFlags::empty())?),
            renamed => Ok(renamed?),
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            remove_own(&self.folder, name, &self.file);
        }
    }
}

/// Removes a name if it is still that of this open file.
pub(crate) fn remove_own(folder: &OwnedFd, name: &OsStr, file: &File) {
    let named = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let own = file.metadata();
    if let (Ok(named), Ok(own)) = (named, own)
        && (named.st_dev, named.st_ino) == (own.dev(), own.ino())
    {
        // The error that matters is the one that led here.
        let _ = unlinkat(folder, name, AtFlags::empty());
    }
}

/// A file under a random name, for its owner alone.
fn make(folder: &OwnedFd, name: &OsStr) -> io::Result<(File, OsString)> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut tries = 0;
    loop {
        let temporary = temporary_name(name)?;
        match openat(folder, &temporary, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => return Ok((File::from(file), temporary)),
            Err(Errno::EXIST) if tries < TRIES => tries += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Hidden, and telling what it is when a run was killed.
fn temporary_name(name: &OsStr) -> io::Result<OsString> {
    let mut temporary = leftover::beginning(name);
    temporary.push(format!("{:016x}", random()?));
    Ok(temporary)
}

/// 64 bits that cannot be guessed. By the system call: `watch` may open no device once it runs.
///
/// # Errors
/// The system has no random numbers.
pub fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    // Up to 256 bytes come whole (getrandom(2)).
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(u64::from_le_bytes(bytes))
}

/// The entry of a folder outlives a loss of power only after this. File systems that cannot do it have no need.
fn sync(folder: &OwnedFd) -> io::Result<()> {
    let readable = openat(
        folder,
        c".",
        OFlags::RDONLY | OFlags::DIRECTORY,
        Mode::empty(),
    );
    match readable.and_then(rustix::fs::fsync) {
        Err(Errno::INVAL | Errno::ACCESS | Errno::NOTSUP) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A file without a name: it is gone when it is closed.
pub fn unnamed(within: &Path) -> Result<File> {
    let failed = |error| Error::io("no file can be made in it", error).of_target(within);
    let name = within.join("ioalign");
    let (folder, name) = place::folder_of(&name).map_err(|error| error.of_target(within))?;
    let (file, temporary) = make(&folder, &name).map_err(failed)?;
    remove_own(&folder, &temporary, &file);
    Ok(file)
}

/// A folder that was not there before, for its owner alone: `beginning` and a random part.
pub fn new_folder(within: &Path, beginning: &str) -> Result<PathBuf> {
    let failed = |error| Error::io("no folder can be made in it", error).of_target(within);
    for _ in 0..TRIES {
        let path = within.join(format!("{beginning}{:016x}", random().map_err(failed)?));
        match rustix::fs::mkdir(&path, Mode::RWXU) {
            Ok(()) => return Ok(path),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error.into())),
        }
    }
    Err(Error::new(ErrorKind::Io, "every name for a folder in it is taken").of_target(within))
}
