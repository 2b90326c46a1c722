//! Files for the load: made, filled and kept.
//!
//! They are filled with random bytes, so that every block of them exists and no store below takes a short
//! way for zeros. An attribute tells later runs that nothing is lost when such a file is overwritten.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use ioalign_core::{Bytes, Random};
use rustix::fs::{FallocateFlags, OFlags, XattrFlags, fallocate, fgetxattr, fsetxattr, fstatvfs};
use rustix::io::Errno;

use crate::target::Want;
use crate::{Error, ErrorKind, Result};

/// How many files a folder has, as sysbench makes them.
pub(crate) const FILES: u64 = 64;
const MARK: &str = "user.ioalign.scratch";
const CHUNK: usize = 1 << 20;

/// Whose a file is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scratch {
    /// Made here, now or earlier.
    Ours,
    /// Of somebody.
    Foreign,
}

/// The files of a folder.
pub(crate) fn names(folder: &Path) -> impl Iterator<Item = PathBuf> {
    (0..FILES).map(move |number| folder.join(format!("ioalign.scratch.{number:02}")))
}

/// The share of one file of a folder.
pub(crate) fn size_of_each(all: Option<u64>) -> Result<Option<u64>> {
    match all.map(|all| all / FILES / 4096 * 4096) {
        Some(0) => Err(Error::new(
            ErrorKind::Unsupported,
            format!("{FILES} files of at least 4 KiB do not fit into the size"),
        )),
        each => Ok(each),
    }
}

/// Makes the file, or makes it as long as is wanted where it is ours.
pub(crate) fn provide(path: &Path, want: &Want, notes: &mut Vec<String>) -> Result<Scratch> {
    let named = |error: Error| error.of_target(path);
    match path.metadata() {
        Err(_) => {
            let size = want.size_bytes.ok_or_else(|| {
                Error::new(ErrorKind::Io, "there is no such file").advise("give a size to make it")
            });
            make(path, size.map_err(named)?, want, notes).map_err(named)?;
            Ok(Scratch::Ours)
        }
        Ok(found) if is_marked(path) => {
            if let Some(size) = want.size_bytes.filter(|size| *size > found.len()) {
                extend(path, found.len(), size, want, notes).map_err(named)?;
            }
            Ok(Scratch::Ours)
        }
        Ok(found) if found.len() == 0 && want.write && want.size_bytes.is_some() => {
            extend(path, 0, want.size_bytes.unwrap_or(0), want, notes).map_err(named)?;
            Ok(Scratch::Ours)
        }
        Ok(_) => Ok(Scratch::Foreign),
    }
}

fn make(path: &Path, size: u64, want: &Want, notes: &mut Vec<String>) -> Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let file = file.map_err(|error| {
        Error::io("cannot be made", error).advise("choose a folder that you may write to")
    })?;
    let made = fill(&file, 0, size, want);
    if made.is_err() {
        // Half of it would be taken for a target of that size next time.
        std::fs::remove_file(path).ok();
    }
    made?;
    mark(&file, notes);
    notes.push(format!("made and filled with {}", Bytes::new(size)));
    Ok(())
}

fn extend(path: &Path, from: u64, to: u64, want: &Want, notes: &mut Vec<String>) -> Result<()> {
    let flags = i32::try_from(OFlags::CLOEXEC.bits()).unwrap_or(0);
    let file = OpenOptions::new()
        .write(true)
        .custom_flags(flags)
        .open(path);
    let file = file.map_err(|error| Error::io("cannot be filled", error))?;
    if let Err(error) = fill(&file, from, to, want) {
        file.set_len(from).ok();
        return Err(error);
    }
    mark(&file, notes);
    Ok(())
}

fn fill(file: &File, from: u64, to: u64, want: &Want) -> Result<()> {
    let failed = |error: std::io::Error| explain(error, file, to - from);
    match fallocate(file, FallocateFlags::empty(), from, to - from) {
        // Where it is not known, the writes tell.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) | Ok(()) => {}
        Err(error) => return Err(failed(error.into())),
    }
    let mut random = Random::new(from ^ 0x5eed);
    let mut bytes = vec![0; CHUNK];
    let mut at = from;
    while at < to {
        if want
            .stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
        {
            return Err(Error::new(
                ErrorKind::Interrupted,
                "stopped while it was being filled",
            ));
        }
        for word in bytes.chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        let len = usize::try_from(to - at).map_or(CHUNK, |rest| rest.min(CHUNK));
        let part = bytes.get(..len).unwrap_or_default();
        file.write_all_at(part, at).map_err(failed)?;
        at += len as u64;
    }
    file.sync_all().map_err(failed)
}

fn explain(error: std::io::Error, file: &File, wanted: u64) -> Error {
    let left = fstatvfs(file).map_or(0, |fs| fs.f_bavail.saturating_mul(fs.f_frsize));
    let full = matches!(
        error.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    );
    let failed = Error::io(format!("{} cannot be written", Bytes::new(wanted)), error);
    if full {
        let left = Bytes::new(left >> 20 << 20);
        failed.advise(format!(
            "its file system has {left} left: give a smaller size"
        ))
    } else {
        failed
    }
}

fn mark(file: &File, notes: &mut Vec<String>) {
    if fsetxattr(file, MARK, b"1", XattrFlags::empty()).is_err() {
        notes.push(
            "its file system keeps no attributes: a later run that writes will ask for --destroy-data"
                .to_owned(),
        );
    }
}

fn is_marked(path: &Path) -> bool {
    let mut value = [0_u8; 1];
    File::open(path).is_ok_and(|file| fgetxattr(&file, MARK, &mut value).is_ok())
}
