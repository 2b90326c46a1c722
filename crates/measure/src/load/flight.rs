//! An I/O between sending and completion.

use super::report::Sent;
use crate::engine::{Io, Op};

/// An I/O in flight.
#[derive(Copy, Clone)]
pub(super) struct Flight {
    pub(super) io: Io,
    pub(super) sent_ns: u64,
}

impl Flight {
    /// Nothing yet.
    pub(super) const NONE: Self = Self {
        io: Io {
            slot: 0,
            op: Op::Flush,
            file: 0,
            offset: 0,
            bytes: 0,
        },
        sent_ns: 0,
    };

    /// As the tap sees it.
    pub(super) const fn sent(&self, latency_ns: u64) -> Sent {
        Sent {
            time_ns: self.sent_ns,
            write: matches!(self.io.op, Op::Write),
            offset_bytes: self.io.offset,
            bytes: self.io.bytes,
            latency_ns,
        }
    }
}
