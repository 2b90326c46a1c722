//! What goes through a queue of I/O.

use super::files::Files;
use super::options::EngineOptions;
use super::places::IoSpot;

/// The operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueueOp {
    Read,
    Write,
    /// Whole or not at all, or refused (`RWF_ATOMIC`).
    AtomicWrite,
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

impl QueuedIo {
    /// A flush of a file.
    pub(crate) const fn flush(slot: u32, file: u32) -> Self {
        Self {
            slot,
            op: QueueOp::Flush,
            file,
            offset: 0,
            bytes: 0,
        }
    }
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

impl QueueOp {
    /// Whether it writes data.
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }
}

/// An I/O at a spot; `atomic`: a write is marked.
pub(crate) const fn io_of(spot: IoSpot, slot: u32, atomic: bool) -> QueuedIo {
    QueuedIo {
        slot,
        op: if spot.write && atomic {
            QueueOp::AtomicWrite
        } else if spot.write {
            QueueOp::Write
        } else {
            QueueOp::Read
        },
        file: spot.file,
        offset: spot.offset,
        bytes: spot.bytes,
    }
}
