//! Other writers of a file, as the kernel itself reports them, in any namespace.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use rustix::fs::OFlags;

use crate::pinned::Pinned;

/// Whether any other process has the file open for writing, or mapped for it; `None` if that is unknown: local file
/// systems grant a read lease only to the owner (or root), and only while there is no writer, including this process.
pub(crate) fn is_open_for_writing(file: &Pinned) -> Option<bool> {
    if !file.found().is_file() {
        return None;
    }
    let file = file.open(false, OFlags::empty()).ok()?;
    // Whoever opens it in this moment breaks the lease: the signal for that is one that is ignored.
    fcntl(&file, F_SETSIG, libc::SIGURG).ok()?;
    match fcntl(&file, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(()) => {
            fcntl(&file, libc::F_SETLEASE, libc::F_UNLCK).ok()?;
            Some(false)
        }
        // The lease does not say whose writer it is.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            (!is_open_here(&file)).then_some(true)
        }
        Err(_) => None,
    }
}

/// Whether this process has the file open for writing.
fn is_open_here(file: &File) -> bool {
    let Ok(wanted) = file.metadata() else {
        return false;
    };
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten();
    entries.flatten().any(|entry| {
        let is_same = fs::metadata(entry.path())
            .is_ok_and(|found| (found.dev(), found.ino()) == (wanted.dev(), wanted.ino()));
        is_same && is_for_writing(&entry.file_name().to_string_lossy())
    })
}

/// By the flags of a descriptor, which are octal: `flags: 0100002`.
fn is_for_writing(number: &str) -> bool {
    let text = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    let flags = flags.map_or(OFlags::PATH, OFlags::from_bits_retain);
    !flags.contains(OFlags::PATH) && flags.intersects(OFlags::WRONLY | OFlags::RDWR)
}

/// Not among the constants of `libc`.
const F_SETSIG: i32 = 10;

fn fcntl(file: &File, command: i32, argument: i32) -> io::Result<()> {
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and both commands take a number.
    let done = unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
