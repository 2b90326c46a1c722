//! Targets whose partitions `ioalign fix` is moving: nothing else writes to them.

use std::fs::File;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;

use ioalign_core::move_marker::{BYTES, MarkerFound, MoveMarker};
use ioalign_core::{move_words, shell};

use crate::{Error, ErrorKind, Result};

/// The marker at the start of a file or device.
fn marker(path: &Path) -> Option<MarkerFound> {
    let found = path.metadata().ok()?;
    // A pipe would wait for its other end.
    if !found.is_file() && !found.file_type().is_block_device() {
        return None;
    }
    let mut sector = [0; BYTES];
    File::open(path).ok()?.read_exact_at(&mut sector, 0).ok()?;
    MoveMarker::decode(&sector)
}

/// Refuses one that is to be written, be it named for that a second time or not.
pub(crate) fn refuse(path: &Path) -> Result<()> {
    let Some(found) = marker(path) else {
        return Ok(());
    };
    let name = shell::path(path);
    Err(
        Error::new(ErrorKind::InUse, move_words::state(&found)).advise(format!(
            "{}, and `ioalign fix {name} --abandon {name}` gives up what is on it",
            move_words::ways(path, None)
        )),
    )
}

/// What is said of one that is read.
pub(crate) fn note(path: &Path) -> Option<String> {
    let found = marker(path)?;
    let state = move_words::state(&found);
    Some(format!("{state}: it is read as it stands"))
}
