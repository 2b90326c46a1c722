//! The marker of a move: it names a host, and the path of a journal there.

use ioalign_core::move_marker::{BYTES, MAGIC, MoveMarker};

use super::{Blanked, count};
use crate::recording::SectorCopy;

/// Where the marker has its magic number.
const MAGIC_AT: usize = 144;

/// Crosses both out; everything else stays, so that the copy is still seen to be in flight.
pub(super) fn blank(sectors: &mut SectorCopy, blanked: &mut Blanked) {
    for at in sectors.find(&MAGIC, MAGIC_AT) {
        let mut sector = sectors.read(at, BYTES);
        if MoveMarker::cross_out_names(&mut sector) {
            sectors.write(at, &sector);
        } else {
            // The contents of a damaged marker cannot be interpreted: only the magic number stays.
            sectors.clear(at, MAGIC_AT);
            let rest = MAGIC_AT + MAGIC.len();
            sectors.clear(at.saturating_add(rest as u64), BYTES - rest);
        }
        count(blanked, "host and journal of a move in flight");
    }
}
