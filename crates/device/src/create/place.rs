//! The place of a new file: its folder, and what has its name.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::{DeviceChain, MayReplace, own};
use crate::{Error, ErrorKind, Result};

/// How much of a file is looked at to recognise it.
const HEAD_BYTES: u64 = 1024;

/// A descriptor of the folder, and the name in it.
pub(crate) fn folder_of(path: &Path) -> Result<(OwnedFd, OsString)> {
    let Some(name) = path.file_name() else {
        return Err(Error::new(ErrorKind::Unsupported, "is no name of a file"));
    };
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(CWD, folder, flags, Mode::empty())
        .map_err(|error| Error::io("its folder cannot be opened", error.into()))?;
    Ok((folder, name.to_owned()))
}

/// Refuses what must stay. The file that gives way, if there is one.
pub(super) fn check(
    folder: &OwnedFd,
    name: &OsStr,
    may_replace: MayReplace,
    kept: &DeviceChain,
) -> Result<Option<Metadata>> {
    let found = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(Error::io("cannot be looked at", error.into())),
        Ok(found) => found,
    };
    let what = match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => return check_file(folder, name, may_replace, kept).map(Some),
        FileType::Symlink => "is a symbolic link, which is not followed",
        FileType::Directory => "is a folder",
        FileType::BlockDevice => "is a block device",
        _ => "is no file",
    };
    Err(Error::new(ErrorKind::Unsupported, what).advise("name a file"))
}

fn check_file(
    folder: &OwnedFd,
    name: &OsStr,
    may_replace: MayReplace,
    kept: &DeviceChain,
) -> Result<Metadata> {
    let failed = |error| Error::io("is there already and cannot be looked at", error);
    // The descriptor of a name identifies the file even if no user may read it.
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let named = openat(folder, name, flags, Mode::empty()).map_err(|error| failed(error.into()))?;
    let found = File::from(named).metadata().map_err(failed)?;
    if found.file_type().is_symlink() || found.file_type().is_block_device() {
        return Err(Error::new(ErrorKind::Unsupported, "is no file"));
    }
    if let Some(why) = kept.reason(&found) {
        return Err(Error::new(ErrorKind::Refused, why).advise("name another file"));
    }
    let gives_way = match may_replace {
        MayReplace::AnyFile => true,
        MayReplace::Nothing => false,
        MayReplace::Empty => found.len() == 0 || own::is_made_here(&found),
        MayReplace::Recognised(is_ours) => {
            found.len() == 0
                || own::is_made_here(&found)
                || head(folder, name).is_ok_and(|head| is_ours(&head))
        }
    };
    if gives_way {
        return Ok(found);
    }
    Err(refusal(may_replace))
}

fn refusal(may_replace: MayReplace) -> Error {
    match may_replace {
        MayReplace::Empty => Error::new(
            ErrorKind::Refused,
            "there is a file of this name already, and it is not replaced",
        )
        .advise("name another file, or add --force"),
        MayReplace::Recognised(_) => Error::new(
            ErrorKind::Refused,
            "there is a file of this name already that is not recognised as a report of this program, and it is \
             not replaced",
        )
        .advise("name another file, or add --force"),
        _ => Error::new(
            ErrorKind::Refused,
            "there is a file of this name already, and it is not replaced",
        ),
    }
}

fn head(folder: &OwnedFd, name: &OsStr) -> std::io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}
