//! Folders in which others may write: no name in them leads out of them.
//!
//! The user of a database owns its folder, and the author of an image may own the folder of the image. A link
//! of such a user would make root read any file and print its contents. So a file is opened relative to a
//! descriptor of the folder, through no link at all, and its type is checked on the open file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::error::{Error, ErrorKind, Result};

/// A folder that is open; names are relative to it.
#[derive(Debug)]
pub(crate) struct ConfinedFolder {
    dir: OwnedFd,
    path: PathBuf,
}

impl ConfinedFolder {
    /// Opens the folder itself, whose name the caller trusts: links in that name are followed. `None` where
    /// there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(dir) => Ok(Some(Self {
                dir,
                path: path.to_owned(),
            })),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(Error::io("Cannot open it", error.into()).in_file(path)),
        }
    }

    /// The path of what is called `inside`, for messages.
    pub(crate) fn path_of(&self, inside: impl AsRef<Path>) -> PathBuf {
        self.path.join(inside)
    }

    /// The folder as it was named.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The first `most` bytes of a regular file, fewer where it is shorter; `None` where there is no such file.
    pub(crate) fn head(&self, inside: impl AsRef<Path>, most: u64) -> Result<Option<Vec<u8>>> {
        let inside = inside.as_ref();
        let Some(file) = self.regular(inside)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io("Cannot read it", error).in_file(&self.path_of(inside)))?;
        Ok(Some(bytes))
    }

    /// Opens a file of any type for reading.
    pub(crate) fn open_file(&self, inside: &Path) -> Result<File> {
        let opened = self.beneath(inside, OFlags::RDONLY);
        let fd = opened.map_err(|error| why(error).in_file(&self.path_of(inside)))?;
        Ok(File::from(fd))
    }

    /// Opens a regular file for reading; `None` where there is none, or something else.
    fn regular(&self, inside: &Path) -> Result<Option<File>> {
        let file = match self.beneath(inside, OFlags::RDONLY) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::NXIO) => return Ok(None),
            Err(error) => return Err(why(error).in_file(&self.path_of(inside))),
        };
        let regular = file.metadata().is_ok_and(|data| data.is_file());
        Ok(regular.then_some(file))
    }

    /// At most `most` names in a folder with what each is, in order; `""` is the folder itself. Empty where
    /// there is none that can be read.
    pub(crate) fn entries(
        &self,
        inside: impl AsRef<Path>,
        most: usize,
    ) -> Vec<(PathBuf, FileType)> {
        let inside = inside.as_ref();
        let opened = self.beneath(inside, OFlags::RDONLY | OFlags::DIRECTORY);
        let Some(dir) = opened.ok().and_then(|fd| Dir::new(fd).ok()) else {
            return Vec::new();
        };
        let named = dir.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().to_str().ok()?;
            let real = name != "." && name != "..";
            real.then(|| (inside.join(name), entry.file_type()))
        });
        let mut entries: Vec<_> = named.take(most).collect();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        entries
    }

    /// Opens what lies below the folder; a link on the way, or at the end of it, is an error.
    fn beneath(&self, inside: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let inside = match inside.as_os_str().is_empty() {
            true => Path::new("."),
            false => inside,
        };
        // A FIFO must not block the open, and a terminal must not become ours.
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.dir, inside, flags, Mode::empty(), resolve) {
            // Kernels before 5.6, and filters of containers that do not know the call.
            Err(Errno::NOSYS | Errno::PERM) => self.step_by_step(inside, flags),
            opened => opened,
        }
    }

    /// The same without `openat2`: one component after the other, none of which may be a link.
    fn step_by_step(&self, inside: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut parts = inside.components().peekable();
        let mut above: Option<OwnedFd> = None;
        while let Some(part) = parts.next() {
            let name = match part {
                Component::Normal(name) => name,
                Component::CurDir => Path::new(".").as_os_str(),
                _ => return Err(Errno::XDEV),
            };
            let at = above.as_ref().map_or(self.dir.as_fd(), AsFd::as_fd);
            let wanted = if parts.peek().is_some() {
                folder
            } else {
                flags
            };
            let next = rustix::fs::openat(at, name, wanted | OFlags::NOFOLLOW, Mode::empty());
            above = Some(next.map_err(|error| match error {
                // So a link is called where a folder was asked for; `openat2` says what it is.
                Errno::NOTDIR if is_link(at, name) => Errno::LOOP,
                error => error,
            })?);
        }
        above.ok_or(Errno::NOENT)
    }
}

fn is_link(folder: BorrowedFd<'_>, name: &OsStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|data| FileType::from_raw_mode(data.st_mode).is_symlink())
}

fn why(error: Errno) -> Error {
    match error {
        Errno::LOOP => Error::new(
            ErrorKind::Refused,
            "It is a symbolic link, or lies behind one, which is not followed here",
        ),
        Errno::XDEV => Error::new(ErrorKind::Refused, "It lies outside of its folder"),
        error => Error::io("Cannot open it", error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn planted() -> (tempfile::TempDir, ConfinedFolder) {
        let outer = tempfile::tempdir().unwrap();
        let data = outer.path().join("data");
        std::fs::create_dir_all(data.join("global")).unwrap();
        std::fs::write(outer.path().join("secret"), "SECRET").unwrap();
        std::fs::write(data.join("global/plain"), "plain").unwrap();
        symlink("../secret", data.join("relative")).unwrap();
        symlink(outer.path().join("secret"), data.join("absolute")).unwrap();
        symlink("global", data.join("folder")).unwrap();
        symlink("plain", data.join("global/inner")).unwrap();
        let fifo = data.join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let folder = ConfinedFolder::open(&data).unwrap().unwrap();
        (outer, folder)
    }

    #[test]
    fn no_link_is_followed() {
        let (_outer, folder) = planted();
        assert_eq!(folder.head("global/plain", 3).unwrap().unwrap(), b"pla");
        for link in ["relative", "absolute", "folder/plain", "global/inner"] {
            let error = folder.head(link, 99).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{link}");
        }
        for outside in ["../secret", "global/../../secret", "/etc/passwd"] {
            let error = folder.head(outside, 99).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{outside}");
        }
        for none in ["nowhere", "global", "fifo", "global/plain/x"] {
            assert!(folder.head(none, 99).unwrap().is_none(), "{none}");
        }
        assert!(folder.entries("folder", 9).is_empty(), "a linked folder");
        assert_eq!(folder.entries("global", 9).len(), 2);
        assert_eq!(folder.entries("", 2).len(), 2);
    }

    #[test]
    fn nor_where_the_kernel_is_older() {
        let (_outer, folder) = planted();
        let open = |name: &str| {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK;
            folder.step_by_step(Path::new(name), flags)
        };
        assert!(open("global/plain").is_ok() && open("./global").is_ok());
        for link in ["relative", "absolute", "folder/plain", "global/inner"] {
            assert_eq!(open(link).unwrap_err(), Errno::LOOP, "{link}");
        }
        for outside in ["../secret", "/etc/passwd"] {
            assert_eq!(open(outside).unwrap_err(), Errno::XDEV, "{outside}");
        }
        let not_a_folder = open("global/plain/x").unwrap_err();
        assert_eq!(not_a_folder, Errno::NOTDIR);
    }
}
