//! The page cache on the way of a target: what a cold measurement drops.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise, fdatasync};

use crate::{Error, Result};

/// A loop device on a file on a loop device …: no further than this.
const DEEPEST: usize = 4;

/// Files below a target that the page cache holds parts of.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    files: Vec<(PathBuf, File)>,
}

impl Caches {
    /// The backing files below a device, or below the file system that a file is in.
    pub(crate) fn below(target: &File, notes: &mut Vec<String>) -> Self {
        let mut files = Vec::new();
        let mut device = device_of(target);
        for _ in 0..DEEPEST {
            let Some(CacheBacking { path, direct }) = device.and_then(backing_file) else {
                break;
            };
            let Ok(file) = File::open(&path) else {
                notes.push(format!(
                    "{} lies below and cannot be opened: what is cached of it stays",
                    path.display()
                ));
                break;
            };
            device = device_of(&file);
            if !direct {
                files.push((path, file));
            }
        }
        Self { files }
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(crate) fn flush(&self) -> Result<()> {
        let mut files = self.files.iter();
        files.try_for_each(|(path, file)| flush(file, path))
    }

    pub(crate) fn evict(&self) -> Result<()> {
        for (path, file) in &self.files {
            drop_pages(file)
                .map_err(|error| Error::io("its cached pages cannot be dropped", error))
                .map_err(|error| error.of_target(path))?;
        }
        Ok(())
    }
}

/// Writes back all of a file or device.
pub(crate) fn flush(file: &File, path: &Path) -> Result<()> {
    fdatasync(file)
        .map_err(|error| Error::io("what was written cannot be flushed", error.into()))
        .map_err(|error| error.of_target(path))
}

/// Writes back and drops all clean pages of a file or device.
pub(crate) fn drop_pages(file: &File) -> io::Result<()> {
    fdatasync(file)?;
    fadvise(file, 0, None, Advice::DontNeed)?;
    Ok(())
}

/// The device number of a device, or of the file system that a file is in.
fn device_of(file: &File) -> Option<u64> {
    let found = file.metadata().ok()?;
    Some(match found.rdev() {
        0 => found.dev(),
        device => device,
    })
}

/// The files behind a loop device.
struct CacheBacking {
    path: PathBuf,
    /// Past the page cache.
    direct: bool,
}

/// The file behind a loop device or a partition of one.
fn backing_file(device: u64) -> Option<CacheBacking> {
    let folder = crate::sysfs::sysfs_folder(device)?;
    let fact = |name: &str| {
        let places = [folder.join("loop"), folder.join("../loop")];
        places
            .iter()
            .find_map(|place| std::fs::read_to_string(place.join(name)).ok())
    };
    let path = fact("backing_file")?;
    Some(CacheBacking {
        path: PathBuf::from(path.trim_end_matches('\n')),
        direct: fact("dio").is_some_and(|text| text.trim() == "1"),
    })
}
