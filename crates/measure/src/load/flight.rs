//! An I/O between sending and completion.

use super::report::SentIo;
use crate::engine::QueuedIo;

/// An I/O in flight.
#[derive(Copy, Clone)]
pub(super) struct InFlightIo {
    pub(super) io: QueuedIo,
    pub(super) sent_ns: u64,
}

impl InFlightIo {
    /// Nothing yet.
    pub(super) const NONE: Self = Self {
        io: QueuedIo::flush(0, 0),
        sent_ns: 0,
    };

    /// As the tap sees it.
    pub(super) const fn sent(&self, latency_ns: u64) -> SentIo {
        SentIo {
            time_ns: self.sent_ns,
            write: self.io.op.writes(),
            offset_bytes: self.io.offset,
            bytes: self.io.bytes,
            latency_ns,
        }
    }
}
