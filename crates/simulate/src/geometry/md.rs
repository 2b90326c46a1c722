//! md works in pages of its stripe cache, 4 KiB of each disk: a page that is written in part is read first.
//!
//! Each page of the stripe decides for itself (`handle_stripe_dirtying` in `drivers/md/raid5.c`). Pages that
//! decide alike and follow each other become one I/O a disk. A write that starts off 4 KiB has a page in part
//! at both ends, which reads data and parity, and pages in full between them, which read the other data: three
//! groups instead of one. This is why sector 63 costs md much more than the crossing of elements.

use super::parity::{BandCover, StripeBand, StripePiece};
use super::{ArrayGeometry, DiskSteps, PAGE};

impl ArrayGeometry {
    /// The pages between two edges are written alike.
    pub(super) fn md_write(&self, piece: &StripePiece, out: &mut DiskSteps) {
        let several = piece.from < piece.to;
        if !several && piece.first.is_multiple_of(PAGE) && piece.last.is_multiple_of(PAGE) {
            // Whole pages of one element, the most frequent write: all of them decide alike.
            let band = StripeBand {
                low: piece.first,
                high: piece.last,
            };
            return self.band_group(piece, band, true, out);
        }
        let (low, high) = if several {
            (0, self.element)
        } else {
            (piece.first, piece.last)
        };
        let down = |at: u64| at / PAGE * PAGE;
        let up = |at: u64| at.div_ceil(PAGE) * PAGE;
        let mut edges = [
            down(low),
            down(piece.first),
            up(piece.first),
            down(piece.last),
            up(piece.last),
            up(high),
        ];
        edges.sort_unstable();
        let mut open: Option<StripeBand> = None;
        for pair in edges.windows(2) {
            let [low, high] = *pair else { continue };
            let band = StripeBand { low, high };
            if low == high || !self.is_touched(piece, band) {
                continue;
            }
            match &mut open {
                Some(last) if last.high == low && self.are_alike(piece, *last, band) => {
                    last.high = high;
                }
                last => {
                    if let Some(done) = last.replace(band) {
                        self.band_group(piece, done, true, out);
                    }
                }
            }
        }
        if let Some(done) = open {
            self.band_group(piece, done, true, out);
        }
    }

    /// Between the end of the last element and the start of the first there may be nothing.
    fn is_touched(&self, piece: &StripePiece, band: StripeBand) -> bool {
        let mut all = piece.from..=piece.to;
        all.any(|data| self.covered(piece, band, data) != BandCover::None)
    }

    fn are_alike(&self, piece: &StripePiece, a: StripeBand, b: StripeBand) -> bool {
        let mut all = piece.from..=piece.to;
        all.all(|data| self.covered(piece, a, data) == self.covered(piece, b, data))
    }
}
