//! A controller works in sectors: a small write touches the bytes that it must, once a disk.

use super::parity::{StripeBand, StripePiece};
use super::{ArrayGeometry, DiskSteps};

impl ArrayGeometry {
    /// The whole piece is one band, from the lowest to the highest address that is written in any element.
    pub(super) fn controller_write(&self, piece: &StripePiece, out: &mut DiskSteps) {
        let band = if piece.from == piece.to {
            StripeBand {
                low: piece.first,
                high: piece.last,
            }
        } else {
            StripeBand {
                low: 0,
                high: self.element,
            }
        };
        self.band_group(piece, band, false, out);
    }
}
