//! Pages of a database made durable: once, in one piece each, or twice, as a doublewrite buffer has them.
//!
//! A batch is what a page cleaner does: some dirty pages are written at once, anywhere in the file, and flushed. With a
//! doublewrite buffer they are written to an area of their own first, one after the other, and flushed there (InnoDB:
//! `buf0dblwr`), so that of a page that is torn in its place a whole one is left.

use std::sync::Arc;
use std::time::Duration;

use ioalign_core::{Bytes, Random};
use ioalign_device::{Target, TargetKind};

use super::check::{check_atomic, check_io, check_load, check_writes};
use super::clock::process_ns;
use super::files::Files;
use super::lane::unknown_arm;
use super::options::{CellSpec, EngineOptions};
use super::queued_io::QueueOp;
use super::write_queue::WriteQueue;
use crate::data::Filler;
use crate::experiment::{ClosedBatch, ExperimentSubject, FullQueueTime};
use crate::{Error, ErrorKind, Result};

/// How a page comes to its place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PageWay {
    /// Written to the doublewrite area and flushed there, then by a plain write.
    Twice,
    /// By a write that is marked `RWF_ATOMIC`.
    Atomic,
    /// By a plain write alone, which may be torn.
    Once,
}

/// The largest write to the doublewrite area: its pages lie one after the other.
const AREA_WRITE: u64 = 1 << 20;

/// One device or file, and the ways to write pages to it. It belongs to the thread that made it, as rings do.
pub struct PageBench {
    ways: Vec<PageWay>,
    files: Files,
    pages: WriteQueue,
    area: WriteQueue,
    /// The offsets of the pages of a batch, and the pieces of the area.
    spots: Vec<u64>,
    pieces: Vec<u64>,
    space: PageSpace,
    /// By arm, the duplicate of the baseline last: each draws its own places.
    random: Vec<Random>,
    filler: Filler,
    cold: bool,
    stall: Duration,
}

/// Where pages lie in the target: behind the doublewrite area.
#[derive(Copy, Clone, Debug)]
struct PageSpace {
    page_bytes: u64,
    /// Pages of a batch.
    batch: u32,
    area_bytes: u64,
    /// Pages behind the area.
    count: u64,
}

impl PageBench {
    /// Pages of `cell.block_bytes`, `cell.queue_depth` of them in a batch, by these ways; the first is the baseline.
    ///
    /// # Errors
    /// When the target takes no such writes, or no atomic ones and one of the ways is; when it is too small.
    pub fn new(
        target: &Arc<Target>,
        ways: &[PageWay],
        cell: &CellSpec,
        options: &EngineOptions,
    ) -> Result<Self> {
        check_load(cell.queue_depth, cell.workers, cell.read_ratio)?;
        check_io(target, cell.block_bytes, 0, None)?;
        check_writes(target, options)?;
        if ways.contains(&PageWay::Atomic) {
            check_atomic(target, cell.block_bytes)?;
        }
        let space = PageSpace::new(target, cell)?;
        let files = Files::new(std::slice::from_ref(target));
        let piece = AREA_WRITE.max(space.page_bytes).min(space.area_bytes);
        let pieces: Vec<u64> = (0..space.area_bytes / piece).map(|at| at * piece).collect();
        let all = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        Ok(Self {
            ways: ways.to_vec(),
            pages: WriteQueue::new(&files, space.batch, space.page_bytes, options)?,
            area: WriteQueue::new(&files, all, piece, options)?,
            files,
            spots: Vec::with_capacity(space.batch as usize),
            pieces,
            space,
            random: (0..=ways.len() as u64)
                .map(|arm| Random::new(options.seed.wrapping_add(arm)))
                .collect(),
            filler: Filler::new(&options.data, options.seed, 0)?,
            cold: options.cold,
            stall: options.stall,
        })
    }

