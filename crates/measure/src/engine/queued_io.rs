//! What goes through a queue of I/O.

use super::files::Files;
use super::options::EngineOptions;
use super::places::IoSpot;

/// The operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueueOp {
    Read,
    Write,
    /// `fdatasync`.
    Flush,
}

/// One I/O, from or into the buffer of its slot.
#[derive(Copy, Clone, Debug)]
pub(crate) struct QueuedIo {
    pub(crate) slot: u32,
    pub(crate) op: QueueOp,
    pub(crate) file: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u32,
}

/// An I/O that completed.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Completion {
    pub(crate) slot: u32,
    /// Bytes, or the negative of an error number.
    pub(crate) result: i32,
}

/// The parameters of a queue.
pub(crate) struct QueueSetup<'a> {
    pub(crate) files: &'a Files,
    pub(crate) depth: u32,
    pub(crate) largest_bytes: u32,
    pub(crate) options: &'a EngineOptions,
}

/// An I/O at a spot.
pub(crate) const fn io_of(spot: IoSpot, slot: u32) -> QueuedIo {
    QueuedIo {
        slot,
        op: if spot.write {
            QueueOp::Write
        } else {
            QueueOp::Read
        },
        file: spot.file,
        offset: spot.offset,
        bytes: spot.bytes,
    }
}
