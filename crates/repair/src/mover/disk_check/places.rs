//! The places of a job that are compared with their images: before, in flight, and after.
//!
//! A sector that holds none of the three belongs to somebody else, or power went out while it was written.

use std::ops::Range;

use ioalign_core::move_marker::BYTES;

use super::super::flight::{Exchange, Flight, TORN_BYTES, lay};
use super::super::job::overlap;
use super::super::{Job, Move, Patch, PatchPhase, Track};
use super::foreign::{ForeignBytes, add};
use super::witness::lives_at;
use crate::Disk;
use crate::journal::{JournalState, Stage};

const FIRST: &str = "the first sector";
const TABLE: &str = "a partition table";
const SUPERBLOCK: &str = "a superblock";
const OLD_RECORD: &str = "an old boot record, over data that have moved there";

/// What is compared: a job, its images, and how far it is.
#[derive(Clone, Copy)]
pub struct JobPlaces<'a> {
    pub job: &'a Job,
    pub flight: &'a Flight,
    pub state: &'a JournalState,
    /// Places that could not be read, by their addresses before the move: zeros stand there.
    pub unreadable: &'a [Range<u64>],
}

/// How many sectors hold which image. One that is the same in two images counts for neither.
#[derive(Default)]
pub struct Tally {
    /// Only in flight.
    pub flight: usize,
    /// Another image than that of before.
    pub not_before: usize,
    /// Another image than that of after.
    pub not_after: usize,
    /// Sectors of others in tables and superblocks.
    pub foreign: Vec<ForeignBytes>,
    /// Whole places in destinations that hold what only this job has put there.
    pub arrived: usize,
}

/// Sees a place, and which of its addresses count.
type Visit<'a> = dyn FnMut(&Found<'_>, &dyn Fn(u64) -> bool) + 'a;

/// A place as it is found on the disk.
struct Found<'a> {
    what: &'static str,
    images: &'a Exchange,
    /// `None` where a block cannot be read.
    there: Vec<Option<Vec<u8>>>,
    block: usize,
}

impl JobPlaces<'_> {
    /// All of them, counted.
    pub fn tally(&self, disk: &mut dyn Disk) -> Tally {
        let mut tally = Tally::default();
        self.each(disk, &mut |found, judged| {
            let is_content = self.is_content(found.images);
            for (at, sector) in found.sectors() {
                if judged(at) {
                    found.count(at, sector, &mut tally);
                }
            }
            tally.arrived += usize::from(is_content && found.is_after());
        });
        self.old_records(disk, &mut tally.foreign);
        tally
    }

    /// The blocks that do not hold what stands there in flight, with what does; the first block first.
    pub fn uncovered(&self, disk: &mut dyn Disk) -> Vec<(u64, Vec<u8>)> {
        let mut all = Vec::new();
        self.each(disk, &mut |found, judged| {
            if self.is_content(found.images) {
                return;
            }
            let block = found.block.max(1);
            let blocks = found.images.flight.chunks(block).zip(&found.there);
            for ((flight, there), at) in blocks.zip((found.images.at..).step_by(block)) {
                if judged(at) && there.as_deref() != Some(flight) {
                    all.push((at, flight.to_vec()));
                }
            }
        });
        all.sort_by_key(|(at, _)| *at);
        all
    }

    /// Whether these images are of what arrives in a destination, and is written there.
    fn is_content(&self, images: &Exchange) -> bool {
        let mut contents = self.flight.contents.iter();
        let is_late = matches!(self.state.stage, Stage::Contents | Stage::Committed);
        is_late && contents.any(|one| one.at == images.at)
    }

    fn each(&self, disk: &mut dyn Disk, visit: &mut Visit<'_>) {
        for one in &self.flight.tables {
            let what = if one.at == 0 { FIRST } else { TABLE };
            let judged = |at| self.is_table_here(at);
            visit(&self.find(disk, what, one), &judged);
        }
        let always = |_: u64| true;
        match self.state.stage {
            Stage::Marking | Stage::Moving => {
                for one in &self.flight.superblocks {
                    for part in self.present(one) {
                        visit(&self.find(disk, SUPERBLOCK, &part), &always);
                    }
                }
            }
            _ => {
                for one in &self.flight.contents {
                    visit(&self.find(disk, SUPERBLOCK, one), &always);
                }
            }
        }
    }

    fn find<'a>(&self, disk: &mut dyn Disk, what: &'static str, images: &'a Exchange) -> Found<'a> {
        let block = block_bytes(self.job.identity.logical_bytes);
        let mut whole = vec![0; images.before.len()];
        let there = match disk.read_at(images.at, &mut whole) {
            Ok(()) => whole.chunks(block).map(|one| Some(one.to_vec())).collect(),
            Err(_) => {
                let mut one = |at: u64, length: usize| {
                    let mut bytes = vec![0; length];
                    disk.read_at(at, &mut bytes).ok()?;
                    Some(bytes)
                };
                let places = (images.at..)
                    .step_by(block)
                    .zip(images.before.chunks(block));
                places.map(|(at, image)| one(at, image.len())).collect()
            }
        };
        Found {
            what,
            images,
            there,
            block,
        }
    }

    /// Whether a block of a table is one at present. Until the commit, what of a table lies in a source belongs to data
    /// that move, and counts while those are known to be there.
    fn is_table_here(&self, at: u64) -> bool {
        let block = self.block(at);
        let inside = |one: &Move| overlap(&one.source(), &block);
        self.state.stage == Stage::Committed
            || !self.job.moves.iter().any(inside)
            || lives_at(self.job, self.state, &block) == Some(block.start)
    }

    fn block(&self, at: u64) -> Range<u64> {
        let logical = self.job.identity.logical_bytes.max(1);
        let start = at - at % logical;
        start..start.saturating_add(logical)
    }

    /// The blocks of a superblock at their present places; those on their way, and those that could not be read,
    /// are left out.
    fn present(&self, one: &Exchange) -> Vec<Exchange> {
        let logical = usize::try_from(self.job.identity.logical_bytes).unwrap_or(TORN_BYTES);
        let blocks = one.before.chunks(logical.max(1));
        let blocks = blocks.zip(one.flight.chunks(logical.max(1)));
        let placed = blocks.zip((one.at..).step_by(logical.max(1)));
        let placed = placed.filter_map(|((before, flight), from)| {
            let place = from..from + before.len() as u64;
            if self.unreadable.iter().any(|bad| overlap(bad, &place)) {
                return None;
            }
            let at = lives_at(self.job, self.state, &place)?;
            let mut after = before.to_vec();
            if at != from {
                for content in &self.flight.contents {
                    lay(&content.after, content.at, &mut after, at);
                }
            }
            Some(Exchange {
                at,
                before: before.to_vec(),
                flight: flight.to_vec(),
                after,
            })
        });
        placed.collect()
    }

    /// Boot records of the old table that somebody has written again, where data of this move are by now: those
    /// data are lost.
    fn old_records(&self, disk: &mut dyn Disk, foreign: &mut Vec<ForeignBytes>) {
        for patch in self.job.patches(PatchPhase::Covered) {
            let logical = self.job.identity.logical_bytes.max(1);
            let starts = (patch.at..patch.place().end).step_by(block_bytes(logical));
            for at in starts {
                let place = self.block(at);
                if self.has_moved_to(&place) && holds_image(disk, &place, patch) {
                    add(foreign, OLD_RECORD, at, place.end - place.start);
                }
            }
        }
    }

    /// Whether data that belong at this place of a destination are there.
    fn has_moved_to(&self, place: &Range<u64>) -> bool {
        let inside = |one: &&Move| {
            let to = one.destination();
            to.start <= place.start && place.end <= to.end
        };
        let Some(one) = self.job.moves.iter().find(inside) else {
            return false;
        };
        let from = place.start - one.to + one.from;
        let source = from..from + (place.end - place.start);
        Track(*one).positions(&source).is_some()
            && lives_at(self.job, self.state, &source) == Some(place.start)
    }
}

