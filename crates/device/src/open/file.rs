//! A file as a target: one that is there, or one that is made.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Instant;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use super::{PATIENCE, PAUSE, check_empty, check_users, meant, open, past_the_cache, usable};
use crate::atomic::{limits_of, no_atomic_writes, no_buffered_atomic_writes};
use crate::create::remove_own;
use crate::pinned::Pinned;
use crate::scratch::{self, Recognised, ScratchHeader};
use crate::target::TargetFile;
use crate::target_request::TargetRequest;
use crate::{Error, ErrorKind, Result, in_flight, lock, writers};

/// A file that is there. `target`: what is to be named again where there are data in it.
pub(super) fn existing(
    path: &Path,
    pinned: &Pinned,
    want: &TargetRequest,
    target: &Path,
    notes: &mut Vec<String>,
) -> Result<(TargetFile, bool)> {
    in_flight::check(path, pinned, want.write, notes)?;
    check_users(pinned, want.write, notes)?;
    if want.write {
        check_writers(pinned)?;
    }
    let mut file = open(pinned, want.write, OFlags::empty())?;
    if want.write {
        claim(&file, path)?;
    }
    let mut recognised = recognise(&file, pinned, want, notes)?;
    if let (Recognised::Ours(header), Some(size)) = (&recognised, want.size_bytes)
        && size > header.payload_bytes
    {
        if !want.write {
            check_writers(pinned)?;
            file = open(pinned, true, OFlags::empty())?;
            claim(&file, path)?;
        }
        let longer = scratch::extend(&file, header, size, want, notes)?;
        recognised = Recognised::Ours(longer);
    }
    if let Recognised::Changed = recognised
        && want.write
        && want.destroy.is_none()
    {
        return Err(changed(target));
    }
    let Recognised::Ours(header) = recognised else {
        let size_bytes = usable(length(&file)?, want)?;
        check_empty(&file, length(&file)?, want, target)?;
        return member(path, file, size_bytes, None, want, notes);
    };
    let size_bytes = usable(header.payload_bytes, want)?;
    member(path, file, size_bytes, Some(header), want, notes)
}

/// The owner of a file; an empty one that may be written becomes a scratch file.
fn recognise(
    file: &File,
    pinned: &Pinned,
    want: &TargetRequest,
    notes: &mut Vec<String>,
) -> Result<Recognised> {
    if let (0, true, Some(size)) = (length(file)?, want.write, want.size_bytes) {
        let made = scratch::fill_new(file, size, want, notes);
        if made.is_err() {
            // It was empty before.
            let _ = file.set_len(0);
        }
        return made.map(Recognised::Ours);
    }
    if !pinned.found().is_file() {
        return Ok(Recognised::Foreign);
    }
    ScratchHeader::read(file).map_err(|error| Error::io("cannot be read", error))
}

fn changed(target: &Path) -> Error {
    Error::new(
        ErrorKind::Refused,
        "was made by ioalign and has been written to since, or a run on it was killed: what is in it may be \
         somebody's data",
    )
    .advise(format!("remove it, or {}", meant(target)))
}

/// Makes, fills and opens a file that is not there.
pub(super) fn made(
    path: &Path,
    folder: &OwnedFd,
    name: &OsStr,
    want: &TargetRequest,
    notes: &mut Vec<String>,
) -> Result<(TargetFile, bool)> {
    let Some(size) = want.size_bytes else {
        return Err(
            Error::new(ErrorKind::Io, "there is no such file").advise("give a size to make it")
        );
    };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::RUSR | Mode::WUSR).map_err(|error| {
        Error::io("cannot be made", error.into()).advise("choose a folder that you may write to")
    })?;
    let file = File::from(file);
    claim(&file, path)?;
    let filled =
        takes_atomic(&file, want).and_then(|()| scratch::fill_new(&file, size, want, notes));
    let header = filled.inspect_err(|_| {
        // Half of it would be taken for a target of that size next time.
        remove_own(folder, name, &file);
    })?;
    member(path, file, size, Some(header), want, notes)
}

/// Refuses writes that the kernel does not take in one piece. Only of a file that is there can it be asked.
fn takes_atomic(file: &File, want: &TargetRequest) -> Result<()> {
    if !want.atomic.is_empty() && !want.direct {
        return Err(no_buffered_atomic_writes());
    }
    let limits = limits_of(file).unwrap_or_default();
    match want.atomic.iter().find(|bytes| !limits.hold(**bytes)) {
        Some(bytes) => Err(no_atomic_writes(*bytes)),
        None => Ok(()),
    }
}

fn member(
    path: &Path,
    file: File,
    size_bytes: u64,
    scratch: Option<ScratchHeader>,
    want: &TargetRequest,
    notes: &mut Vec<String>,
) -> Result<(TargetFile, bool)> {
    let file = if want.write { file } else { read_only(&file)? };
    let is_direct = past_the_cache(&file, want, notes)?;
    let scratch = scratch.filter(|_| want.write);
    let path = path.to_owned();
    let member = TargetFile {
        path,
        file,
        size_bytes,
        scratch,
    };
    Ok((member, is_direct))
}

/// A file that was opened for writing to fill it does not exclude other programs when it is read.
fn read_only(file: &File) -> Result<File> {
    let failed = |error| Error::io("cannot be opened for reading", error);
    let pinned = Pinned::of_file(file).map_err(failed)?;
    pinned.open(false, OFlags::empty()).map_err(failed)
}

pub(super) fn length(file: &File) -> Result<u64> {
    let found = file.metadata();
    Ok(found
        .map_err(|error| Error::io("cannot be looked at", error))?
        .len())
}

/// Nobody else may have the file open for writing, as far as the kernel says. Rings of a run that has just ended have
/// it for a while.
fn check_writers(pinned: &Pinned) -> Result<()> {
    let begun = Instant::now();
    while writers::is_open_for_writing(pinned) == Some(true) {
        if begun.elapsed() > PATIENCE {
            return Err(in_use("another program has it open for writing"));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Keeps other programs of this kind and virtual machines out for as long as the file is open.
fn claim(file: &File, path: &Path) -> Result<()> {
    let begun = Instant::now();
    while lock::whole(file) == Err(Errno::WOULDBLOCK) {
        if begun.elapsed() > PATIENCE {
            return Err(in_use("another program holds a lock on it (flock)"));
        }
        std::thread::sleep(PAUSE);
    }
    lock::exclusive(file, path)?;
    if lock::is_held(file, 0, 0).unwrap_or(false) {
        return Err(in_use(
            "another program holds a lock on a part of it (fcntl)",
        ));
    }
    Ok(())
}

fn in_use(what: &str) -> Error {
    Error::new(ErrorKind::InUse, format!("is in use: {what}"))
        .advise("end that program first; see which it is: fuser -v, lslocks")
}
