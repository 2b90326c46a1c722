//! A file as it is, byte for byte: an image that needs nothing, with all that its format keeps beside the disk.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ioalign_device::lock;
use ioalign_inspect::source::{FileSource, Source};

use super::copy::write_view;
use super::reading::Reading;
use crate::mover::{Done, FileDisk, MoverOptions, Watch};
use crate::overlay::OverlayView;
use crate::{Disk, Error, Result};

/// A file that no program writes to, as a disk with blocks of one byte.
pub fn file_as_disk(path: &Path) -> Result<Box<dyn Disk>> {
    let source = FileSource::open(path)
        .map_err(|error| Error::io("cannot be opened", io::Error::other(error)).of_target(path))?;
    lock::shared(source.file(), path)?;
    Ok(source_as_disk(Arc::new(source)))
}

/// The same of one that is open already, and locked.
pub fn source_as_disk(source: Arc<dyn Source>) -> Box<dyn Disk> {
    Box::new(Reading::new(source, 1))
}

/// Copies a file into an empty one that is open and will be named `path`.
pub fn copied_file(
    from: &mut dyn Disk,
    file: File,
    path: &Path,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let size = from.size_bytes();
    let mut to = FileDisk::locked(file, 1, path)?;
    to.resize(size)
        .map_err(|error| Error::io("cannot be made", error).of_target(path))?;
    write_view(
        &mut OverlayView::new(from, (size, 1), &[], &[]),
        &mut to,
        options,
        watch,
    )
}
