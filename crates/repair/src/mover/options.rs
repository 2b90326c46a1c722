//! How a job is done: nothing here changes what the result is.

use crate::journal::{JournalSizes, PIECE_MOST, SLOT_MOST};
use crate::{Error, ErrorKind, Result};

/// What to do with a place that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadErrors {
    /// Stop, and say where. The job can go on with the other choice, or go back.
    #[default]
    Stop,
    /// Fill it with zeros, block by block, and report every one.
    Map,
}

/// How much is read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Every byte.
    #[default]
    Full,
    /// The first and the last piece of every window, and every sixteenth between.
    Sampled,
}

/// The choices of one run. They may be others when a job goes on.
#[derive(Clone, Debug)]
pub struct MoverOptions {
    /// The longest stretch between two flushes, and, for moves that overlap closely, what is held in memory
    /// and written to the journal first.
    pub chunk: u64,
    /// The size of one read or write.
    pub piece: u64,
    /// Overlapping moves of this distance or more go in windows of their distance, and need no second
    /// copy in the journal.
    pub direct_from: u64,
    /// The most bytes that are moved in a second.
    pub limit: Option<u64>,
    /// What to do with a place that cannot be read.
    pub read_errors: ReadErrors,
    /// How much is read back.
    pub verify: Verify,
    /// Continue although tables or superblocks have changed: another program wrote there in the
    /// meantime.
    pub trust_disk: bool,
}

impl Default for MoverOptions {
    fn default() -> Self {
        Self {
            chunk: 16 << 20,
            piece: 1 << 20,
            direct_from: 16 << 20,
            limit: None,
            read_errors: ReadErrors::Stop,
            verify: Verify::Full,
            trust_disk: false,
        }
    }
}

impl MoverOptions {
    /// What a journal is sized by, on a disk of this logical block.
    pub fn sizes(&self, logical: u64) -> Result<JournalSizes> {
        let good = self.piece.is_multiple_of(logical)
            && self.chunk.is_multiple_of(self.piece)
            && (1..=PIECE_MOST).contains(&self.piece)
            && (1..=SLOT_MOST).contains(&self.chunk)
            && self.direct_from > 0;
        let sizes = JournalSizes {
            chunk: self.chunk,
            piece: self.piece,
            direct_from: self.direct_from,
        };
        good.then_some(sizes).ok_or_else(|| {
            let what = format!(
                "a chunk is made of pieces and at most 1 GiB, a piece of blocks of {logical} bytes and at most 64 MiB"
            );
            Error::new(ErrorKind::Unsupported, what)
        })
    }
}
