//! Batches of several arms in random order, as ratios to a baseline that is measured between them.
//!
//! The baseline is a read of one place (or a group of reads, if one does not keep a place busy). It is measured after every few batches, and each
//! time is divided by the median of the baselines around it: drift and load that last longer than a few batches cancel out.

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::Random;

use super::device::{ProbeIo, TimedDevice};
use super::outcome::{ProbeProgress, ProbeStage};
use crate::Error;
use crate::experiment::ShuffledOrder;
use crate::stats::{median, real};

/// A baseline after this many batches.
const EVERY: usize = 4;
/// Baselines of which the median is taken, on each side of a batch.
const AROUND: usize = 4;
/// The watcher is asked after this many batches.
const LOOK: u64 = 16;

/// Why a probe ends before its answer.
#[derive(Debug)]
pub(super) enum ProbeHalt {
    /// The time is over.
    Time,
    /// The operator wants it.
    Asked,
    /// The device failed.
    Failed(Error),
}

impl From<Error> for ProbeHalt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Who is shown the progress, and says whether to go on.
pub type ProbeWatch<'a> = dyn FnMut(&ProbeProgress) -> ControlFlow<()> + 'a;

/// Fills a batch for an arm.
pub(super) type FillBatch<'f> = dyn FnMut(usize, &mut Random, &mut Vec<ProbeIo>) + 'f;

/// A device with its baseline.
pub(super) struct Sampler<'a> {
    pub(super) device: &'a mut dyn TimedDevice,
    watch: &'a mut ProbeWatch<'a>,
    pub(super) random: Random,
    /// Reads at each place.
    pub(super) group: u64,
    pub(super) stage: ProbeStage,
    until: Duration,
    pub(super) reads: u64,
    pub(super) writes: u64,
    batches: u64,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(
        device: &'a mut dyn TimedDevice,
        watch: &'a mut ProbeWatch<'a>,
        until: Duration,
        seed: u64,
    ) -> Self {
        Self {
            device,
            watch,
            random: Random::new(seed),
            group: 1,
            stage: ProbeStage::Search,
            until,
            reads: 0,
            writes: 0,
            batches: 0,
        }
    }

    /// Measures every arm `each` times; by arm, the ratios to the baseline.
    pub(super) fn block(
        &mut self,
        arms: usize,
        each: usize,
        fill: &mut FillBatch<'_>,
    ) -> Result<Vec<Vec<f64>>, ProbeHalt> {
        let mut order = ShuffledOrder::new(arms, self.random.next());
        let mut batch = Vec::new();
        let mut base = Vec::new();
        let mut times = Vec::with_capacity(arms * each);
        for _ in 0..each {
            for arm in order.next() {
                if times.len().is_multiple_of(EVERY) {
                    base.push(self.baseline(&mut batch)?);
                }
                batch.clear();
                fill(*arm, &mut self.random, &mut batch);
                times.push((*arm, base.len(), self.send(&batch)?));
            }
        }
        base.push(self.baseline(&mut batch)?);
        let mut ratios = vec![Vec::with_capacity(each); arms];
        for (arm, at, time) in times {
            if let Some(of_arm) = ratios.get_mut(arm) {
                of_arm.push(real(time) / around(&base, at));
            }
        }
        Ok(ratios)
    }

    /// The time of reads at one place.
    fn baseline(&mut self, batch: &mut Vec<ProbeIo>) -> Result<f64, ProbeHalt> {
        let sector = self.device.sector_bytes();
        let room = self.device.size_bytes() / sector;
        batch.clear();
        reads(self.random.below(room) * sector, sector, self.group, batch);
        self.send(batch).map(real)
    }

    /// Sends a batch; its time.
    pub(super) fn send(&mut self, batch: &[ProbeIo]) -> Result<u64, ProbeHalt> {
        let elapsed = self.device.elapsed();
        if elapsed > self.until {
            return Err(ProbeHalt::Time);
        }
        if self.batches.is_multiple_of(LOOK) {
            let progress = ProbeProgress {
                stage: self.stage,
                reads: self.reads,
                writes: self.writes,
                left: self.until - elapsed,
            };
            if (self.watch)(&progress).is_break() {
                return Err(ProbeHalt::Asked);
            }
        }
        self.batches += 1;
        let writes = batch.iter().filter(|io| io.write).count() as u64;
        self.writes += writes;
        self.reads += batch.len() as u64 - writes;
        Ok(self.device.time(batch)?.max(1))
    }
}

/// As many reads of one sector.
pub(super) fn reads(offset: u64, sector: u64, count: u64, batch: &mut Vec<ProbeIo>) {
    let one = ProbeIo {
        offset,
        bytes: u32::try_from(sector).unwrap_or(u32::MAX),
        write: false,
    };
    batch.extend((0..count).map(|_| one));
}

/// The median of the baselines around a batch that was sent after `at` of them.
fn around(base: &[f64], at: usize) -> f64 {
    let from = at.saturating_sub(AROUND);
    let to = (at + AROUND).min(base.len());
    let mut near = base.get(from..to).unwrap_or_default().to_vec();
    median(&mut near).max(1.0)
}
