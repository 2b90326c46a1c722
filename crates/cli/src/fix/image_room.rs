//! Whether a new image fits where it is to go: asked before the first byte, since a file system that fills up stops
//! others as well.

use std::path::Path;

use ioalign_core::Bytes;
use ioalign_repair::{Disk, Error, ErrorKind, Result, allocation};

use super::room::free_bytes;
use crate::allowed_files::folder_of;
use crate::args::FixArgs;

/// Refuses where what is not known to be zeros would not fit.
pub fn check(disk: &mut dyn Disk, new: &Path, arguments: &FixArgs) -> Result<()> {
    if arguments.no_space_check {
        return Ok(());
    }
    let Some(free) = free_bytes(&folder_of(new)) else {
        return Ok(());
    };
    let needed = allocation::of_new_image(disk);
    if needed <= free {
        return Ok(());
    }
    let what = format!(
        "may take {}, and its file system has {} free; nothing was written",
        Bytes::new(needed),
        Bytes::new(free >> 20 << 20)
    );
    let error = Error::new(ErrorKind::Io, what).of_target(new);
    Err(error.advise(
        "make room, name another place, or, where much of the disk is zeros, add --no-space-check",
    ))
}
