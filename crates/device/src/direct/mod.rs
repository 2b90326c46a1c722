//! Alignment that `O_DIRECT` requires.

mod contract;
mod demands;

use std::fs::File;
use std::os::unix::fs::FileExt;

use ioalign_core::direct_io::DirectIoContract;

pub use contract::direct_io_contract;

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
    stated(&demands::demands(file, is_block)).or_else(|| tried(file))
}

/// As the kernel says. One alignment for both directions: that of writes, which reads keep too.
fn stated(demands: &DirectIoContract) -> Option<Direct> {
    Some(Direct {
        memory_bytes: demands.memory_align_bytes?,
        offset_bytes: demands.write_offset_align_bytes?,
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
