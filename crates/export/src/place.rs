//! Where a server has its file and its socket, and what a killed one has left there.
//!
//! Each server has a folder of its own, locked for as long as it lives. The system drops the lock of a process that is
//! killed, but neither its mount nor its loop device: a folder of this user that is not locked is left over.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioalign_device::{Error, Result, create, lock};
use rustix::fs::{Mode, OFlags};
use rustix::mount::UnmountFlags;

/// The names of folders begin so.
const BEGINNING: &str = "ioalign-array.";
/// The device in a folder.
const FILE: &str = "array";
/// The socket in a folder.
const SOCKET: &str = "nbd";
const TRIES: u32 = 16;

/// The folder of a server.
#[derive(Debug)]
pub struct ServerFolder {
    path: PathBuf,
    _lock: File,
}

impl ServerFolder {
    /// A new one, for its owner alone.
    pub fn new() -> Result<Self> {
        let within = within();
        for _ in 0..TRIES {
            let path = create::new_folder(&within, BEGINNING)?;
            // Another server that starts may take it for one that is left, before it is locked.
            if let Some(lock) = locked(&path) {
                return Ok(Self { path, _lock: lock });
            }
        }
        let taken = io::Error::from(io::ErrorKind::ResourceBusy);
        Err(Error::io("no folder can be kept in it", taken).of_target(&within))
    }

    /// Where the device is mounted.
    pub fn file(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Where the socket is, unless another place is wanted.
    pub fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }
}

impl Drop for ServerFolder {
    fn drop(&mut self) {
        // Nothing else is in it.
        let _ = std::fs::remove_file(self.file());
        let _ = std::fs::remove_file(self.socket());
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// What a killed server left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftServer {
    /// Its folder, which is gone now.
    pub folder: PathBuf,
    /// Loop devices that were on its file and are detached now.
    pub detached: Vec<PathBuf>,
    /// Those of them that something still has open.
    pub open: Vec<PathBuf>,
}

/// Clears away what killed servers of this user have left.
pub fn clear_left() -> Vec<LeftServer> {
    let entries = std::fs::read_dir(within()).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(BEGINNING.as_bytes())
    });
    let own = folders.filter(|entry| {
        let found = std::fs::symlink_metadata(entry.path());
        found
            .is_ok_and(|found| found.is_dir() && found.uid() == rustix::process::geteuid().as_raw())
    });
    own.filter_map(|entry| clear(&entry.path())).collect()
}

fn clear(folder: &Path) -> Option<LeftServer> {
    let lock = locked(folder)?;
    let file = folder.join(FILE);
    let mut left = LeftServer {
        folder: folder.to_owned(),
        detached: Vec::new(),
        open: Vec::new(),
    };
    for device in ioalign_device::loops_on(&file) {
        if ioalign_device::detach(&device, &file).is_ok() {
            if ioalign_device::loops_on(&file).contains(&device) {
                left.open.push(device.clone());
            }
            left.detached.push(device);
        }
    }
    take_away(&file);
    drop(ServerFolder {
        path: folder.to_owned(),
        _lock: lock,
    });
    Some(left)
}

/// Unmounts what answers no more.
fn take_away(file: &Path) {
    let done = rustix::mount::unmount(file, UnmountFlags::DETACH);
    if done == Err(rustix::io::Errno::PERM) {
        let mut helper = Command::new("fusermount3");
        helper.args([OsStr::new("-u"), OsStr::new("-z"), OsStr::new("--")]);
        helper.arg(file).stdout(Stdio::null()).stderr(Stdio::null());
        // What it could not do shows in the folder, which stays.
        let _ = helper.status();
    }
}

/// The lock of a folder, if it is free and the folder is still there.
fn locked(folder: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::empty()).ok()?);
    lock::whole(&file).ok()?;
    let (held, named) = (
        file.metadata().ok()?,
        std::fs::symlink_metadata(folder).ok()?,
    );
    (held.ino() == named.ino()).then_some(file)
}

/// The folder of things that last as long as a login, or that of temporary files.
fn within() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").filter(|path| !path.is_empty());
    runtime.map_or_else(std::env::temp_dir, PathBuf::from)
}
