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
    /// Nothing: for a copy whose original stays, and never for data that are moved in place.
    Nothing,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_made_of_pieces_and_a_piece_of_blocks() {
        let good = |piece: u64, chunk: u64, direct_from: u64, logical: u64| {
            let options = MoverOptions {
                chunk,
                piece,
                direct_from,
                ..MoverOptions::default()
            };
            options.sizes(logical).is_ok()
        };
        assert!(good(512, 512, 1, 512) && good(4096, 12_288, 1, 4096));
        assert!(good(PIECE_MOST, PIECE_MOST, 1, 512) && good(512, SLOT_MOST, 1, 512));
        assert!(!good(512, 4096, 1, 4096), "a piece of less than a block");
        assert!(
            !good(1024, 1536, 1, 512),
            "a chunk of one and a half pieces"
        );
        assert!(!good(0, 0, 1, 512) && !good(512, 0, 1, 512) && !good(512, 512, 0, 512));
        assert!(!good(PIECE_MOST + 512, PIECE_MOST + 512, 1, 512));
        assert!(!good(512, SLOT_MOST + 512, 1, 512));
    }

    #[test]
    fn the_journal_is_sized_by_what_was_chosen() {
        let options = MoverOptions {
            chunk: 8192,
            piece: 2048,
            direct_from: 77,
            ..MoverOptions::default()
        };
        let sizes = options.sizes(512).unwrap();
        assert_eq!(
            (sizes.chunk, sizes.piece, sizes.direct_from),
            (8192, 2048, 77)
        );
    }
}
