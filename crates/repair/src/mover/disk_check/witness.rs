//! Hashes of the starts of moved data, read at their present place.

use std::ops::Range;

use super::super::flight::{Flight, lay};
use super::super::job::{Witness, overlap};
use super::super::{Job, Move, PatchPhase, Side, Track, digest};
use super::{changed, read};
use crate::journal::JournalState;
use crate::{Disk, Result};

/// The present place of bytes of a source, if it is one piece.
pub fn lives_at(job: &Job, state: &JournalState, place: &Range<u64>) -> Option<u64> {
    let inside = |m: &Move| Track(*m).positions(place).is_some();
    let index = job.moves.iter().position(inside)?;
    let one = *job.moves.get(index)?;
    let positions = Track(one).positions(place)?;
    let current = usize::try_from(state.index).ok()?;
    let on_its_way = state.staged.map_or(0..0, |staged| staged.start..staged.end);
    let side = match index.cmp(&current) {
        std::cmp::Ordering::Less => Side::Destination,
        std::cmp::Ordering::Greater => Side::Source,
        std::cmp::Ordering::Equal if overlap(&on_its_way, &positions) => return None,
        std::cmp::Ordering::Equal if positions.end <= state.done => Side::Destination,
        std::cmp::Ordering::Equal if positions.start >= state.done => Side::Source,
        std::cmp::Ordering::Equal => return None,
    };
    Some(Track(one).address(side, &positions))
}

/// The hash of a witness where it is now; patches of contents, and what is set aside, do not count.
pub fn expect(
    disk: &mut dyn Disk,
    job: &Job,
    flight: Option<&Flight>,
    witness: &Witness,
    at: u64,
) -> Result<()> {
    let length = usize::try_from(witness.place.end - witness.place.start).unwrap_or(0);
    let mut there = read(disk, at, length)?;
    if at != witness.place.start {
        for patch in job.patches(PatchPhase::Contents) {
            lay(&patch.before, patch.at, &mut there, at);
        }
    }
    if let Some(flight) = flight {
        flight.uncover(witness.place.start, &mut there);
    }
    if digest::of(&there) == witness.hash {
        return Ok(());
    }
    Err(changed("the start of a partition", at))
}
