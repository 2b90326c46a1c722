//! Files that this process has made: a report that is written again after every part of the work replaces its own.

use std::fs::{File, Metadata};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Each with a descriptor of its path: as long as there is one, no other file has the inode. Unlike an open file
/// it holds no lock and does not count as a writer.
static MADE: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

/// The last file of each name.
pub(super) fn remember(path: &Path, file: &File) {
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let Ok(file) = openat(CWD, name, flags, Mode::empty()).map(File::from) else {
        return;
    };
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.retain(|(known, _)| known != path);
    made.push((path.to_owned(), file));
}

pub(super) fn is_made_here(found: &Metadata) -> bool {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.iter().any(|(_, file)| {
        file.metadata()
            .is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
    })
}
