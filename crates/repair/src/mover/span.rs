//! The place of a window, and its part of a buffer.

use std::ops::Range;

use super::{Side, Track};
use crate::{Error, ErrorKind, Result};

/// Where a window is and where it goes, as addresses.
#[derive(Clone, Copy, Debug)]
pub struct WindowSpan {
    /// The first byte read.
    pub from: u64,
    /// The first byte written.
    pub to: u64,
    /// How many.
    pub bytes: u64,
}

impl WindowSpan {
    /// The addresses of positions that go towards a side.
    pub const fn of(track: Track, toward: Side, window: &Range<u64>) -> Self {
        Self {
            from: track.address(toward.other(), window),
            to: track.address(toward, window),
            bytes: window.end - window.start,
        }
    }

    /// Offsets and lengths of its pieces.
    pub(super) fn pieces(self, piece: u64) -> impl Iterator<Item = (u64, usize)> {
        (0..self.bytes.div_ceil(piece)).map(move |index| {
            let offset = index * piece;
            let length = piece.min(self.bytes - offset);
            (offset, usize::try_from(length).unwrap_or(0))
        })
    }
}

/// A part of the buffer, which is as long as the longest window and piece: never a shorter one in silence.
pub fn part(buffer: &mut [u8], offset: u64, length: usize) -> Result<&mut [u8]> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let part = buffer.get_mut(start..start.saturating_add(length));
    part.ok_or_else(|| Error::new(ErrorKind::Unsupported, "a window is longer than its buffer"))
}
