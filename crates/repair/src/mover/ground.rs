//! The two ends of a job: a disk becomes unrecognisable before the first byte moves, and a disk again behind
//! the last one, in the new layout or in the old.
//!
//! The marker comes first and goes last: what is covered by anything else is durable only while the marker
//! is, and at every moment without it all is in its place, in the old layout or in the new. Before it goes, all
//! that the journal alone holds is read back.

use std::ops::Range;

use ioalign_core::move_marker::is_set_aside;

use super::flight::Exchange;
use super::run::MoverRun;
use super::window::{TRIES, write};
use super::{PatchPhase, Side, disk_check};
use crate::Result;

/// Zeros are written in pieces of this.
const STEP: u64 = 1 << 20;

/// Bytes for a place.
type Write = (u64, Vec<u8>);

fn before(one: &Exchange) -> Write {
    (one.at, one.before.clone())
}

fn flight(one: &Exchange) -> Write {
    (one.at, one.flight.clone())
}

fn after(one: &Exchange) -> Write {
    (one.at, one.after.clone())
}

impl MoverRun<'_> {
    /// The marker, then all that it stands for.
    pub(super) fn mark(&mut self) -> Result<()> {
        let mut first: Vec<_> = self.flight.covers.iter().map(flight).collect();
        let mut others = first.split_off(first.len().min(1));
        others.extend(self.flight.superblocks.iter().map(flight));
        self.write_all(&first)?;
        self.write_all(&others)
    }

    /// All superblocks and tables as they were, then the first sector.
    pub(super) fn unmark(&mut self) -> Result<()> {
        let mut others: Vec<_> = self.flight.tables.iter().map(before).collect();
        let first = others.pop();
        others.extend(self.flight.superblocks.iter().map(before));
        others.reverse();
        if !self.has_ended {
            // What a killed run has left in caches would be taken for durable.
            self.flush()?;
            self.put(&others)?;
            self.reads_back(&others)?;
        }
        self.write_all(first.as_slice())
    }

    /// Superblocks and numbers in the destinations, or what stands for them.
    pub(super) fn write_contents(&mut self, toward: Side) -> Result<()> {
        let side = match toward {
            Side::Destination => after,
            Side::Source => flight,
        };
        let all: Vec<_> = self.flight.contents.iter().map(side).collect();
        self.write_all(&all)
    }

    /// The tables, each durable before the next one, and at last the first sector instead of the marker.
    pub(super) fn commit(&mut self) -> Result<()> {
        let mut tables: Vec<_> = self.flight.tables.iter().map(after).collect();
        let first = tables.pop();
        if !self.has_ended {
            let contents: Vec<_> = self.flight.contents.iter().map(after).collect();
            self.flush()?;
            self.put(&contents)?;
            self.wipe()?;
            for table in &tables {
                // One that an earlier run has written is not put at risk again.
                self.put(std::slice::from_ref(table))?;
            }
            self.reads_back(&contents)?;
            self.reads_back(&tables)?;
        } else {
            self.wipe_stand_ins()?;
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

    /// The same where others may have used the disk since: only what this run has left there.
    fn wipe_stand_ins(&mut self) -> Result<()> {
        for block in self.wiped_blocks() {
            let length = usize::try_from(block.end - block.start).unwrap_or(0);
            let there = disk_check::read(self.disk, block.start, length)?;
            if is_set_aside(&there) == Some(self.flight.run) {
                self.zeros(block.start, block.end)?;
            }
        }
        self.flush()
    }

    fn wiped_blocks(&self) -> Vec<Range<u64>> {
        let block = self.job.identity.logical_bytes.max(1);
        let step = usize::try_from(block).unwrap_or(1);
        let all = self.flight.wiped.iter();
        let blocks = all.flat_map(|place| (place.start..place.end).step_by(step));
        blocks.map(|at| at..at.saturating_add(block)).collect()
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

    /// Writes what is not there yet.
    fn put(&mut self, all: &[Write]) -> Result<()> {
        let mut missing = Vec::new();
        for (at, bytes) in all {
            if disk_check::holds(self.disk, *at, bytes).is_err() {
                missing.push((*at, bytes.clone()));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.write_all(&missing)
    }

    /// Whether all of it is on the disk.
    fn reads_back(&mut self, all: &[Write]) -> Result<()> {
        let mut all = all.iter();
        all.try_for_each(|(at, bytes)| disk_check::holds(self.disk, *at, bytes))
    }

    /// Writes, makes durable, and reads back.
    pub(super) fn write_all(&mut self, all: &[Write]) -> Result<()> {
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
