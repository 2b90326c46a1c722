//! Remains of killed runs: files that never got their name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};

use super::{LONGEST_NAME, PARTIAL};

/// How the temporary names of a file begin.
pub(super) fn beginning(name: &OsStr) -> OsString {
    let bytes = name.as_bytes();
    let mut all = b".".to_vec();
    all.extend_from_slice(bytes.get(..LONGEST_NAME).unwrap_or(bytes));
    all.extend_from_slice(PARTIAL.as_bytes());
    OsString::from_vec(all)
}

/// The unfinished files of earlier runs that were to be named `path`, and that no process holds a lock on.
pub fn leftovers(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name() else {
        return Vec::new();
    };
    let beginning = beginning(name);
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or_else(|| Path::new(".")));
    let names = entries.into_iter().flatten().flatten();
    let mut all: Vec<_> = names
        .map(|entry| entry.file_name())
        .filter(|name| name.as_bytes().starts_with(beginning.as_bytes()))
        .map(|name| path.with_file_name(name))
        .filter(|path| is_left(path))
        .collect();
    all.sort();
    all
}

fn is_left(path: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = openat(CWD, path, flags, Mode::empty()).map(File::from) else {
        return false;
    };
    let is_file = file.metadata().is_ok_and(|found| found.is_file());
    is_file && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}
