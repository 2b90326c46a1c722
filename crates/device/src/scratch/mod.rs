//! Files for the load: made, filled and kept.
//!
//! They are filled with random bytes, so that every block of them exists and no store below takes a short
//! way for zeros. A [header](header) shows later runs that nothing is lost when such a file is overwritten.

mod fill;
mod header;
mod sample;

use std::ffi::OsString;
use std::fs::File;

use ioalign_core::Bytes;

use crate::target_request::TargetRequest;
use crate::{Error, ErrorKind, Result};
use fill::fill;
pub(crate) use header::{Recognised, ScratchHeader};

/// How many files a folder has, as sysbench makes them.
pub(crate) const FILES: u64 = 64;

/// The names of the files of a folder.
pub(crate) fn names() -> impl Iterator<Item = OsString> {
    (0..FILES).map(|number| format!("ioalign.scratch.{number:02}").into())
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

/// Fills a file that was made a moment ago, or was empty.
pub(crate) fn fill_new(
    file: &File,
    size: u64,
    want: &TargetRequest,
    notes: &mut Vec<String>,
) -> Result<ScratchHeader> {
    fill(file, 0, size, want)?;
    let header = finish(file, size, notes)?;
    notes.push(format!("made and filled with {}", Bytes::new(size)));
    Ok(header)
}

/// Makes a file of ours longer; where that fails it is as long as before.
pub(crate) fn extend(
    file: &File,
    old: &ScratchHeader,
    size: u64,
    want: &TargetRequest,
    notes: &mut Vec<String>,
) -> Result<ScratchHeader> {
    let from = old.payload_bytes;
    if let Err(error) = fill(file, from, size, want) {
        // The first error is reported; without a header the file is not ours.
        let _ = ScratchHeader::write(file, from);
        return Err(error);
    }
    finish(file, size, notes)
}

fn finish(file: &File, size: u64, notes: &mut Vec<String>) -> Result<ScratchHeader> {
    let failed = |error| Error::io("its header cannot be written", error);
    let header = ScratchHeader::write(file, size).map_err(failed)?;
    if ScratchHeader::read(file).map_err(failed)? != Recognised::Ours(header) {
        notes.push(
            "its file system does not keep times of change: a later run that writes will ask for --destroy-data"
                .to_owned(),
        );
    }
    Ok(header)
}
