//! Whether a new image fits where it is to go: asked before the first byte, since a file system that fills up stops
//! others as well.

use std::path::Path;

use ioalign_core::Bytes;
use ioalign_repair::{Disk, Error, ErrorKind, Result};
use rustix::fs::statvfs;

use crate::args::FixArgs;

/// Data are looked for in pieces of this.
const STEP: u64 = 1 << 20;
/// The size of tables and headers, besides one part in 256 of the data.
const OVERHEAD: u64 = 4 << 20;

/// Refuses where what is not known to be zeros would not fit.
pub fn check(disk: &mut dyn Disk, new: &Path, arguments: &FixArgs) -> Result<()> {
    if arguments.no_space_check {
        return Ok(());
    }
    let folder = new.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let Ok(room) = statvfs(folder) else {
        return Ok(());
    };
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    let data = data_bytes(disk);
    let needed = data.saturating_add(data / 256).saturating_add(OVERHEAD);
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

/// As much of the disk as is not known to be zeros.
fn data_bytes(disk: &mut dyn Disk) -> u64 {
    let size = disk.size_bytes();
    let (mut at, mut data) = (0_u64, 0_u64);
    while at < size {
        let zeros = disk.zeros_from(at);
        if zeros == 0 {
            data = data.saturating_add(STEP.min(size - at));
        }
        // A piece that ends in zeros counts as a whole.
        at = at.saturating_add(if zeros == 0 { STEP } else { zeros });
    }
    data
}
