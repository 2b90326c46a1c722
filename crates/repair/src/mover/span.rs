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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Move;

    #[test]
    fn a_span_reads_on_one_side_and_writes_on_the_other() {
        let track = Track(Move {
            from: 10_000,
            to: 50_000,
            bytes: 4096,
        });
        let place = |toward| {
            let WindowSpan { from, to, bytes } = WindowSpan::of(track, toward, &(512..1536));
            (from, to, bytes)
        };
        assert_eq!(place(Side::Destination), (10_512, 50_512, 1024));
        assert_eq!(place(Side::Source), (50_512, 10_512, 1024));
    }

    #[test]
    fn the_last_piece_is_what_is_left() {
        let pieces = |bytes: u64| {
            let span = WindowSpan {
                from: 7,
                to: 9,
                bytes,
            };
            span.pieces(1000).collect::<Vec<_>>()
        };
        assert_eq!(pieces(2500), [(0, 1000), (1000, 1000), (2000, 500)]);
        assert_eq!(pieces(1000), [(0, 1000)]);
        assert!(pieces(0).is_empty());
    }

    #[test]
    fn a_part_is_never_shorter_in_silence() {
        let mut buffer = [1, 2, 3, 4];
        assert_eq!(part(&mut buffer, 1, 3).unwrap(), [2, 3, 4]);
        assert!(part(&mut buffer, 2, 3).is_err());
        assert!(part(&mut buffer, u64::MAX, 1).is_err());
    }
}
