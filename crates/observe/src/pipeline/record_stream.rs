//! The records of one file on their way from the parsers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender};

use super::TraceRead;
use crate::record::TraceRecords;

/// Chunks that wait before and after each parser.
pub(super) const WAITING: usize = 2;

/// The parsed chunk, and the buffer, to be filled again.
pub(super) struct Parsed {
    pub(super) records: TraceRecords,
    pub(super) buffer: Vec<u8>,
    /// The next chunk is from the same parser.
    pub(super) more: bool,
}

pub(super) type ParseOutcome = std::io::Result<Parsed>;

/// Buffers that come back to be filled again.
pub(super) type SpentBuffers = Receiver<(Vec<u8>, TraceRecords)>;

/// The records of one file, chunk after chunk.
pub(super) struct RecordStream {
    pub(super) parsers: Vec<Receiver<ParseOutcome>>,
    pub(super) turn: usize,
    pub(super) spent: SyncSender<(Vec<u8>, TraceRecords)>,
    pub(super) file: TraceRead,
    pub(super) place: u64,
    /// Set when its compressed data end too early.
    pub(super) cut: Arc<AtomicBool>,
}
