//! Targets whose partitions `ioalign fix` is moving: nothing else writes to them.

use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;

use ioalign_core::move_marker::{BYTES, MarkerFound, MoveMarker};
use ioalign_core::{move_words, shell};

use rustix::fs::OFlags;

use crate::pinned::Pinned;
use crate::{Error, ErrorKind, Result};

/// The marker at the start of a file or device.
fn marker(pinned: &Pinned) -> Option<MarkerFound> {
    let found = pinned.found();
    // A pipe would wait for its other end.
    if !found.is_file() && !found.file_type().is_block_device() {
        return None;
    }
    let mut sector = [0; BYTES];
    let file = pinned.open(false, OFlags::empty()).ok()?;
    file.read_exact_at(&mut sector, 0).ok()?;
    MoveMarker::decode(&sector)
}

/// Refuses a target that is to be written, even when it is named a second time. What is only read gets a note.
/// `path` is the name of the target in messages.
pub(crate) fn check(
    path: &Path,
    pinned: &Pinned,
    write: bool,
    notes: &mut Vec<String>,
) -> Result<()> {
    let Some(found) = marker(pinned) else {
        return Ok(());
    };
    let state = move_words::state(&found);
    if !write {
        notes.push(format!("{state}: it is read as it is"));
        return Ok(());
    }
    let name = shell::path(path);
    Err(Error::new(ErrorKind::InUse, state).advise(format!(
        "{}, and `ioalign fix {name} --abandon {name}` gives up what is on it",
        move_words::ways(path, None)
    )))
}