    /// Writes a batch and flushes it; new content and places are made before the time begins.
    fn durable(&mut self, arm: usize) -> Result<FullQueueTime> {
        // The duplicate is the baseline again.
        let way = self.ways.get(arm).or_else(|| self.ways.first()).copied();
        let random = self.random.get_mut(arm);
        let (way, random) = way.zip(random).ok_or_else(|| unknown_arm(arm))?;
        self.space.draw(random, &mut self.spots);
        let (op, is_twice) = match way {
            PageWay::Twice => (QueueOp::Write, true),
            PageWay::Atomic => (QueueOp::AtomicWrite, false),
            PageWay::Once => (QueueOp::Write, false),
        };
        self.pages.prepare(op, &self.spots, &mut self.filler)?;
        let pieces: &[u64] = if is_twice { &self.pieces } else { &[] };
        self.area
            .prepare(QueueOp::Write, pieces, &mut self.filler)?;
        let cpu = process_ns();
        let mut elapsed_ns = 0;
        if is_twice {
            elapsed_ns += self.area.durable(&self.files, self.stall)?;
        }
        elapsed_ns += self.pages.durable(&self.files, self.stall)?;
        Ok(FullQueueTime {
            elapsed_ns,
            ios: self.space.batch.into(),
            cpu_ns: process_ns().saturating_sub(cpu),
        })
    }
}

impl ExperimentSubject for PageBench {
    fn arms(&self) -> usize {
        self.ways.len()
    }

    fn duplicate(&self) -> usize {
        self.ways.len()
    }

    fn begin_round(&mut self) -> Result<()> {
        match self.cold {
            true => self.files.evict(),
            false => Ok(()),
        }
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        let time = self.durable(arm)?;
        Ok(ClosedBatch {
            elapsed_ns: time.elapsed_ns,
            usual_ns: time.elapsed_ns,
            ios: self.space.batch,
        })
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime> {
        let most = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut sum = FullQueueTime::default();
        while sum.elapsed_ns < most {
            let one = self.durable(arm)?;
            sum.elapsed_ns += one.elapsed_ns;
            sum.cpu_ns += one.cpu_ns;
            sum.ios += one.ios;
        }
        Ok(sum)
    }
}

impl PageSpace {
    fn new(target: &Target, cell: &CellSpec) -> Result<Self> {
        let refused =
            |what: String| Err(Error::new(ErrorKind::Unsupported, what).of_target(target.path()));
        if target.kind() == TargetKind::Folder {
            return refused("is a folder: pages are written to a device or a file".to_owned());
        }
        let page_bytes = cell.block_bytes;
        let area = page_bytes * u64::from(cell.queue_depth);
        // Whole pieces, so that one size of buffers holds them.
        let area_bytes = match area > AREA_WRITE {
            true => area.next_multiple_of(AREA_WRITE.max(page_bytes)),
            false => area,
        };
        let count = target.size_bytes().saturating_sub(area_bytes) / page_bytes;
        if count < u64::from(cell.queue_depth) {
            let least = Bytes::new(area_bytes.saturating_add(area));
            return refused(format!(
                "has no room for {} pages and their doublewrite area: {least} are needed",
                cell.queue_depth
            ));
        }
        Ok(Self {
            page_bytes,
            batch: cell.queue_depth,
            area_bytes,
            count,
        })
    }

    /// A page in each of as many equal parts of the space: no two are the same.
    fn draw(&self, random: &mut Random, spots: &mut Vec<u64>) {
        let part = self.count / u64::from(self.batch);
        spots.clear();
        spots.extend((0..u64::from(self.batch)).map(|number| {
            let page = number * part + random.below(part);
            self.area_bytes + page * self.page_bytes
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_batch_lie_apart_and_behind_the_area() {
        let space = PageSpace {
            page_bytes: 16384,
            batch: 64,
            area_bytes: 1 << 20,
            count: 1000,
        };
        let (mut random, mut spots) = (Random::new(1), Vec::new());
        for _ in 0..100 {
            space.draw(&mut random, &mut spots);
            assert_eq!(spots.len(), 64);
            assert!(spots.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(
                spots.iter().all(|at| at.is_multiple_of(16384)
                    && (1 << 20..(1 << 20) + 1000 * 16384).contains(at))
            );
        }
    }
}
