//! One line of a trace, in the same units for every format, and chunks of them.

mod directory;
mod names;
mod skipped;

pub use directory::NameDirectory;
pub use names::{ChunkNames, TraceDevice, TraceProcess};
pub use skipped::{Skipped, SkippedRecord};

/// The operation of an I/O.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Op {
    /// Data from the device.
    Read,
    /// Data to the device, also write-zeroes and zone append.
    Write,
    /// Discard, trim, unmap.
    Discard,
    /// A cache flush: no offset, no length.
    Flush,
    /// Zone management, pass-through commands, what the format does not tell.
    #[default]
    Other,
}

impl Op {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Write,
        Self::Discard,
        Self::Flush,
        Self::Other,
    ];

    /// As the profile names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Discard => "discard",
            Self::Flush => "flush",
            Self::Other => "other",
        }
    }

    /// Whether it has a place on the device, so that it can be off a grid.
    pub const fn has_place(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Discard)
    }
}

/// Latency that is not known.
pub const NO_LATENCY: u64 = u64::MAX;

/// One I/O.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Io {
    /// When it was issued, in nanoseconds since any fixed moment of the trace.
    pub time: i64,
    /// Its start on its device, in bytes.
    pub offset: u64,
    /// Nanoseconds to its completion, [`NO_LATENCY`] where not known.
    pub latency: u64,
    /// Bytes. The kernel's own limit for one request is 4 GiB.
    pub len: u32,
    /// Which device: an index into the names that come with it.
    pub device: u32,
    /// Which process: an index into the names that come with it.
    pub process: u32,
    /// Its operation.
    pub op: Op,
}

impl Io {
    /// The same in addresses that are higher by `shift`.
    #[must_use]
    #[inline]
    pub const fn shifted(&self, shift: i64) -> Self {
        Self {
            offset: self.offset.wrapping_add_signed(shift),
            ..*self
        }
    }

    /// When it ended, as far as that is known.
    pub fn end(&self) -> i64 {
        // Unknown values, and values past 63 bits, are negative.
        let latency = self.latency.cast_signed().max(0);
        self.time.saturating_add(latency)
    }
}

/// The content of a row of a trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum RecordKind {
    /// A whole I/O, with its latency where the format has one.
    #[default]
    Whole,
    /// It entered the block layer (blktrace Q).
    Queue,
    /// It went to the driver (blktrace D).
    Issue,
    /// It, or a part of it, completed (blktrace C); `time` is the moment of completion.
    Complete,
    /// The driver gave it back, it will be issued again (blktrace R).
    Requeue,
}

/// A row: an I/O, or one of its events.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct TraceRecord {
    /// The fields; a completion has no latency of its own.
    pub io: Io,
    /// The content of the row.
    pub kind: RecordKind,
}

impl TraceRecord {
    /// A row that speaks of a whole I/O.
    #[inline]
    pub const fn whole(io: Io) -> Self {
        Self {
            io,
            kind: RecordKind::Whole,
        }
    }
}

/// The records of one chunk. Devices and processes are numbered within it.
#[derive(Debug, Default)]
pub struct TraceRecords {
    /// The rows, in file order.
    pub rows: Vec<TraceRecord>,
    /// The meaning of their `device` and `process`.
    pub names: ChunkNames,
    /// Rows that did not parse.
    pub skipped: Skipped,
    /// Rows that are right and tell of no I/O: plugs, messages, comments.
    pub other: u64,
    /// Events that the tracer itself says it lost.
    pub dropped: u64,
    /// Records of `watch` that begin here, less those that end.
    pub unended: i64,
    /// Nanoseconds of the wall clock at time 0, where the trace says it.
    pub epoch: Option<i64>,
    /// Lines of the chunk, or its bytes where the format is binary: where the next chunk begins.
    pub extent: u64,
}

impl TraceRecords {
    /// How many rows there are.
    pub const fn count(&self) -> usize {
        self.rows.len()
    }

    /// Empties it for the next chunk; the space stays.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.names.clear();
        self.skipped = Skipped::default();
        self.other = 0;
        self.dropped = 0;
        (self.unended, self.epoch) = (0, None);
        self.extent = 0;
    }
}
