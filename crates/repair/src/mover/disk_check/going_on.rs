//! Whether a job can go on or back on this disk.

use std::ops::Range;

use ioalign_core::move_marker::BYTES;

use super::super::flight::{Exchange, FirstSector, Flight};
use super::super::job::touches;
use super::foreign::ForeignBytes;
use super::places::{JobPlaces, Tally};
use super::witness::{expect, lives_at};
use super::{changed, read, refused};
use crate::disk::read_bytes;
use crate::journal::Stage;
use crate::{Disk, Error, Result};

/// Whether a job may go on by its journal on the disk that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveVerdict {
    /// All is as the journal says.
    Sound,
    /// The move has come to its end, in the old layout or in the new, and others may have used the disk since:
    /// nothing is to be written.
    Ended,
    /// Others have changed what stands for tables and superblocks, and why that is known. A part of the move is on
    /// the disk, so its journal is needed.
    Changed(String),
    /// Nothing of the move is on the disk, and why that is known: it was restored, or is another one.
    Absent(String),
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// Whether the job may go on.
    pub verdict: MoveVerdict,
    /// What others have written in tables and superblocks, or what a loss of power has left of a sector.
    pub foreign: Vec<ForeignBytes>,
    /// Whether something of the move is on the disk: what only its journal can replace.
    pub is_on_disk: bool,
    /// Whether its marker is in the first sector.
    pub is_marked: bool,
}

const NO_MARKER: &str = "the marker of this move is not in its first sector: this is another disk \
                         or an older copy, or another program has written there";
const NEW_TABLE: &str =
    "another program has written a table into its first sector since this move was stopped";

/// Looks at the first sector, at tables and superblocks at their present places, and at the starts of data.
/// While the first sector is being exchanged, a mixture of old and new left by a loss of power is accepted
/// if all else is right.
pub fn outlook(disk: &mut dyn Disk, places: &JobPlaces<'_>, back: bool) -> Result<Outlook> {
    let stage = places.state.stage;
    let first = places
        .flight
        .first_sector(disk, stage == Stage::Committed)?;
    let tally = places.tally(disk);
    let sight = Sight {
        places,
        first,
        is_on_disk: first == FirstSector::Marked
            || tally.flight > 0
            || stage == Stage::Committed && tally.arrived > 0,
        tally: &tally,
    };
    Ok(Outlook {
        verdict: sight.verdict(disk, back)?,
        is_on_disk: sight.is_on_disk,
        is_marked: first == FirstSector::Marked,
        foreign: tally.foreign,
    })
}

/// What the disk shows.
struct Sight<'a> {
    places: &'a JobPlaces<'a>,
    first: FirstSector,
    tally: &'a Tally,
    is_on_disk: bool,
}

