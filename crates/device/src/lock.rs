//! Images that a virtual machine has open. QEMU locks one byte of the image file for each permission
//! (`block/file-posix.c`), as open file description locks. A machine that runs on an image holds some of bytes 100 to
//! 299. No other process may hold one of them while data move, and none can be taken in the meantime.
//!
//! A write through a loop device goes to its backing file, at any depth. [`LockedBelow`] locks those files, so that
//! two names of the same bytes exclude each other: a file and a loop device over it, two loop devices over one file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use ioalign_core::shell;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::loops::{self, LoopBacking, MOST_DEEP};
use crate::users::Use;
use crate::{Error, ErrorKind, Result};

/// A lock that another holds is asked for so often,
const TRIES: u32 = 5;
/// with such a pause between: a child of a program that has just let go of a file holds the lock too, between its
/// fork and its exec.
const PAUSE: Duration = Duration::from_millis(20);

/// Byte 100 + n: uses permission n. Byte 200 + n: does not let others use it.
const FIRST: i64 = 100;
const BYTES: i64 = 200;
/// Held by a writer: permission 1.
const WRITES: i64 = 101;
/// Keeps all other writers out.
const NO_WRITERS: i64 = 201;

/// Holds the image against every other use for as long as the file is open.
pub fn exclusive(file: &File, path: &Path) -> Result<()> {
    take_lock(file, libc::F_WRLCK, FIRST, BYTES, path)
}

/// Whether another program holds any of them, to read or to write; `false` if that is unknown.
pub(crate) fn is_in_use(file: &File) -> bool {
    is_held(file, FIRST, BYTES).unwrap_or(false)
}

/// Holds the image against writers. One that is being written has no state that could be read.
pub fn shared(file: &File, path: &Path) -> Result<()> {
    take_lock(file, libc::F_RDLCK, NO_WRITERS, 1, path)?;
    if is_held(file, WRITES, 1).unwrap_or(false) {
        return Err(in_use(path));
    }
    Ok(())
}

/// Locks on everything that lies below a loop device, for as long as this lives. Nothing where it is none.
#[derive(Debug)]
pub struct LockedBelow {
    _files: Vec<File>,
}

impl LockedBelow {
    /// Locks all that lies below the open `device`, which is to be written. `path` is its name in messages.
    pub fn of(device: &File, path: &Path) -> Result<Self> {
        let mut files = Vec::new();
        let mut number = device.metadata().map_or(0, |found| found.rdev());
        for _ in 0..MOST_DEEP {
            let Some(backing) = loops::backing(number) else {
                break;
            };
            files.push(locked(&backing, path)?);
            number = backing.number;
        }
        Ok(Self { _files: files })
    }
}

/// Opens what lies directly below a loop device, and locks it.
fn locked(backing: &LoopBacking, device: &Path) -> Result<File> {
    let name = || shell::path(&backing.path).into_owned();
    let failed = |error| {
        let what = format!("its backing file {} cannot be opened and locked", name());
        Error::io(what, error).of_target(device)
    };
    let lost = || {
        let what = format!(
            "its backing file is not {} any more, so that it cannot be locked against others",
            name()
        );
        let advice = "detach the device, and attach the file by the name that it has now";
        Error::new(ErrorKind::Refused, what)
            .of_target(device)
            .advise(advice)
    };
    if !backing.is_reachable() {
        return Err(lost());
    }
    let is_block = backing.number != 0;
    let flags = if is_block {
        OFlags::EXCL
    } else {
        OFlags::empty()
    } | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    let file = options.open(&backing.path).map_err(|error| {
        if error.kind() == io::ErrorKind::ResourceBusy {
            return in_use(device);
        }
        failed(error)
    })?;
    let found = file.metadata().map_err(failed)?;
    if (found.dev(), found.ino()) != (backing.device, backing.inode) {
        return Err(lost());
    }
    whole(&file).map_err(|error| match error {
        Errno::WOULDBLOCK => in_use(device),
        error => failed(error.into()),
    })?;
    if !is_block {
        exclusive(&file, device)?;
    }
    Ok(file)
}

/// The lock of flock(2), by which programs of this kind exclude each other.
pub fn whole(file: &File) -> rustix::io::Result<()> {
    for _ in 0..TRIES {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    Err(Errno::WOULDBLOCK)
}

fn take_lock(file: &File, kind: i32, at: i64, bytes: i64, path: &Path) -> Result<()> {
    for _ in 0..TRIES {
        let mut range = range(kind, at, bytes);
        match fcntl(file, libc::F_OFD_SETLK, &mut range) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => {
                std::thread::sleep(PAUSE);
            }
            // A file system without locks has none that could be held.
            Ok(()) | Err(_) => return Ok(()),
        }
    }
    Err(in_use(path))
}

/// Whether another program holds a lock of one of these bytes, POSIX or of an open file description. 0 bytes reach to
/// the end of the file.
pub(crate) fn is_held(file: &File, at: i64, bytes: i64) -> io::Result<bool> {
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
