//! New images.

use std::fs::File;
use std::io;
use std::path::Path;

use ioalign_device::create::{NewFile, Readers};
use ioalign_device::lock;

use super::store::Store;
use super::{ImageFormat, qcow2, vdi, vhd, vhdx, vmdk};
use crate::mover::FileDisk;
use crate::{Disk, Error, ErrorKind, Result};

/// Makes a new image of this format and size; the file must not be there. It reads as zeros, and takes only
/// the room that is written. After a flush it is a whole image.
pub fn create(path: &Path, format: ImageFormat, bytes: u64, logical: u64) -> Result<Box<dyn Disk>> {
    possible(format, bytes, logical)?;
    let new = NewFile::new(path).readable_by(Readers::Usual).create()?;
    let file = new.file().try_clone().map_err(unmade)?;
    let disk = filled(file, path, format, bytes, logical)?;
    new.keep()?;
    Ok(disk)
}

/// The same in an empty file that is open, and that will be named `path`.
pub fn create_in(
    file: File,
    path: &Path,
    format: ImageFormat,
    bytes: u64,
    logical: u64,
) -> Result<Box<dyn Disk>> {
    possible(format, bytes, logical).map_err(|error| error.of_target(path))?;
    filled(file, path, format, bytes, logical)
}

/// The image in a file that was just made.
fn filled(
    file: File,
    path: &Path,
    format: ImageFormat,
    bytes: u64,
    logical: u64,
) -> Result<Box<dyn Disk>> {
    let filled = || {
        let store = FileDisk::locked(file, logical, path)?;
        lock::exclusive(&store.file().map_err(unmade)?, path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        made(Box::new(store), format, bytes, logical, &name)
    };
    filled().map_err(|error: Error| error.of_target(path))
}

fn unmade(error: io::Error) -> Error {
    Error::io("cannot be made", error)
}

/// What a format can hold.
fn possible(format: ImageFormat, bytes: u64, logical: u64) -> Result<()> {
    let sectors: &[u64] = match format {
        ImageFormat::Raw => &[512, 1024, 2048, 4096],
        ImageFormat::Vhdx => &[512, 4096],
        _ => &[512],
    };
    let name = format.name();
    let what = if !sectors.contains(&logical) {
        format!("{name} has no logical blocks of {logical} bytes; raw and vhdx have those of 4096")
    } else if bytes == 0 || !bytes.is_multiple_of(logical) {
        format!("a disk of {bytes} bytes is not made of blocks of {logical}")
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Unsupported, what))
}

/// Makes a new image in an empty store.
pub fn create_store(
    store: Box<dyn Store>,
    format: ImageFormat,
    bytes: u64,
    logical: u64,
    name: &str,
) -> Result<Box<dyn Disk>> {
    possible(format, bytes, logical)?;
    made(store, format, bytes, logical, name)
}

fn made(
    mut store: Box<dyn Store>,
    format: ImageFormat,
    bytes: u64,
    logical: u64,
    name: &str,
) -> Result<Box<dyn Disk>> {
    let what = format!("no {} image can be made", format.name());
    let failed = |error| Error::io(what, error);
    let head = store.as_mut();
    match format {
        ImageFormat::Raw => head.set_len(bytes).map_err(failed)?,
        ImageFormat::Qcow2 => qcow2::create(head, bytes).map_err(failed)?,
        ImageFormat::Vhd => vhd::create(head, bytes).map_err(failed)?,
        ImageFormat::Vmdk => vmdk::create(head, bytes, name).map_err(failed)?,
        ImageFormat::Vdi => vdi::create(head, bytes).map_err(failed)?,
        ImageFormat::Vhdx => {
            let sizes = vhdx::create(head, bytes, logical).map_err(failed)?;
            return vhdx::mount(store, sizes);
        }
    }
    match format {
        ImageFormat::Qcow2 => qcow2::mount(store),
        ImageFormat::Vhd => vhd::mount(store, bytes),
        ImageFormat::Vmdk => vmdk::mount(store, bytes),
        ImageFormat::Vdi => vdi::mount(store, bytes),
        ImageFormat::Raw | ImageFormat::Vhdx => Ok(store),
    }
}