impl Sight<'_> {
    fn verdict(&self, disk: &mut dyn Disk, back: bool) -> Result<MoveVerdict> {
        Ok(match (self.places.state.stage, self.first) {
            (Stage::Marking, FirstSector::Before) if back && self.tally.not_before == 0 => {
                MoveVerdict::Ended
            }
            (Stage::Committed, FirstSector::After) if self.tally.not_after == 0 => {
                MoveVerdict::Ended
            }
            (_, FirstSector::Marked) => match self.in_flight(disk) {
                Ok(()) => MoveVerdict::Sound,
                Err(error) => MoveVerdict::Changed(error.to_string()),
            },
            (Stage::Marking | Stage::Committed, _) => match self.at_an_end(disk) {
                Ok(()) => MoveVerdict::Sound,
                Err(error) => self.without_marker(&error),
            },
            _ => self.without_marker(&refused(NO_MARKER)),
        })
    }

    fn without_marker(&self, error: &Error) -> MoveVerdict {
        // A first sector that nothing else speaks for may be torn.
        let only_first = self.tally.foreign.iter().all(|one| one.at == 0);
        let at_rest = self.tally.not_before == 0 || self.tally.not_after == 0;
        let is_torn = self.first == FirstSector::Other && only_first && at_rest;
        let may_be_torn = is_torn && error.to_string() == NO_MARKER;
        match self.is_on_disk || may_be_torn && self.is_at_an_end() {
            true => MoveVerdict::Changed(error.to_string()),
            false => MoveVerdict::Absent(error.to_string()),
        }
    }

    const fn is_at_an_end(&self) -> bool {
        matches!(self.places.state.stage, Stage::Marking | Stage::Committed)
    }

    /// With the marker: nobody takes the disk for one, and what this stage writes may be torn.
    fn in_flight(&self, disk: &mut dyn Disk) -> Result<()> {
        let stage = self.places.state.stage;
        let is_written = |at: u64| {
            let within = |one: &Exchange| one.place().contains(&at);
            let flight = self.places.flight;
            match stage {
                Stage::Marking => flight.covers.iter().chain(&flight.superblocks).any(within),
                Stage::Contents => flight.contents.iter().any(within),
                Stage::Committed => flight.tables.iter().any(within),
                _ => false,
            }
        };
        let mut foreign = self.tally.foreign.iter();
        if let Some(one) = foreign.find(|one| !is_written(one.at)) {
            return Err(changed(one.what, one.at));
        }
        if stage == Stage::Committed {
            return Ok(());
        }
        self.witnesses(disk).map(drop)
    }

    /// Without the marker, at one of the two ends: all else is at rest, and something proves that it is this disk.
    fn at_an_end(&self, disk: &mut dyn Disk) -> Result<()> {
        if self.first == FirstSector::Other && has_table(disk, self.places.flight)? {
            return Err(refused(NEW_TABLE));
        }
        let at_rest = match self.places.state.stage {
            Stage::Committed => self.as_after(disk)?,
            _ => self.as_before(disk)?,
        };
        match at_rest + self.witnesses(disk)? {
            0 => Err(refused(NO_MARKER)),
            _ => Ok(()),
        }
    }

    /// Without the marker nothing else is covered: it comes first and goes last.
    fn as_before(&self, disk: &mut dyn Disk) -> Result<usize> {
        let flight = self.places.flight;
        let others = flight.covers.get(1..).unwrap_or_default();
        let others = others.iter().chain(&flight.superblocks);
        let seen = unchanged(disk, others, |one| &one.before)?;
        let (_, tables) = flight.tables.split_last().unzip();
        unchanged(disk, tables.unwrap_or_default().iter(), |one| &one.before)?;
        Ok(seen)
    }

    /// Without the marker all other tables are written: it goes last.
    fn as_after(&self, disk: &mut dyn Disk) -> Result<usize> {
        let flight = self.places.flight;
        let (_, tables) = flight.tables.split_last().unzip();
        unchanged(disk, tables.unwrap_or_default().iter(), |one| &one.after)?;
        unchanged(disk, flight.contents.iter(), |one| &one.after)
    }

    /// How many witnesses there are; an error where one is not what it was.
    fn witnesses(&self, disk: &mut dyn Disk) -> Result<usize> {
        let JobPlaces {
            job,
            flight,
            state,
            unreadable,
        } = *self.places;
        let mut seen = 0;
        for witness in &job.identity.witnesses {
            if touches(witness, unreadable) {
                continue;
            }
            if let Some(at) = lives_at(job, state, &witness.place) {
                expect(disk, job, Some(flight), witness, at)?;
                seen += 1;
            }
        }
        Ok(seen)
    }
}

/// The entries of an MBR.
const ENTRIES: Range<usize> = 446..510;

/// Whether there is what begins a disk with a table: entries that are not those of the marker.
fn has_table(disk: &mut dyn Disk, flight: &Flight) -> Result<bool> {
    let first = read_bytes(disk, 0, BYTES)
        .map_err(|error| Error::io("the first sector cannot be read", error))?;
    let is_marked = first.get(ENTRIES) == flight.marker.get(ENTRIES);
    Ok(first.ends_with(&[0x55, 0xaa]) && !is_marked)
}

/// Whether an image stands at all of these places; how many.
fn unchanged<'a>(
    disk: &mut dyn Disk,
    all: impl Iterator<Item = &'a Exchange>,
    image: impl Fn(&Exchange) -> &Vec<u8>,
) -> Result<usize> {
    let mut seen = 0;
    for one in all {
        let wanted = image(one);
        let there = read(disk, one.at, wanted.len())?;
        if let Some(at) = there.iter().zip(wanted).position(|(a, b)| a != b) {
            return Err(changed("the table", one.at + at as u64));
        }
        seen += 1;
    }
    Ok(seen)
}
