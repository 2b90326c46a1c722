//! A disk as it will be: what is there now, moved, with other bytes laid over it.
//!
//! The same description serves both ways of changing a disk: read as a disk it is copied to a new image,
//! and compared with what is there it becomes the patches of a [`Job`](crate::Job).

mod job;
mod origin;
mod patches;
mod table;
mod view;

use std::ops::Range;

pub use job::of_job;
pub(crate) use origin::{ByteOrigin, Origins, fill};
pub use patches::{changes, patches};
pub use table::table;
pub use view::OverlayView;

/// Bytes that will be somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayPiece {
    /// Where.
    pub at: u64,
    /// What.
    pub from: ByteSource,
}

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteSource {
    /// They are here.
    Bytes(Vec<u8>),
    /// They are on the disk as it is now.
    Old(Range<u64>),
    /// This many zeros.
    Zeros(u64),
}

impl OverlayPiece {
    /// What it fills.
    pub fn place(&self) -> Range<u64> {
        let length = match &self.from {
            ByteSource::Bytes(bytes) => bytes.len() as u64,
            ByteSource::Old(old) => old.end.saturating_sub(old.start),
            ByteSource::Zeros(length) => *length,
        };
        self.at..self.at.saturating_add(length)
    }

    /// The same elsewhere: `at` counts from `to`, what is on the old disk from `from`.
    #[must_use]
    pub fn based(self, to: u64, from: u64) -> Self {
        let source = match self.from {
            ByteSource::Old(old) => {
                ByteSource::Old(old.start.saturating_add(from)..old.end.saturating_add(from))
            }
            other => other,
        };
        Self {
            at: self.at.saturating_add(to),
            from: source,
        }
    }
}

/// Where an address is among pieces.
enum Spot<'a> {
    /// On this one.
    On(&'a OverlayPiece),
    /// Before one that begins there.
    Before(u64),
    /// Behind all of them.
    Behind,
}

/// Pieces that belong together: none covers another, and they are written together.
#[derive(Clone, Debug, Default)]
pub struct OverlayLayer(Vec<OverlayPiece>);

impl OverlayLayer {
    /// Of pieces in any order, none of which covers another. Empty ones are left out.
    pub fn new(mut pieces: Vec<OverlayPiece>) -> Self {
        pieces.retain(|piece| !piece.place().is_empty());
        pieces.sort_by_key(|piece| piece.at);
        Self(pieces)
    }

    /// Where an address is among the pieces.
    fn spot(&self, at: u64) -> Spot<'_> {
        let next = self.0.partition_point(|piece| piece.place().end <= at);
        match self.0.get(next) {
            Some(piece) if piece.at <= at => Spot::On(piece),
            Some(piece) => Spot::Before(piece.at),
            None => Spot::Behind,
        }
    }

    /// The stretches that it fills, in whole blocks.
    fn stretches(&self, block: u64) -> Vec<Range<u64>> {
        let block = block.max(1);
        let mut all: Vec<Range<u64>> = Vec::new();
        for place in self.0.iter().map(OverlayPiece::place) {
            let start = place.start - place.start % block;
            let end = place
                .end
                .checked_next_multiple_of(block)
                .unwrap_or(place.end);
            match all.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => all.push(start..end),
            }
        }
        all
    }

    /// Bytes that it fills, in whole blocks.
    pub fn bytes(&self, block: u64) -> u64 {
        let stretches = self.stretches(block);
        stretches.iter().map(|one| one.end - one.start).sum()
    }
}
