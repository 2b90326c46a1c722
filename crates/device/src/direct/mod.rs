//! Alignment that `O_DIRECT` requires.

mod contract;

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::fs::{AtFlags, Statx, StatxFlags, fstatfs, ioctl_blksszget, statx};

pub use contract::direct_io_contract;

/// The file system that reads a part of its block through the page cache, also with `O_DIRECT` (`check_direct_IO` in `fs/btrfs`).
const BTRFS: i128 = 0x9123_683e;

/// The alignment that `O_DIRECT` asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Direct {
    /// Alignment of buffers.
    pub memory_bytes: u64,
    /// Alignment of places and lengths.
    pub offset_bytes: u64,
}

/// The requirements of a file or device that was opened with `O_DIRECT`; `None` if reads fail at
/// any alignment.
pub(crate) fn probe_direct_io(file: &File, is_block: bool) -> Option<Direct> {
    stated(file)
        .or_else(|| is_block.then(|| sector(file)).flatten())
        .or_else(|| of_btrfs(file))
        .or_else(|| tried(file))
}

/// Its block, below which a read that seems direct is not.
fn of_btrfs(file: &File) -> Option<Direct> {
    let found = fstatfs(file).ok()?;
    let bytes = u64::try_from(found.f_bsize).ok()?;
    (i128::from(found.f_type) == BTRFS && bytes >= 512).then_some(Direct {
        memory_bytes: bytes,
        offset_bytes: bytes,
    })
}

/// As statx reports (Linux 6.1). tmpfs reports 0 and accepts any.
fn stated(file: &File) -> Option<Direct> {
    let found = direct_statx(file)?;
    let known = found.stx_mask & StatxFlags::DIOALIGN.bits() != 0;
    (known && found.stx_dio_offset_align != 0).then(|| Direct {
        memory_bytes: found.stx_dio_mem_align.into(),
        offset_bytes: found.stx_dio_offset_align.into(),
    })
}

fn direct_statx(file: &File) -> Option<Statx> {
    let mask = StatxFlags::DIOALIGN | contract::READS;
    statx(file, c"", AtFlags::EMPTY_PATH, mask).ok()
}

fn sector(file: &File) -> Option<Direct> {
    let bytes = ioctl_blksszget(file).ok()?.into();
    Some(Direct {
        memory_bytes: bytes,
        offset_bytes: bytes,
    })
}

/// By reads of growing alignment.
fn tried(file: &File) -> Option<Direct> {
    #[repr(align(4096))]
    struct Aligned([u8; 4096]);
    let mut buffer = Box::new(Aligned([0; 4096]));
    let mut takes = |bytes: u16| {
        let part = buffer.0.get_mut(..usize::from(bytes))?;
        file.read_at(part, bytes.into()).ok()?;
        Some(u64::from(bytes))
    };
    let bytes = [512, 1024, 2048, 4096].into_iter().find_map(&mut takes)?;
    Some(Direct {
        memory_bytes: bytes,
        offset_bytes: bytes,
    })
}
