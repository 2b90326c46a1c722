//! Which image it is, whether it may be written in place, and as what.

use std::fs::File;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use ioalign_core::{ImageFormat, ImageVariant};
use ioalign_device::lock;
use ioalign_inspect::images::{self, Image, ImagePolicy};
use ioalign_inspect::source::{FileSource, Source};

use super::pieces::{FlatPiece, Pieces};
use super::reading::Reading;
use super::refusal::refused;
use super::store::Store;
use super::{qcow2, sound, vdi, vhd, vhdx, vmdk};
use crate::mover::FileDisk;
use crate::{Disk, Error, ErrorKind, Result};

/// Opens an image or a block device, by its content. For writing it is locked, and refused where it
/// could not be written so that a crash loses nothing. To read, every format and chain will do, and only
/// writers are kept out.
pub fn open(path: &Path, write: bool) -> Result<Box<dyn Disk>> {
    if write {
        writable(path)
    } else {
        readable(path)
    }
}

fn is_device(file: &File) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.file_type().is_block_device())
}

fn readable(path: &Path) -> Result<Box<dyn Disk>> {
    let source = FileSource::open(path).map_err(|error| cannot_read(path, &error))?;
    let file = source.file();
    if is_device(file) {
        let logical = rustix::fs::ioctl_blksszget(file).map_or(512, u64::from);
        return Ok(Box::new(Reading::new(Arc::new(source), logical)));
    }
    lock::shared(file, path)?;
    open_source(&(Arc::new(source) as Arc<dyn Source>))
}

/// Opens an image to read that is open already, as a file in an archive is. Who opened it has locked it.
pub fn open_source(source: &Arc<dyn Source>) -> Result<Box<dyn Disk>> {
    let path = source.path();
    let image = inspected(source, path)?;
    sound::to_read(&image).map_err(|error| error.of_target(path))?;
    let logical = image.logical_sector.map_or(512, |sector| sector.get());
    Ok(Box::new(Reading::new(image.guest, logical)))
}

fn writable(path: &Path) -> Result<Box<dyn Disk>> {
    let store = FileDisk::open(path)?;
    let file = |error| Error::io("cannot be opened", error).of_target(path);
    let handle = store.file().map_err(file)?;
    if is_device(&handle) {
        return Ok(Box::new(store));
    }
    lock::exclusive(&handle, path)?;
    let store = store.keeping_holes().map_err(file)?;
    let source = FileSource::from_file(handle, path).map_err(|error| cannot_read(path, &error))?;
    let image = inspected(&(Arc::new(source) as Arc<dyn Source>), path)?;
    let opened = match flat_files(&image) {
        true => flat(Box::new(store), &image),
        false => by_format(Box::new(store), image),
    };
    opened.map_err(|error| error.of_target(path))
}

/// Opens an image in any store for writing. `source` reads the same bytes.
pub fn open_store(store: Box<dyn Store>, source: &Arc<dyn Source>) -> Result<Box<dyn Disk>> {
    let image = inspected(source, source.path())?;
    by_format(store, image)
}

/// The verdict of the reader, which looks at every entry of every table.
fn inspected(source: &Arc<dyn Source>, path: &Path) -> Result<Image> {
    let image = images::open(source, &ImagePolicy::default());
    let image = image.map_err(|error| cannot_read(path, &error))?;
    image.ok_or_else(|| Error::new(ErrorKind::Unsupported, "is no image").of_target(path))
}

fn cannot_read(path: &Path, error: &ioalign_inspect::Error) -> Error {
    let full = error.full();
    // The file is named by this error already, unless it is another one of a chain.
    let what = full.strip_prefix(&format!("{}: ", path.display()));
    let what = format!("cannot be used: {}", what.unwrap_or(&full));
    Error::new(ErrorKind::Unsupported, what).of_target(path)
}

fn by_format(store: Box<dyn Store>, image: Image) -> Result<Box<dyn Disk>> {
    sound::to_write(&image)?;
    use ImageVariant::{Dynamic, Fixed, MonolithicSparse, Static};
    match (image.detail.format, &image.detail.variant) {
        (ImageFormat::Raw, _) => Ok(store),
        (ImageFormat::Qcow2, _) => qcow2::open(store, image),
        (ImageFormat::Vhd, Fixed) => fixed_vhd(store, &image),
        (ImageFormat::Vhd, Dynamic) => vhd::open(store, &image),
        (ImageFormat::Vdi, Dynamic | Static) => vdi::open(store, &image),
        (ImageFormat::Vmdk, MonolithicSparse) => vmdk::open(store, &image),
        (ImageFormat::Vhdx, Dynamic | Fixed) => vhdx::open(store, &image),
        (format, variant) => Err(refused(format!(
            "a {variant} {format} image is not written in place"
        ))),
    }
}

fn fixed_vhd(store: Box<dyn Store>, image: &Image) -> Result<Box<dyn Disk>> {
    let bytes = image.virtual_size.get();
    let all = FlatPiece {
        from: 0,
        store: 0,
        at: 0,
        bytes,
    };
    pieces(vec![store], vec![all], bytes)
}

fn pieces(stores: Vec<Box<dyn Store>>, all: Vec<FlatPiece>, bytes: u64) -> Result<Box<dyn Disk>> {
    let disk = Pieces::new(stores, all, bytes);
    let disk = disk.ok_or_else(|| refused("parts of the disk have no place in its files"))?;
    Ok(Box::new(disk))
}

/// A VMDK of flat files that a descriptor names.
fn flat_files(image: &Image) -> bool {
    use ImageVariant::{MonolithicFlat, TwoGbMaxExtentFlat, Vmfs};
    let detail = &image.detail;
    let flat = matches!(detail.variant, MonolithicFlat | TwoGbMaxExtentFlat | Vmfs);
    detail.format == ImageFormat::Vmdk && flat
}

/// The files of a flat VMDK, each of them locked; so is its descriptor, which nothing else uses.
fn flat(descriptor: Box<dyn Store>, image: &Image) -> Result<Box<dyn Disk>> {
    sound::to_write(image)?;
    if image.backing_path.is_some() {
        return Err(refused("a VMDK with a parent is not written in place"));
    }
    let mut stores: Vec<Box<dyn Store>> = Vec::new();
    let mut all = Vec::new();
    for (index, place) in image.places.iter().enumerate() {
        let store = FileDisk::open(&place.path)?;
        let handle = store.file();
        let handle = handle.map_err(|error| Error::io("cannot be opened", error))?;
        lock::exclusive(&handle, &place.path)?;
        let store = store.keeping_holes();
        let store = store.map_err(|error| Error::io("cannot be opened", error))?;
        stores.push(Box::new(store));
        all.extend(of_runs(index, &place.runs));
    }
    stores.push(descriptor);
    pieces(stores, all, image.virtual_size.get())
}

fn of_runs(store: usize, runs: &ioalign_core::Runs) -> Vec<FlatPiece> {
    let each = |run: &ioalign_core::Run| {
        let run = *run;
        (0..run.count).map(move |index| {
            let (from, at) = run.nth(index);
            FlatPiece {
                from,
                store,
                at,
                bytes: run.len,
            }
        })
    };
    runs.iter().flat_map(each).collect()
}
