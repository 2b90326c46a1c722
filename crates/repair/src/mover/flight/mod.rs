//! What stands on a disk while its data move, in place of all by which it or a part of it is recognised.
//!
//! The first sector is a [`MoveMarker`]: with it no table is found. GPT headers lose their signature, and
//! the superblocks of moved partitions are replaced by blocks that name only the run, which move like
//! data. All of it follows from the job, the id of the run and the place of its journal.

mod build;

use std::ops::Range;

use ioalign_core::move_marker::{BYTES, MoveMarker};

use super::Job;
use super::job::overlap;
use crate::disk::read_bytes;
use crate::journal::Contents;
use crate::{Disk, Error, Result};

/// The grain of a torn write: every disk writes 512 bytes whole.
pub const TORN_BYTES: usize = 512;

/// One place of a disk, and the images that a job puts there. All are equally long.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Where.
    pub at: u64,
    /// The bytes before the job; in a destination, what the move brings there.
    pub before: Vec<u8>,
    /// The bytes during the move.
    pub flight: Vec<u8>,
    /// The bytes after the job; empty where data or free space are there then.
    pub after: Vec<u8>,
}

impl Exchange {
    /// The bytes that it is about.
    pub const fn place(&self) -> Range<u64> {
        self.at..self.at.saturating_add(self.before.len() as u64)
    }
}

/// All that stands on the disk of a job in flight.
pub struct Flight {
    /// Of this run.
    pub run: u128,
    /// The first sector.
    pub marker: [u8; BYTES],
    /// Blocks of tables that are exchanged before the first byte moves: the first block, then GPT headers.
    pub covers: Vec<Exchange>,
    /// Superblocks at their sources, exchanged with those.
    pub superblocks: Vec<Exchange>,
    /// In destinations: superblocks, and what patches change.
    pub contents: Vec<Exchange>,
    /// Tables in the order in which they are written, the first block last.
    pub tables: Vec<Exchange>,
    /// Former places of superblocks that no data reach: zeros when the job is complete.
    pub wiped: Vec<Range<u64>>,
}

/// What is in the first sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSector {
    /// The marker of this run.
    Marked,
    /// That of before the job.
    Before,
    /// That of after the job.
    After,
    /// Something else.
    Other,
}

impl Flight {
    /// The marker and all else for a run.
    pub fn of_run(contents: &Contents) -> Result<Self> {
        build::flight(contents)
    }

    /// The kind of the first sector. If a job does not change it, `committed` decides between the two.
    pub fn first_sector(&self, disk: &mut dyn Disk, committed: bool) -> Result<FirstSector> {
        let there = read_bytes(disk, 0, BYTES)
            .map_err(|error| Error::io("the first sector cannot be read", error))?;
        let first = self.tables.last();
        let is = |image: fn(&Exchange) -> &Vec<u8>| {
            let image = first.map(|one| image(one).as_slice()).unwrap_or_default();
            image.get(..BYTES) == Some(there.as_slice())
        };
        Ok(match committed {
            _ if there == self.marker => FirstSector::Marked,
            false if is(|one| &one.before) => FirstSector::Before,
            true if is(|one| &one.after) => FirstSector::After,
            _ => FirstSector::Other,
        })
    }

    /// Puts back what covers stand for, in bytes that were read at `at`.
    pub fn uncover(&self, at: u64, bytes: &mut [u8]) {
        for cover in self.covers.iter().chain(&self.superblocks) {
            lay(&cover.before, cover.at, bytes, at);
        }
    }
}

/// The marker of this run, for a disk of `job`.
fn marker(contents: &Contents, first: &[u8]) -> [u8; BYTES] {
    let Job { identity, .. } = &contents.job;
    let marker = MoveMarker {
        run: contents.run,
        host: contents.host.clone(),
        journal: contents.journal.clone(),
        old_table: MoveMarker::table_in(first),
    };
    marker.encode(identity.size_bytes / identity.logical_bytes.max(1))
}

/// Lays bytes that belong at `from` over those that begin at `at`, where both are.
pub fn lay(bytes: &[u8], from: u64, over: &mut [u8], at: u64) {
    let (place, whole) = (from..from + bytes.len() as u64, at..at + over.len() as u64);
    if !overlap(&place, &whole) {
        return;
    }
    let (start, end) = (place.start.max(whole.start), place.end.min(whole.end));
    let index = |at: u64, base: u64| usize::try_from(at - base).unwrap_or(usize::MAX);
    let source = bytes.get(index(start, from)..index(end, from));
    let target = over.get_mut(index(start, at)..index(end, at));
    if let (Some(source), Some(target)) = (source, target) {
        target.copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_laid_where_both_are() {
        let laid = |from: u64| {
            let mut over = [0; 6];
            lay(&[1, 2, 3], from, &mut over, 100);
            over
        };
        assert_eq!(laid(97), [0; 6]);
        assert_eq!(laid(98), [3, 0, 0, 0, 0, 0]);
        assert_eq!(laid(102), [0, 0, 1, 2, 3, 0]);
        assert_eq!(laid(105), [0, 0, 0, 0, 0, 1]);
        assert_eq!(laid(106), [0; 6]);
        let mut within = [0; 2];
        lay(&[1, 2, 3, 4], 99, &mut within, 100);
        assert_eq!(within, [2, 3]);
    }
}
