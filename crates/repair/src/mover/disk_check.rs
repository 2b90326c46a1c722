//! Whether the disk is the one of the plan, and in the state that the journal says.

use std::ops::Range;

use super::job::{Witness, overlap, touches};
use super::{Job, Move, Patch, Phase, Side, Track, digest};
use crate::journal::{Stage, State};
use crate::{Disk, Error, ErrorKind, Result};

/// The grain of a torn write: every disk writes 512 bytes whole.
const TORN_BYTES: usize = 512;

fn changed(what: &str, at: u64) -> Error {
    Error::new(
        ErrorKind::Refused,
        format!(
            "{what} at byte {at} is not what it was when this was planned: another disk, or somebody wrote there"
        ),
    )
}

fn read(disk: &mut dyn Disk, at: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let read = disk.read_at(at, &mut bytes);
    read.map_err(|error| Error::io(format!("{length} bytes at byte {at} cannot be read"), error))?;
    Ok(bytes)
}

/// Before the first byte moves: everything that the plan has seen.
pub fn before_starting(disk: &mut dyn Disk, job: &Job) -> Result<()> {
    for patch in &job.patches {
        let at = match patch.phase {
            Phase::Contents => origin(job, patch),
            _ => patch.at,
        };
        if read(disk, at, patch.before.len())? != patch.before {
            return Err(changed("a table or a boot sector", at));
        }
    }
    for witness in &job.identity.witnesses {
        expect(disk, job, witness, witness.place.start)?;
    }
    Ok(())
}

/// Where the bytes of a patch of contents are before they move.
fn origin(job: &Job, patch: &Patch) -> u64 {
    let covers = |m: &&Move| overlap(&m.destination(), &patch.place());
    let from = job
        .moves
        .iter()
        .find(covers)
        .map(|m| patch.at - m.to + m.from);
    from.unwrap_or(patch.at)
}

/// Before a job goes on or back: the table, and superblocks where they are by now. While the table is being
/// written, one that power loss left as neither is forgiven if the superblocks are right.
pub fn before_going_on(
    disk: &mut dyn Disk,
    job: &Job,
    state: &State,
    unreadable: &[Range<u64>],
) -> Result<()> {
    let committed = state.stage == Stage::Committed;
    let mut tables = job.patches(Phase::Table);
    let table = tables.try_for_each(|patch| table(disk, patch, committed));
    if table.is_ok() == committed {
        return table;
    }
    let mut seen = 0;
    for witness in &job.identity.witnesses {
        if touches(witness, unreadable) {
            continue;
        }
        if let Some(at) = lives_at(job, state, witness) {
            expect(disk, job, witness, at)?;
            seen += 1;
        }
    }
    if committed && seen > 0 { Ok(()) } else { table }
}

/// The old table, or, once it is being written, any mixture of both.
fn table(disk: &mut dyn Disk, patch: &Patch, may_be_new: bool) -> Result<()> {
    let there = read(disk, patch.at, patch.before.len())?;
    let before = patch.before.chunks(TORN_BYTES);
    let sectors = there
        .chunks(TORN_BYTES)
        .zip(before.zip(patch.after.chunks(TORN_BYTES)));
    for (index, (there, (before, after))) in sectors.enumerate() {
        if there != before && !(may_be_new && there == after) {
            return Err(changed("the table", patch.at + (index * TORN_BYTES) as u64));
        }
    }
    Ok(())
}

/// Where a witness is by now, if it is in one place.
fn lives_at(job: &Job, state: &State, witness: &Witness) -> Option<u64> {
    let inside = |m: &Move| Track(*m).positions(&witness.place).is_some();
    let index = job.moves.iter().position(inside)?;
    let one = *job.moves.get(index)?;
    let positions = Track(one).positions(&witness.place)?;
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

/// The hash of a witness where it is now, patches of contents not counted.
fn expect(disk: &mut dyn Disk, job: &Job, witness: &Witness, at: u64) -> Result<()> {
    let length = usize::try_from(witness.place.end - witness.place.start).unwrap_or(0);
    let mut there = read(disk, at, length)?;
    if at != witness.place.start {
        for patch in job.patches(Phase::Contents) {
            undo(patch, at, &mut there);
        }
    }
    if digest::of(&there) == witness.hash {
        return Ok(());
    }
    Err(changed("the start of a partition", at))
}

/// Puts the old bytes of a patch into what was read at `at`.
fn undo(patch: &Patch, at: u64, there: &mut [u8]) {
    let end = at + there.len() as u64;
    for (place, byte) in (patch.at..).zip(&patch.before) {
        if (at..end).contains(&place)
            && let Some(there) = usize::try_from(place - at)
                .ok()
                .and_then(|at| there.get_mut(at))
        {
            *there = *byte;
        }
    }
}

/// Whether these bytes are on the disk.
pub fn holds(disk: &mut dyn Disk, at: u64, bytes: &[u8]) -> Result<()> {
    disk.release(at, bytes.len() as u64);
    if read(disk, at, bytes.len())? == bytes {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Device,
        format!(
            "the disk does not keep what is written at byte {at}; the journal does: `--resume` tries again"
        ),
    ))
}
