//! The arithmetic of one move: places on the way instead of addresses, so that left and right, forth
//! and back are the same code.
//!
//! A *position* counts bytes in the order in which a move that overlaps itself must go: from the start
//! for one to the left, from the end for one to the right. At every moment there is one number `done`:
//! positions below it live at the destination, the others at the source.
//!
//! With distance `d`, writing the destination of positions `[p, p + n)` touches the source of
//! `[p - d, p - d + n)`. With `n <= d` that is all below `p`: nothing is overwritten that still lives at
//! the source. Back it is the mirror image: writing the source of `[p, p + n)` touches the destination of
//! `[p + d, p + d + n)`, all at `p + n` or above. A window of at most `d` can thus be done again and
//! again after a crash without a second copy; a longer one needs the journal.

use std::ops::Range;

use super::Move;

/// One of the two places where a byte can live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where it was.
    Source,
    /// Its destination.
    Destination,
}

impl Side {
    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Source => Self::Destination,
            Self::Destination => Self::Source,
        }
    }
}

/// A move by positions.
#[derive(Clone, Copy, Debug)]
pub struct Track(pub Move);

impl Track {
    /// Whether source and destination share bytes.
    pub const fn overlaps(self) -> bool {
        self.0.distance() < self.0.bytes
    }

    const fn goes_from_end(self) -> bool {
        self.overlaps() && self.0.to > self.0.from
    }

    const fn base(self, side: Side) -> u64 {
        match side {
            Side::Source => self.0.from,
            Side::Destination => self.0.to,
        }
    }

    /// The first address of these positions; they lie in one piece.
    pub const fn address(self, side: Side, positions: &Range<u64>) -> u64 {
        let base = self.base(side);
        if self.goes_from_end() {
            base.saturating_add(self.0.bytes.saturating_sub(positions.end))
        } else {
            base.saturating_add(positions.start)
        }
    }

    /// The positions of addresses in the source, where all of them are.
    pub fn positions(self, addresses: &Range<u64>) -> Option<Range<u64>> {
        let source = self.0.source();
        if addresses.start < source.start || addresses.end > source.end {
            return None;
        }
        Some(if self.goes_from_end() {
            source.end - addresses.end..source.end - addresses.start
        } else {
            addresses.start - source.start..addresses.end - source.start
        })
    }

    /// The positions that go next towards a side when `done` are at the destination: at most `most`.
    pub fn next(self, toward: Side, done: u64, most: u64) -> Range<u64> {
        match toward {
            Side::Destination => done..done.saturating_add(most).min(self.0.bytes),
            Side::Source => done.saturating_sub(most)..done,
        }
    }

    /// How many are at the destination before `window` goes that way.
    pub const fn edge(toward: Side, window: &Range<u64>) -> u64 {
        Self::done_after(toward.other(), window)
    }

    /// How many are at the destination once `window` has arrived there or back.
    pub const fn done_after(toward: Side, window: &Range<u64>) -> u64 {
        match toward {
            Side::Destination => window.end,
            Side::Source => window.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touched(track: Track, side: Side, window: &Range<u64>) -> Range<u64> {
        let at = track.address(side, window);
        at..at + (window.end - window.start)
    }

    #[test]
    fn places_that_touch_do_not_overlap() {
        let overlaps = |to| {
            let (from, bytes) = (1000, 100);
            Track(Move { from, to, bytes }).overlaps()
        };
        assert_eq!(
            [900, 901, 1099, 1100].map(overlaps),
            [false, true, true, false]
        );
    }

    proptest! {
        /// The claim of the module: a window of at most the distance leaves alone what still lives on
        /// the side that is written.
        #[test]
        fn a_window_of_the_distance_is_safe(
            (from, to, bytes, done, toward) in (0u64..500, 0u64..500, 1u64..500, 0u64..500, any::<bool>())
        ) {
            prop_assume!(from != to);
            let done = done % (bytes + 1);
            let track = Track(Move { from, to, bytes });
            let toward = if toward { Side::Destination } else { Side::Source };
            let most = if track.overlaps() { from.abs_diff(to) } else { u64::MAX };
            let window = track.next(toward, done, most);
            let written = touched(track, toward, &window);
            let lives = [
                touched(track, Side::Destination, &(0..done)),
                touched(track, Side::Source, &(done..bytes)),
            ];
            for lives in lives {
                prop_assert!(window.is_empty() || lives.is_empty() || !super::super::overlap(&written, &lives));
            }
        }

        /// Positions and addresses are one to one.
        #[test]
        fn positions_return(
            (from, to, bytes, a, n) in (0u64..500, 0u64..500, 1u64..500, 0u64..500, 0u64..500)
        ) {
            prop_assume!(from != to);
            let (a, n) = (a % bytes, n % (bytes - a % bytes + 1));
            let track = Track(Move { from, to, bytes });
            let place = from + a..from + a + n;
            let positions = track.positions(&place).unwrap();
            prop_assert_eq!(touched(track, Side::Source, &positions), place);
            prop_assert_eq!(touched(track, Side::Destination, &positions).start, to + a);
        }
    }
}
