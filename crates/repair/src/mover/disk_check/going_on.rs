//! Whether a job can go on or back on this disk.

use std::ops::Range;

use ioalign_core::move_marker::{BYTES, MoveMarker, set_aside};

use super::super::flight::{Exchange, FirstSector, Flight, lay};
use super::super::job::{overlap, touches};
use super::super::{Job, Move, PatchPhase};
use super::witness::{expect, lives_at};
use super::{changed, read, refused};
use crate::disk::read_bytes;
use crate::journal::{JournalState, Stage};
use crate::{Disk, Error, Result};

/// What is looked at.
pub struct Going<'a> {
    /// The job.
    pub job: &'a Job,
    /// What stands on its disk in flight.
    pub flight: &'a Flight,
    /// How far it is.
    pub state: &'a JournalState,
    /// Places that could not be read.
    pub unreadable: &'a [Range<u64>],
    /// It goes back.
    pub back: bool,
}

const NO_MARKER: &str = "the marker of this move is not in its first sector: this is another disk \
                         or an older copy, or another program has written there";
const NEW_TABLE: &str =
    "another program has written a table into its first sector since this move was stopped";

/// Before a job is resumed or undone: checks the marker, tables, and superblocks at their present places.
/// While the first sector is being exchanged, a mixture of old and new left by a loss of power is accepted
/// if all else is right.
pub fn before_going_on(disk: &mut dyn Disk, going: &Going<'_>) -> Result<()> {
    let committed = going.state.stage == Stage::Committed;
    let first = going.flight.first_sector(disk, committed)?;
    if first == FirstSector::Other && has_table(disk)? {
        return Err(refused(NEW_TABLE));
    }
    match (going.state.stage, first) {
        // All has been put in its place and is durable: others may have used the disk since.
        (Stage::Committed, FirstSector::After) => Ok(()),
        (Stage::Marking, FirstSector::Before) if going.back => Ok(()),
        // The marker says whose tables these are, and they are written once more.
        (Stage::Committed, FirstSector::Marked) => Ok(()),
        (Stage::Committed, _) => going.is_proven(going.as_after(disk)? + going.witnesses(disk)?),
        (Stage::Marking, FirstSector::Marked) => {
            going.uncovered_tables(disk)?;
            going.witnesses(disk).map(drop)
        }
        (Stage::Marking, _) => {
            going.uncovered_tables(disk)?;
            going.is_proven(going.as_before(disk)? + going.witnesses(disk)?)
        }
        (_, FirstSector::Marked) => {
            going.tables_in_flight(disk)?;
            if going.state.stage == Stage::Moving {
                going.set_aside(disk)?;
            }
            going.witnesses(disk).map(drop)
        }
        _ => Err(refused(NO_MARKER)),
    }
}

/// Whether there is what begins a disk with a table, and no marker.
fn has_table(disk: &mut dyn Disk) -> Result<bool> {
    let first = read_bytes(disk, 0, BYTES)
        .map_err(|error| Error::io("the first sector cannot be read", error))?;
    Ok(first.ends_with(&[0x55, 0xaa]) && MoveMarker::decode(&first).is_none())
}

/// Whether all of a list stands there; how many.
fn unchanged(
    disk: &mut dyn Disk,
    all: &[Exchange],
    side: impl Fn(&Exchange) -> &Vec<u8>,
) -> Result<usize> {
    for one in all {
        let wanted = side(one);
        let there = read(disk, one.at, wanted.len())?;
        if let Some(at) = there.iter().zip(wanted).position(|(a, b)| a != b) {
            return Err(changed("the table", one.at + at as u64));
        }
    }
    Ok(all.len())
}

impl Going<'_> {
    fn is_proven(&self, evidence: usize) -> Result<()> {
        if evidence > 0 {
            return Ok(());
        }
        Err(refused(NO_MARKER))
    }

    /// No table has been written yet. What of one lies in a source may be on its way back.
    fn tables_in_flight(&self, disk: &mut dyn Disk) -> Result<()> {
        for one in &self.flight.tables {
            let mut there = read(disk, one.at, one.flight.len())?;
            let place = one.at..one.at + one.flight.len() as u64;
            for source in self.job.moves.iter().map(Move::source) {
                let start = source.start.clamp(place.start, place.end);
                let end = source.end.clamp(start, place.end);
                let index = |at: u64| usize::try_from(at - place.start).unwrap_or(usize::MAX);
                if let Some(flight) = one.flight.get(index(start)..index(end)) {
                    lay(flight, start, &mut there, one.at);
                }
            }
            let differs = there.iter().zip(&one.flight).position(|(a, b)| a != b);
            if let Some(at) = differs {
                return Err(changed("the table", one.at + at as u64));
            }
        }
        Ok(())
    }

    /// Without the marker nothing else is covered: it comes first and goes last.
    fn as_before(&self, disk: &mut dyn Disk) -> Result<usize> {
        let others = self.flight.covers.get(1..).unwrap_or_default();
        unchanged(disk, others, |one| &one.ground)
    }

    /// Without the marker all other tables are written: it goes last.
    fn as_after(&self, disk: &mut dyn Disk) -> Result<usize> {
        let (_, others) = self.flight.tables.split_last().unzip();
        unchanged(disk, others.unwrap_or_default(), |one| &one.ground)?;
        unchanged(disk, &self.flight.contents, |one| &one.ground)
    }

    /// Tables are as before the job, but for what is covered.
    fn uncovered_tables(&self, disk: &mut dyn Disk) -> Result<()> {
        for patch in self.job.patches(PatchPhase::Table) {
            let mut there = read(disk, patch.at, patch.before.len())?;
            self.flight.uncover(patch.at, &mut there);
            if there != patch.before {
                return Err(changed("the table", patch.at));
            }
        }
        Ok(())
    }

    /// The replaced sectors still have their replacement at their present place.
    fn set_aside(&self, disk: &mut dyn Disk) -> Result<()> {
        for superblock in &self.job.identity.saved.superblocks {
            let place = superblock.place();
            if self.unreadable.iter().any(|other| overlap(other, &place)) {
                continue;
            }
            if let Some(at) = lives_at(self.job, self.state, &place) {
                let length = superblock.bytes.len();
                if read(disk, at, length)? != set_aside(self.flight.run, length) {
                    return Err(changed("the replacement of a superblock", at));
                }
            }
        }
        Ok(())
    }

    /// How many witnesses there are; an error where one is not what it was.
    fn witnesses(&self, disk: &mut dyn Disk) -> Result<usize> {
        let mut seen = 0;
        for witness in &self.job.identity.witnesses {
            if touches(witness, self.unreadable) {
                continue;
            }
            if let Some(at) = lives_at(self.job, self.state, &witness.place) {
                expect(disk, self.job, Some(self.flight), witness, at)?;
                seen += 1;
            }
        }
        Ok(seen)
    }
}
