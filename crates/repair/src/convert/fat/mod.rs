//! A FAT file system for sectors of another size.
//!
//! Its sector is the unit of everything in its boot sector, and firmware, Windows and Linux refuse one
//! that is smaller than the block of the disk. If the clusters are multiples of the new sector already,
//! only the part before them is rebuilt and no file changes (`keep`). Otherwise all files are written
//! again (`rebuild`): the bytes of names, times and attributes stay.

mod chains;
mod keep;
mod lay;
mod rebuild;
mod table;
mod tree;

pub use crate::content::fat::{FatGeometry, FatKind};

use crate::disk::read_bytes;
use crate::overlay::{ByteSource, OverlayPiece};
use crate::{Disk, Error, ErrorKind, Result};

/// What is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatWish {
    /// The new sector.
    pub sector: u64,
    /// The new start of the partition.
    pub start: u64,
}

/// A rebuilt file system.
#[derive(Clone, Debug)]
pub struct RemadeFat {
    /// What it looks like.
    pub geometry: FatGeometry,
    /// Its bytes, in no order, none twice. What they do not cover is free or stays.
    pub pieces: Vec<OverlayPiece>,
    /// Whether the clusters stayed where they are.
    pub kept: bool,
    /// Clusters that belonged to nothing, and are free now.
    pub lost: u32,
}

/// What the file system at byte `start` looks like.
pub fn geometry(disk: &mut dyn Disk, start: u64) -> Result<FatGeometry> {
    let size = 512;
    let head = Old { disk, start, size }.read(0, size)?;
    FatGeometry::read(&head).ok_or_else(|| refused("it is no FAT file system"))
}

/// The file system in bytes `[start, start + size)` for the wished sector.
pub fn remade(disk: &mut dyn Disk, start: u64, size: u64, wish: FatWish) -> Result<RemadeFat> {
    let mut old = Old { disk, start, size };
    let head = old.read(0, 512)?;
    let geometry = FatGeometry::read(&head).ok_or_else(|| refused("it is no FAT file system"))?;
    if geometry.bytes() > size {
        return Err(refused(format!(
            "it has {} bytes and its partition {size}",
            geometry.bytes()
        )));
    }
    table::clean(&mut old, &geometry, &head)?;
    match keep::kept(&mut old, &geometry, &head, wish)? {
        Some(remade) => Ok(remade),
        None => rebuild::rebuilt(&mut old, &geometry, &head, wish),
    }
}

/// The file system that is there.
struct Old<'a> {
    disk: &'a mut dyn Disk,
    start: u64,
    size: u64,
}

impl Old<'_> {
    /// Reads, never past the partition.
    fn read(&mut self, at: u64, length: u64) -> Result<Vec<u8>> {
        let inside = at.checked_add(length).is_some_and(|end| end <= self.size);
        let place = inside.then(|| self.start.checked_add(at)).flatten();
        let place = place.ok_or_else(|| refused(format!("byte {at} is past its end")))?;
        let length = usize::try_from(length).map_err(|_| refused("it is too large"))?;
        read_bytes(self.disk, place, length)
            .map_err(|error| Error::io(format!("byte {place} cannot be read"), error))
    }
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(
        ErrorKind::Refused,
        format!("the FAT file system: {}", why.into()),
    )
}
