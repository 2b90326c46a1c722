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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;
    use crate::journal::Staged;
    use crate::mover::Identity;

    /// Where the first 512 bytes of the second of two moves are; it goes right over itself, from its end.
    fn found(index: u64, done: u64, staged: Option<Range<u64>>) -> Option<u64> {
        at(&(0x4000..0x4200), index, done, staged)
    }

    fn at(place: &Range<u64>, index: u64, done: u64, staged: Option<Range<u64>>) -> Option<u64> {
        let one = |from, to| Move {
            from,
            to,
            bytes: 0x1000,
        };
        let moves = vec![one(0x1000, 0x9000), one(0x4000, 0x4400)];
        let mut disk = MemoryDisk {
            bytes: vec![0; 0x10000],
            logical_bytes: 512,
        };
        let job = Job {
            identity: Identity::take(&mut disk, &moves),
            moves,
            patches: Vec::new(),
            keep: Vec::new(),
        };
        let state = JournalState {
            index,
            done,
            staged: staged.map(|window| Staged {
                slot: 0,
                toward: Side::Destination,
                start: window.start,
                end: window.end,
                hash: 0,
            }),
            ..JournalState::first()
        };
        lives_at(&job, &state, place)
    }

    #[test]
    fn bytes_live_where_the_state_says() {
        assert_eq!(
            (found(0, 0, None), found(2, 0, None)),
            (Some(0x4000), Some(0x4400))
        );
        // Its positions are 0xe00 to 0x1000.
        let there: Vec<_> = [0, 0xe00, 0xe01, 0xfff, 0x1000]
            .map(|done| found(1, done, None))
            .into();
        assert_eq!(
            there,
            [Some(0x4000), Some(0x4000), None, None, Some(0x4400)]
        );
    }

    #[test]
    fn what_is_on_its_way_lives_nowhere() {
        assert_eq!(found(1, 0xc00, Some(0xc00..0xe00)), Some(0x4000));
        assert_eq!(found(1, 0xc00, Some(0xc00..0xe01)), None);
        assert_eq!(
            found(0, 0, Some(0xc00..0xe01)),
            Some(0x4000),
            "of another move"
        );
    }

    #[test]
    fn what_is_in_no_source_lives_nowhere() {
        assert_eq!(at(&(0x1000..0x2000), 1, 0, None), Some(0x9000));
        for place in [0x3fff..0x4200, 0x4e00..0x5001, 0x7000..0x7200] {
            assert_eq!(at(&place, 2, 0, None), None, "{place:?}");
        }
    }
}