fn block_bytes(logical: u64) -> usize {
    usize::try_from(logical).unwrap_or(TORN_BYTES).max(1)
}

/// Whether a block is what a patch remembers of it, and not blank.
fn holds_image(disk: &mut dyn Disk, place: &Range<u64>, patch: &Patch) -> bool {
    let mut image = vec![0; block_bytes(place.end - place.start)];
    lay(&patch.before, patch.at, &mut image, place.start);
    let mut there = vec![0; image.len()];
    let is_blank = image.iter().all(|byte| *byte == 0);
    !is_blank && disk.read_at(place.start, &mut there).is_ok() && there == image
}

impl Found<'_> {
    /// Addresses of sectors, and what is there.
    fn sectors(&self) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
        let count = self.images.before.len().div_ceil(TORN_BYTES);
        (0..count).map(|index| {
            let offset = index * TORN_BYTES;
            let block = self.there.get(offset / self.block);
            let block = block.and_then(Option::as_deref);
            let within = offset % self.block;
            let sector =
                block.and_then(|block| block.get(within..block.len().min(within + TORN_BYTES)));
            (self.images.at + offset as u64, sector)
        })
    }

    fn count(&self, at: u64, sector: Option<&[u8]>, tally: &mut Tally) {
        let index = usize::try_from(at - self.images.at).unwrap_or(usize::MAX);
        let end = index
            .saturating_add(TORN_BYTES)
            .min(self.images.before.len());
        let is = |image: &[u8]| sector.is_some() && image.get(index..end) == sector;
        let Exchange {
            before,
            flight,
            after,
            ..
        } = self.images;
        let (is_before, is_flight, is_after) = (is(before), is(flight), is(after));
        if is_before || is_flight || is_after {
            tally.flight += usize::from(is_flight && !is_before && !is_after);
            tally.not_before += usize::from(!is_before);
            tally.not_after += usize::from(!is_after);
        } else if at == 0 && sector.is_some_and(|there| self.is_first_by_hand(there)) {
            tally.not_before += 1;
            tally.not_after += 1;
        } else {
            add(&mut tally.foreign, self.what, at, (end - index) as u64);
        }
    }

    /// Whether a first sector has boot code, disk signature and entries of these images, or boot code of zeros:
    /// `--abandon` and partition tools make such.
    fn is_first_by_hand(&self, there: &[u8]) -> bool {
        const PARTS: [Range<usize>; 3] = [0..440, 440..446, 446..BYTES];
        let images = [&self.images.before, &self.images.flight, &self.images.after];
        PARTS.into_iter().all(|part| {
            let there = there.get(part.clone());
            let blank = || there.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
            images.iter().any(|image| image.get(part.clone()) == there)
                || part.start == 0 && blank()
        })
    }

    /// Whether all of it is the image of after, and that says something.
    fn is_after(&self) -> bool {
        let there = self.there.iter().flatten().flatten();
        let says = self.images.after.iter().any(|byte| *byte != 0);
        says && there.eq(self.images.after.iter())
    }
}
