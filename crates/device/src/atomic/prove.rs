//! Atomic writes that are tried, on a file without a name.
//!
//! `O_TMPFILE` makes a file that no folder names: it is gone when the program ends, however that happens.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::Path;

use ioalign_core::atomic_write::{
    AtomicFileLimits, AtomicProof, AtomicTry, WriteOutcome, planned_writes,
};
use rustix::fs::{AtFlags, Mode, OFlags, ftruncate, open, statx};
use rustix::io::{Errno, ReadWriteFlags, pwritev2};

use super::{WRITE_ATOMIC, stated};
use crate::{Error, Result};

/// `RWF_ATOMIC` of `linux/fs.h`: a write in one piece.
pub const ATOMIC_WRITE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x40);
/// Buffers are aligned for any sector.
const ALIGNED: usize = 64 << 10;

/// Tries atomic writes about a page in a file without a name in `folder`, and compares each end with what the limits
/// predict: `expected`, or where that is `None` what `statx` says of the new file.
///
/// # Errors
/// The file cannot be made, or a write fails for another reason than its place, length or mark.
pub fn prove_atomic_writes(
    folder: &Path,
    page: u64,
    expected: Option<AtomicFileLimits>,
) -> Result<AtomicProof> {
    let file = match nameless(folder) {
        Ok(file) => file,
        Err(Errno::OPNOTSUPP | Errno::ISDIR) => {
            return Ok(AtomicProof::impossible(
                "its file system makes no files without a name (O_TMPFILE)",
            ));
        }
        Err(Errno::INVAL) => {
            return Ok(AtomicProof::impossible(
                "its file system has no direct I/O (O_DIRECT)",
            ));
        }
        Err(error) => {
            return Err(
                Error::io("a scratch file cannot be made in it", error.into()).of_target(folder),
            );
        }
    };
    let failed =
        |error: Errno| Error::io("the scratch file cannot be used", error.into()).of_target(folder);
    let limits = match expected {
        Some(limits) => limits,
        None => limits_of(&file).map_err(failed)?,
    };
    let planned = planned_writes(limits, page);
    let end = |one: &AtomicTry| one.offset_bytes.saturating_add(one.length_bytes);
    ftruncate(&file, planned.iter().map(end).max().unwrap_or(0)).map_err(failed)?;
    let longest = planned
        .iter()
        .map(|one| one.length_bytes)
        .max()
        .unwrap_or(0);
    let longest = usize::try_from(longest).unwrap_or_default();
    let buffer = vec![7; longest.saturating_add(ALIGNED)];
    let lead = buffer.as_ptr().align_offset(ALIGNED);
    let mut proof = AtomicProof::default();
    for one in &planned {
        let length = usize::try_from(one.length_bytes).unwrap_or_default();
        let from = buffer.get(lead..).and_then(|rest| rest.get(..length));
        let ended = write(&file, from.unwrap_or_default(), one.offset_bytes);
        proof.count(
            one,
            ended.map_err(|error| {
                let what = format!(
                    "an atomic write of {length} bytes at {} failed",
                    one.offset_bytes
                );
                Error::io(what, error).of_target(folder)
            })?,
        );
    }
    Ok(proof)
}

/// What `statx` says of a file that is made in a folder, without a name; `None` where none can be made.
pub fn scratch_file_limits(folder: &Path) -> Option<AtomicFileLimits> {
    limits_of(&nameless(folder).ok()?).ok()
}

/// What `statx` says of an open file.
pub(crate) fn limits_of(file: &File) -> Result<AtomicFileLimits, Errno> {
    let found = statx(file, c"", AtFlags::EMPTY_PATH, WRITE_ATOMIC)?;
    Ok(stated(&found))
}

fn nameless(folder: &Path) -> Result<File, Errno> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::DIRECT | OFlags::EXCL | OFlags::CLOEXEC;
    open(folder, flags, Mode::RUSR | Mode::WUSR).map(File::from)
}

fn write(file: &File, bytes: &[u8], offset: u64) -> io::Result<WriteOutcome> {
    match pwritev2(file, &[IoSlice::new(bytes)], offset, ATOMIC_WRITE) {
        Ok(written) if written == bytes.len() => Ok(WriteOutcome::Accepted),
        Ok(written) => Err(io::Error::other(format!(
            "{written} bytes of it were written"
        ))),
        Err(Errno::INVAL) => Ok(WriteOutcome::Invalid),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(WriteOutcome::Unsupported),
        Err(error) => Err(error.into()),
    }
}
