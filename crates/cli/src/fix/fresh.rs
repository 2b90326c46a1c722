//! A new image while it is written.

use std::path::Path;

use ioalign_device::create::{self, NewFile, PendingFile, Readers};
use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::{Disk, Result};

use super::same_target::SourceState;
use crate::check;
use crate::say::note;

/// An image that this run makes. It gets its name when it is complete: half of a copy is useless and could be taken
/// for the disk. Remains of a killed run have a name that says so.
pub struct FreshImage {
    pending: PendingFile,
    /// The destination of the copy.
    pub disk: Box<dyn Disk>,
    /// The source before it was read.
    source: SourceState,
}

impl FreshImage {
    /// Makes it; no file of the name may be there. Nobody may read it who may not read all of `source`.
    pub fn create(
        path: &Path,
        (source, state): (&Path, SourceState),
        format: ImageFormat,
        bytes: u64,
        logical: u64,
    ) -> Result<Self> {
        say_leftovers(path);
        let sources = check::files_of(source);
        let sources = sources.iter().filter_map(|path| path.metadata().ok());
        let pending = NewFile::new(path)
            .readable_by(Readers::Copied(sources.collect()))
            .create()?;
        let file = pending.file().try_clone();
        let file = file.map_err(|error| ioalign_repair::Error::io("cannot be made", error))?;
        let disk = container::create_in(file, path, format, bytes, logical)?;
        Ok(Self {
            pending,
            disk,
            source: state,
        })
    }

    /// It is whole, and of one state of its source.
    pub fn keep(mut self) -> Result<()> {
        self.source.unchanged()?;
        self.disk
            .flush()
            .map_err(|error| ioalign_repair::Error::io("cannot be written", error))?;
        drop(self.disk);
        self.pending.keep()
    }
}

/// Remains of killed runs take space until they are removed.
fn say_leftovers(path: &Path) {
    for left in create::leftovers(path) {
        note(format_args!(
            "{}: an unfinished image that a run which was killed has left; it can be removed",
            left.display()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 1 << 20;

    #[test]
    fn it_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::write(&source, b"").unwrap();
        let path = folder.path().join("new.img");
        let make = || {
            let from = (source.as_path(), SourceState::of(&source));
            FreshImage::create(&path, from, ImageFormat::Raw, BYTES, 512)
        };
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        drop(make().unwrap());
        assert_eq!((path.exists(), names()), (false, 1));
        let image = make().unwrap();
        assert_eq!((path.exists(), names()), (false, 2));
        image.keep().unwrap();
        assert_eq!((path.exists(), names()), (true, 2));
        // The name was taken by another file before, or in the meantime.
        assert!(make().is_err() && path.exists());
        std::fs::remove_file(&path).unwrap();
        let image = make().unwrap();
        std::fs::write(&path, b"of another program").unwrap();
        assert!(image.keep().is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"of another program");
        assert_eq!(names(), 2);
    }
}
