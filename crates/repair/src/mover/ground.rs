//! The two ends of a job: a disk becomes unrecognisable before the first byte moves, and a disk again behind
//! the last one, in the new layout or in the old.
//!
//! The marker comes first and goes last: what is covered by anything else is durable only while the marker
//! is, and at every moment without it all is in its place, in the old layout or in the new.

use super::flight::{Exchange, FirstSector};
use super::run::MoverRun;
use super::window::{TRIES, write};
use super::{PatchPhase, Side, disk_check};
use crate::Result;

/// Zeros are written in pieces of this.
const STEP: u64 = 1 << 20;

/// Bytes for a place.
type Write = (u64, Vec<u8>);

fn flight(one: &Exchange) -> Write {
    (one.at, one.flight.clone())
}

fn ground(one: &Exchange) -> Write {
    (one.at, one.ground.clone())
}

impl MoverRun<'_> {
    /// The marker, then all that it stands for.
    pub(super) fn mark(&mut self) -> Result<()> {
        let (first, others) = self.covers(flight);
        self.write_all(&first)?;
        self.write_all(&others)
    }

    /// All superblocks and headers as they were, then the first sector. Where that is as it was, the others
    /// are so too, and others may have written there since.
    pub(super) fn unmark(&mut self) -> Result<()> {
        let (first, mut others) = self.covers(ground);
        others.reverse();
        if self.flight.first_sector(self.disk, false)? != FirstSector::Before {
            self.write_all(&others)?;
        }
        self.write_all(&first)
    }

    fn covers(&self, side: fn(&Exchange) -> Write) -> (Vec<Write>, Vec<Write>) {
        let mut all: Vec<_> = self.flight.covers.iter().map(side).collect();
        let others = all.split_off(all.len().min(1));
        (all, others)
    }

    /// Superblocks and numbers in the destinations, or what stands for them.
    pub(super) fn write_contents(&mut self, toward: Side) -> Result<()> {
        let side = match toward {
            Side::Destination => ground,
            Side::Source => flight,
        };
        let all: Vec<_> = self.flight.contents.iter().map(side).collect();
        self.write_all(&all)
    }

    /// The tables, each durable before the next one, and at last the first sector instead of the marker.
    /// Where that is there, all others are, and others may have written there since.
    pub(super) fn commit(&mut self) -> Result<()> {
        let mut tables: Vec<_> = self.flight.tables.iter().map(ground).collect();
        let first = tables.pop();
        if self.flight.first_sector(self.disk, true)? != FirstSector::After {
            self.wipe()?;
            for (at, bytes) in tables {
                // One that an earlier run has written is not put at risk again.
                if disk_check::holds(self.disk, at, &bytes).is_err() {
                    self.write_all(&[(at, bytes)])?;
                }
            }
        }
        self.write_all(first.as_slice())
    }

    /// Remains of superblocks at places that no data reach.
    fn wipe(&mut self) -> Result<()> {
        for place in self.flight.wiped.clone() {
            self.zeros(place.start, place.end)?;
        }
        self.flush()
    }

    /// Free space that data went over, and old boot records, as they were.
    pub(super) fn uncover_gap(&mut self) -> Result<()> {
        let saved = &self.job.identity.saved;
        let gap = saved.gap.iter().map(|one| (one.at, one.bytes.clone()));
        let covered = self.job.patches(PatchPhase::Covered);
        let covered = covered.map(|patch| (patch.at, patch.before.clone()));
        let all: Vec<_> = gap.chain(covered).collect();
        let zeros = saved.zeros.clone();
        for place in zeros {
            self.zeros(place.start, place.end)?;
        }
        self.write_all(&all)
    }

    /// Writes zeros where there are none: a sparse file stays so.
    fn zeros(&mut self, mut at: u64, end: u64) -> Result<()> {
        while at < end {
            let length = usize::try_from(STEP.min(end - at)).unwrap_or(0);
            let mut bytes = vec![0; length];
            let read = self.disk.read_at(at, &mut bytes);
            if read.is_err() || bytes.iter().any(|byte| *byte != 0) {
                bytes.fill(0);
                write(self.disk, at, &bytes)?;
                self.meter.written += length as u64;
            }
            at += length as u64;
        }
        Ok(())
    }

    /// Writes, makes durable, and reads back.
    fn write_all(&mut self, all: &[Write]) -> Result<()> {
        let mut last = Ok(());
        for _ in 0..TRIES {
            for (at, bytes) in all {
                write(self.disk, *at, bytes)?;
                self.meter.written += bytes.len() as u64;
            }
            self.flush()?;
            let mut held = all.iter();
            last = held.try_for_each(|(at, bytes)| disk_check::holds(self.disk, *at, bytes));
            if last.is_ok() {
                break;
            }
        }
        last
    }
}
