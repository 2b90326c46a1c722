//! The file that holds the data of an array.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ioalign_device::{Error, ErrorKind, Result, lock};
use rustix::fs::OFlags;

use crate::media::in_memory;

/// Where the data are, locked.
#[derive(Debug)]
pub struct ArrayData {
    file: File,
    path: Option<PathBuf>,
    has: Option<u64>,
}

impl ArrayData {
    /// A file, new or as it is; without a path a new one in memory.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            let file = in_memory("ioalign-array");
            let file = file.map_err(|error| Error::io("no file can be made in memory", error))?;
            return Ok(Self {
                file,
                path: None,
                has: None,
            });
        };
        let file = opened(path).map_err(|error| failed(path, "cannot be opened", error))?;
        let found = file.metadata();
        let found = found.map_err(|error| failed(path, "cannot be looked at", error))?;
        if !found.is_file() {
            let error = Error::new(ErrorKind::Unsupported, "is no regular file");
            return Err(error.of_target(path));
        }
        if lock::whole(&file).is_err() {
            let error = Error::new(ErrorKind::InUse, "another program has it locked");
            let advice = "each served array needs a file of its own";
            return Err(error.of_target(path).advise(advice));
        }
        lock::exclusive(&file, path)?;
        Ok(Self {
            file,
            path: Some(path.to_owned()),
            has: Some(found.len()).filter(|len| *len > 0),
        })
    }

    /// How much an existing file has.
    pub const fn bytes(&self) -> Option<u64> {
        self.has
    }

    /// The file with this size, which that of an existing one has to be.
    pub fn sized(self, bytes: u64) -> Result<File> {
        let path = self.path.unwrap_or_else(|| PathBuf::from("memory"));
        match self.has {
            Some(has) if has != bytes => {
                let what = format!("holds {has} bytes, and the device has {bytes}");
                let error = Error::new(ErrorKind::Refused, what).of_target(&path);
                return Err(error.advise("leave --size away, or name another file"));
            }
            Some(_) => {}
            None => {
                let sized = self.file.set_len(bytes);
                let what = format!("cannot be given {bytes} bytes");
                sized.map_err(|error| failed(&path, &what, error))?;
            }
        }
        Ok(self.file)
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.mode(0o600);
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    options.open(path)
}

fn failed(path: &Path, what: &str, error: io::Error) -> Error {
    Error::io(what, error).of_target(path)
}
