//! Images that a virtual machine has open. QEMU's locks: one byte of the image file a permission
//! (`block/file-posix.c`), as open file description locks. A machine that runs on an image holds some of bytes 100 to 299; none of them may be held by
//! somebody else while data move, and none can be taken meanwhile.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::users::Use;
use crate::{Error, ErrorKind, Result};

/// Byte 100 + n: uses permission n. Byte 200 + n: does not let others use it.
const FIRST: i64 = 100;
const BYTES: i64 = 200;
/// Held by whoever writes: permission 1.
const WRITES: i64 = 101;
/// Lets nobody else write.
const NO_WRITERS: i64 = 201;

/// Holds the image against every other use for as long as the file is open.
pub fn exclusive(file: &File, path: &Path) -> Result<()> {
    take(file, libc::F_WRLCK, FIRST, BYTES, path)
}

/// Whether another program holds any of them, to read or to write; `false` where that cannot be told.
pub(crate) fn is_in_use(file: &File) -> bool {
    is_held(file, FIRST, BYTES).unwrap_or(false)
}

/// Holds the image against writers. One that is being written has no state that could be read.
pub fn shared(file: &File, path: &Path) -> Result<()> {
    take(file, libc::F_RDLCK, NO_WRITERS, 1, path)?;
    if is_held(file, WRITES, 1).unwrap_or(false) {
        return Err(in_use(path));
    }
    Ok(())
}

fn take(file: &File, kind: i32, at: i64, bytes: i64, path: &Path) -> Result<()> {
    let mut range = range(kind, at, bytes);
    match fcntl(file, libc::F_OFD_SETLK, &mut range) {
        Ok(()) => Ok(()),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => {
            Err(in_use(path))
        }
        // A file system without locks has none that could be held.
        Err(_) => Ok(()),
    }
}

fn is_held(file: &File, at: i64, bytes: i64) -> io::Result<bool> {
    let mut range = range(libc::F_WRLCK, at, bytes);
    fcntl(file, libc::F_OFD_GETLK, &mut range)?;
    Ok(i32::from(range.l_type) != libc::F_UNLCK)
}

fn range(kind: i32, at: i64, bytes: i64) -> libc::flock {
    libc::flock {
        l_type: i16::try_from(kind).unwrap_or(0),
        l_whence: i16::try_from(libc::SEEK_SET).unwrap_or(0),
        l_start: at,
        l_len: bytes,
        l_pid: 0,
    }
}

fn fcntl(file: &File, command: i32, range: &mut libc::flock) -> io::Result<()> {
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and both commands take a
    // pointer to one `flock`, which lives until the call returns.
    let done = unsafe { libc::fcntl(file.as_raw_fd(), command, std::ptr::from_mut(range)) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn in_use(path: &Path) -> Error {
    Error::new(ErrorKind::InUse, "another program has this image open")
        .of_target(path)
        .advise(Use::Program.remedy())
}
