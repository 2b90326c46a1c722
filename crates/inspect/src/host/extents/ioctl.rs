//! `FS_IOC_FIEMAP`: the file system's own list of a file's extents.

use std::fs::File;
use std::io;

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

use super::FileExtent;

/// `struct fiemap` without its array.
#[repr(C)]
#[derive(Default)]
struct FiemapHead {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Copy, Clone, Default)]
struct Raw {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// Extents asked for in one call: 28 KiB.
const BATCH: usize = 512;
const BATCH_COUNT: u32 = 512;
const _: () = assert!(BATCH_COUNT as usize == BATCH);

/// The header with its array.
#[repr(C)]
struct FiemapCall {
    head: FiemapHead,
    extents: [Raw; BATCH],
}

const FIEMAP: Opcode = opcode::read_write::<FiemapHead>(b'f', 11);
/// `FIEMAP_EXTENT_LAST`.
const LAST: u32 = 1;

/// One answer.
pub(super) struct Batch {
    pub(super) extents: Vec<FileExtent>,
    pub(super) last: bool,
}

/// The extents from byte `from` on. Without `FIEMAP_FLAG_SYNC`: a reader writes nothing out, and
/// data that have no place yet come flagged as delayed.
pub(super) fn batch(file: &File, from: u64) -> io::Result<Batch> {
    let mut call = Box::new(FiemapCall {
        head: FiemapHead {
            start: from,
            length: u64::MAX - from,
            count: BATCH_COUNT,
            ..FiemapHead::default()
        },
        extents: [Raw::default(); BATCH],
    });
    // SAFETY: the opcode is FS_IOC_FIEMAP, which takes a `fiemap` header (`Head`, same layout)
    // followed by `fm_extent_count` extents; the array has exactly that many, so the kernel
    // writes inside `call`, which is alive and borrowed by nobody else.
    unsafe { ioctl(file, Updater::<FIEMAP, FiemapCall>::new(&mut call)) }?;
    let mapped = usize::try_from(call.head.mapped)
        .unwrap_or(BATCH)
        .min(BATCH);
    let found = call.extents.get(..mapped).unwrap_or_default();
    Ok(Batch {
        last: found.last().is_none_or(|raw| raw.flags & LAST != 0),
        extents: found.iter().map(extent).collect(),
    })
}

const fn extent(raw: &Raw) -> FileExtent {
    FileExtent {
        logical: raw.logical,
        physical: raw.physical,
        len: raw.length,
        flags: raw.flags,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_kernels_sizes() {
        assert_eq!(size_of::<FiemapHead>(), 32);
        assert_eq!(size_of::<Raw>(), 56);
        assert_eq!(FIEMAP, 0xC020_660B);
    }
}
