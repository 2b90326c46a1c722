//! The place of a file on its device: FIEMAP, and the device that the answer counts on.
//!
//! An answer is a snapshot: a file system may move extents at any time. btrfs answers in its own
//! logical address space, which is no device's.

mod ioctl;

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ioalign_core::Runs;

use super::DevNo;
use super::root::Root;
use crate::error::{Error, Result};

/// `FIEMAP_EXTENT_*` bits of `linux/fiemap.h`.
mod flag {
    pub(super) const UNKNOWN: u32 = 0x2;
    pub(super) const DELALLOC: u32 = 0x4;
    pub(super) const ENCODED: u32 = 0x8;
    pub(super) const NOT_ALIGNED: u32 = 0x100;
    pub(super) const DATA_INLINE: u32 = 0x200;
    pub(super) const DATA_TAIL: u32 = 0x400;
}

/// A contiguous piece of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FileExtent {
    /// First byte in the file.
    pub logical: u64,
    /// First byte on the device; meaningless where [`FileExtent::is_placed`] is false.
    pub physical: u64,
    /// Length in bytes.
    pub len: u64,
    /// `FIEMAP_EXTENT_*` bits.
    pub flags: u32,
}

impl FileExtent {
    /// Whether the data have a place of their own on the device: not delayed, inline in metadata,
    /// compressed, or packed.
    pub const fn is_placed(&self) -> bool {
        let without = flag::UNKNOWN
            | flag::DELALLOC
            | flag::ENCODED
            | flag::NOT_ALIGNED
            | flag::DATA_INLINE
            | flag::DATA_TAIL;
        self.flags & without == 0
    }
}

/// A file's extents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileExtents {
    /// In order of `logical`.
    pub list: Vec<FileExtent>,
    /// Whether the file has more than were taken.
    pub truncated: bool,
    /// The device number that `stat` gives.
    pub devno: DevNo,
    /// The kernel's name of that device; `None` where the number has no block device (btrfs,
    /// overlay, network file systems).
    pub device: Option<String>,
    /// Whether `physical` counts on [`FileExtents::device`]; btrfs counts in an address space of its own.
    pub on_device: bool,
    /// The file's length.
    pub size: u64,
}

/// Extents taken from one file: 32 bytes each, 8 MiB in all.
const MOST_EXTENTS: usize = 1 << 18;
/// `BTRFS_SUPER_MAGIC`.
const BTRFS: u64 = 0x9123_683e;

/// Reads the extents of a regular file on this machine.
pub fn read(path: &Path) -> Result<FileExtents> {
    let failed = |what: &str, error| Error::io(what, error).in_file(path);
    let file = File::open(path).map_err(|e| failed("Cannot open it", e))?;
    let stat = file.metadata().map_err(|e| failed("Cannot stat it", e))?;
    if !stat.is_file() {
        return Err(Error::unsupported("Only regular files have extents").in_file(path));
    }
    let (list, truncated) = all(&file).map_err(|e| failed("FIEMAP failed", e))?;
    let devno = DevNo {
        major: rustix::fs::major(stat.dev()),
        minor: rustix::fs::minor(stat.dev()),
    };
    let device = Root::live().ok().and_then(|root| block_name(&root, devno));
    let btrfs = rustix::fs::fstatfs(&file).is_ok_and(|fs| u64::try_from(fs.f_type) == Ok(BTRFS));
    Ok(FileExtents {
        on_device: device.is_some() && !btrfs,
        list,
        truncated,
        devno,
        device,
        size: stat.len(),
    })
}

fn block_name(root: &Root, devno: DevNo) -> Option<String> {
    root.link_name(&format!("sys/dev/block/{devno}"))
}

/// All extents in batches; stops at the last one, at the limit, or when a batch brings nothing new.
fn all(file: &File) -> std::io::Result<(Vec<FileExtent>, bool)> {
    let mut list: Vec<FileExtent> = Vec::new();
    let mut from = 0;
    loop {
        let batch = ioctl::batch(file, from)?;
        let last = batch.last;
        let fresh = batch
            .extents
            .into_iter()
            .filter(|e| e.logical >= from && e.len > 0);
        let before = list.len();
        list.extend(fresh);
        if list.len() > MOST_EXTENTS {
            list.truncate(MOST_EXTENTS);
            return Ok((list, true));
        }
        let end = list.last().and_then(|e| e.logical.checked_add(e.len));
        match end {
            Some(end) if !last && list.len() > before && end > from => from = end,
            _ => return Ok((list, false)),
        }
    }
}

impl FileExtents {
    /// File address → device address, for the extents that have a place; in order.
    pub fn runs(&self) -> Runs {
        self.runs_from(0).unwrap_or_default()
    }

    /// The same in an address space that begins at byte `start` of the device; `None` if an extent lies before it.
    pub fn runs_from(&self, start: u64) -> Option<Runs> {
        let mut runs = Runs::new();
        let mut end = 0;
        for extent in self.list.iter().filter(|extent| extent.is_placed()) {
            let next = extent.logical.checked_add(extent.len);
            let below = extent.physical.checked_add(extent.len);
            if let (Some(next), Some(_)) = (next, below)
                && extent.logical >= end
            {
                runs.push(
                    extent.logical,
                    extent.physical.checked_sub(start)?,
                    extent.len,
                );
                end = next;
            }
        }
        Some(runs)
    }
}
