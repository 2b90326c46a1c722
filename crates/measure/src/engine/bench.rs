//! Arms on real targets, for an experiment to compare.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use ioalign_device::Target;

use super::check::{check_io, check_load, check_writes};
use super::clock::{now_ns, thread_ns};
use super::files::Files;
use super::lane::{Lane, LaneOrder};
use super::options::{ArmPlace, CellSpec, EngineOptions};
use super::team::Team;
use crate::experiment::{ClosedBatch, ExperimentSubject, FullQueueTime};
use crate::{Error, ErrorKind, Result};

/// The arms of a comparison. It belongs to the thread that made it, as rings do.
pub struct Bench {
    team: Team,
    arms: usize,
    files: Files,
    cold: bool,
    /// Written data stay in the page cache for a while.
    lazy: bool,
    notes: Vec<String>,
    block_bytes: u64,
    workers: u64,
    thread: PhantomData<*const ()>,
}

impl Bench {
    /// Checks that every arm takes this kind of I/O, and gets buffers and rings ready.
    pub fn new(arms: &[ArmPlace], cell: &CellSpec, options: &EngineOptions) -> Result<Self> {
        check(arms, cell, options)?;
        let targets: Vec<Arc<Target>> = arms.iter().map(|arm| Arc::clone(&arm.target)).collect();
        let files = Files::new(&targets);
        let mut notes = Vec::new();
        let make = {
            // The duplicate of the baseline walks on its own, as an arm past the others.
            let duplicate = arms.first().cloned();
            let arms: Vec<ArmPlace> = arms.iter().cloned().chain(duplicate).collect();
            let files = files.clone();
            let (cell, options) = (*cell, options.clone());
            move |number, notes: &mut Vec<String>| {
                Lane::new(number, &arms, &files, &cell, &options, notes)
            }
        };
        let team = Team::new(cell.workers, &mut notes, make)?;
        let lazy = cell.read_ratio < 1.0 && files.targets().iter().any(|one| one.keeps_writes());
        if options.cold {
            notes.extend(files.targets().iter().map(|target| cold_note(target)));
        }
        if lazy {
            notes.push(FLUSHED.to_owned());
        }
        Ok(Self {
            team,
            arms: arms.len(),
            files,
            cold: options.cold,
            lazy,
            notes,
            block_bytes: cell.block_bytes,
            workers: cell.workers.into(),
            thread: PhantomData,
        })
    }

    /// Notes for the reader of a report: a fallback, because another way was forbidden.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Sends at least this many bytes by an arm, not timed, and says how many.
    pub fn send(&mut self, arm: usize, bytes: u64) -> Result<u64> {
        let ios = bytes.div_ceil(self.block_bytes.max(1));
        let each = ios.div_ceil(self.workers.max(1));
        let span = self.team.all(LaneOrder::Send(arm, each))?;
        Ok(span.ios.saturating_mul(self.block_bytes))
    }

    /// Waits until everything that was written is on the devices.
    pub fn settle(&self) -> Result<()> {
        let mut targets = self.files.targets().iter();
        targets.try_for_each(|target| target.flush())
    }
}

impl ExperimentSubject for Bench {
    fn arms(&self) -> usize {
        self.arms
    }

    fn duplicate(&self) -> usize {
        self.arms
    }

    fn begin_round(&mut self) -> Result<()> {
        if self.cold {
            self.files.evict()?;
        }
        self.team.all(LaneOrder::Round).map(drop)
    }

    fn batch(&mut self, arm: usize) -> Result<ClosedBatch> {
        let span = self.team.all(LaneOrder::Batch(arm))?;
        Ok(ClosedBatch {
            elapsed_ns: span.elapsed_ns(),
            usual_ns: span.usual_ns(),
            ios: u32::try_from(span.ios).unwrap_or(u32::MAX),
        })
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime> {
        self.ready()?;
        let span = self.team.all(LaneOrder::Saturate(arm, time))?;
        let (begun, cpu) = (now_ns(), thread_ns());
        self.flush()?;
        Ok(FullQueueTime {
            elapsed_ns: span.elapsed_ns() + now_ns().saturating_sub(begun),
            ios: span.ios,
            cpu_ns: span.cpu_ns + thread_ns().saturating_sub(cpu),
        })
    }
}

impl Bench {
    /// Nothing of what came before is left to be written, and nothing is cached where that was asked for.
    fn ready(&self) -> Result<()> {
        if self.cold {
            self.files.evict()
        } else {
            self.flush()
        }
    }

    /// Waits for what was written to reach the device, where there is a page cache on the way: a block that leaves it to
    /// others has not paid for it.
    fn flush(&self) -> Result<()> {
        if self.lazy { self.settle() } else { Ok(()) }
    }
}

const FLUSHED: &str =
    "writes go to a page cache: a block of full load ends with a flush, which belongs to its time";

fn check(arms: &[ArmPlace], cell: &CellSpec, options: &EngineOptions) -> Result<()> {
    if arms.is_empty() {
        return Err(Error::new(
            ErrorKind::Unsupported,
            "there is nothing to compare",
        ));
    }
    check_load(cell.queue_depth, cell.workers, cell.read_ratio)?;
    for arm in arms {
        check_io(&arm.target, cell.block_bytes, arm.offset_bytes, None)?;
        if cell.read_ratio < 1.0 {
            check_writes(&arm.target, options)?;
        }
    }
    Ok(())
}

fn cold_note(target: &Target) -> String {
    let below: Vec<_> = target
        .cached_below()
        .map(|path| path.display().to_string())
        .collect();
    let path = target.path().display();
    if below.is_empty() {
        format!("cold: cached pages of {path} are dropped before every round and block")
    } else {
        let below = below.join(", ");
        format!(
            "cold: cached pages of {path}, and of {below} below it, are dropped before every round and block"
        )
    }
}
