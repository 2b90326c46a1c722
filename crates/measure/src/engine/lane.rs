//! One worker of a comparison: its queue, and its own places in every arm.

use std::time::Duration;

use ioalign_core::Random;
use ioalign_core::workload::SizeShare;

use super::clock::{now_ns, thread_ns};
use super::failure::failure;
use super::files::Files;
use super::options::{ArmPlace, CellSpec, EngineOptions};
use super::patience::Patience;
use super::places::{PlaceLaw, PlaceStream};
use super::queue::Queue;
use super::queued_io::{Completion, QueueOp, QueueSetup, QueuedIo, io_of};
use super::span::{Until, WorkerSpan};
use super::stretch::{LaneStretch, largest_bytes};
use crate::data::Filler;
use crate::{Error, ErrorKind, Result};

/// Instructions for a worker.
#[derive(Copy, Clone, Debug)]
pub(super) enum LaneOrder {
    /// Begin every walk somewhere else.
    Round,
    /// A closed batch of an arm.
    Batch(usize),
    /// A full queue on an arm.
    Saturate(usize, Duration),
    /// A full queue on an arm, for this number of I/Os.
    Send(usize, u64),
}

/// A worker.
pub(super) struct Lane {
    files: Files,
    queue: Option<Queue>,
    /// By arm.
    pub(super) arms: Vec<PlaceStream>,
    filler: Filler,
    refill: bool,
    pub(super) depth: u32,
    /// By slot.
    ios: Vec<QueuedIo>,
    /// Slots that hold content.
    filled: Vec<bool>,
    pub(super) stall: Duration,
    pub(super) stretch: LaneStretch,
    /// The queues of a run.
    pub(super) run: Vec<WorkerSpan>,
    pub(super) random: Random,
}

impl Lane {
    /// For the thread that makes it.
    pub(super) fn new(
        number: u32,
        arms: &[ArmPlace],
        files: &Files,
        cell: &CellSpec,
        options: &EngineOptions,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let setup = QueueSetup {
            files,
            depth: cell.queue_depth,
            largest_bytes: u32::try_from(largest_bytes(cell)).unwrap_or(u32::MAX),
            options,
        };
        let queue = Queue::open(&setup, notes)?;
        let depth = queue.depth();
        let mut seed = options.seed ^ (u64::from(number) << 48);
        let walks = arms.iter().map(|place| {
            seed = seed.wrapping_add(1);
            walk(place, files, cell, seed)
        });
        let arms = walks.collect::<Result<_>>()?;
        Ok(Self {
            files: files.clone(),
            queue: Some(queue),
            arms,
            filler: Filler::new(&options.data, options.seed, number.into())?,
            refill: options.data.refill,
            depth,
            ios: vec![QueuedIo::flush(0, 0); depth as usize],
            filled: vec![false; depth as usize],
            stall: options.stall,
            stretch: LaneStretch::new(cell, depth),
            run: Vec::new(),
            random: Random::new(!seed),
        })
    }

    pub(super) fn obey(&mut self, order: LaneOrder) -> Result<WorkerSpan> {
        match order {
            LaneOrder::Round => {
                self.arms.iter_mut().for_each(PlaceStream::restart);
                Ok(WorkerSpan::default())
            }
            LaneOrder::Batch(arm) => self.batch(arm),
            LaneOrder::Saturate(arm, time) => self.saturate(arm, time),
            LaneOrder::Send(arm, ios) => self.pump(arm, Until::Sent(ios)),
        }
    }

    fn saturate(&mut self, arm: usize, time: Duration) -> Result<WorkerSpan> {
        self.lead(arm)?;
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 2);
        self.pump(arm, Until::Time(now_ns() + time))
    }

    /// Keeps the queue full until enough was sent, and waits for all of it.
    pub(super) fn pump(&mut self, arm: usize, until: Until) -> Result<WorkerSpan> {
        let cpu = thread_ns();
        let mut free: Vec<u32> = (0..self.depth).rev().collect();
        let (mut sent, mut done, mut failed) = (0_u64, 0_u64, None);
        // The first data to write are generated before the time begins.
        let mut start_ns = None;
        let mut now = now_ns();
        let mut patience = Patience::new(self.stall, now);
        loop {
            while until.wants(sent, now) && failed.is_none() {
                let Some(slot) = free.pop() else { break };
                self.push(arm, slot)?;
                sent += 1;
            }
            let start = *start_ns.get_or_insert_with(now_ns);
            if sent == done {
                let span = WorkerSpan {
                    elapsed_ns: now.saturating_sub(start),
                    ios: done,
                    cpu_ns: thread_ns().saturating_sub(cpu),
                    workers: 1,
                    ..WorkerSpan::default()
                };
                return failed.map_or(Ok(span), Err);
            }
            let all = u32::try_from(sent - done).unwrap_or(u32::MAX);
            let want = if until.wants(sent, now) { 1 } else { all };
            let more = self.wait(want, &mut failed, |slot| free.push(slot))?;
            now = now_ns();
            if let Err(error) = patience.look(now, more != 0) {
                self.give_up();
                return Err(error);
            }
            done += u64::from(more);
        }
    }

    fn push(&mut self, arm: usize, slot: u32) -> Result<()> {
        let spot = self.arms.get_mut(arm).and_then(PlaceStream::next);
        let spot = spot.ok_or_else(|| unknown_arm(arm))?;
        if spot.write
            && let Some(filled) = self.filled.get_mut(slot as usize)
            && (self.refill || !*filled)
        {
            let queue = self.queue.as_mut().ok_or_else(gone)?;
            self.filler.fill(queue.buffer(slot));
            *filled = true;
        }
        self.send(io_of(spot, slot, false))
    }

    /// Hands an I/O to the queue.
    pub(super) fn send(&mut self, io: QueuedIo) -> Result<()> {
        let queue = self.queue.as_mut().ok_or_else(gone)?;
        // A read leaves in the buffer what was on the device.
        if io.op == QueueOp::Read
            && let Some(filled) = self.filled.get_mut(io.slot as usize)
        {
            *filled = false;
        }
        if let Some(known) = self.ios.get_mut(io.slot as usize) {
            *known = io;
        }
        queue.push(io);
        Ok(())
    }

    /// Waits for some of what is in flight, and says how many completed.
    pub(super) fn wait(
        &mut self,
        want: u32,
        failed: &mut Option<Error>,
        mut each: impl FnMut(u32),
    ) -> Result<u32> {
        let queue = self.queue.as_mut().ok_or_else(gone)?;
        let (files, ios) = (&self.files, &self.ios);
        let entered = queue.enter(want, None);
        let mut done = 0;
        queue.reap(|Completion { slot, result }| {
            done += 1;
            each(slot);
            if let Some(io) = ios.get(slot as usize) {
                *failed = failed.take().or_else(|| failure(files, io, result));
            }
        });
        if let Err(error) = entered {
            self.give_up();
            return Err(Error::io("the queue of I/O failed", error));
        }
        Ok(done)
    }

    pub(super) fn give_up(&mut self) {
        if let Some(queue) = self.queue.take() {
            queue.abandon();
        }
    }
}

/// The places of an arm.
fn walk(place: &ArmPlace, files: &Files, cell: &CellSpec, seed: u64) -> Result<PlaceStream> {
    let law = PlaceLaw {
        sizes: &[SizeShare::only(cell.block_bytes)],
        read_ratio: cell.read_ratio,
        pattern: cell.pattern,
        align_bytes: None,
        offset_bytes: place.offset_bytes,
    };
    let too_small = || Error::new(ErrorKind::Unsupported, "is too small for a single I/O");
    PlaceStream::new(&law, &files.sizes_of(&place.target), seed)
        .ok_or_else(|| too_small().of_target(place.target.path()))
}

pub(super) fn gone() -> Error {
    Error::new(
        ErrorKind::Device,
        "the queue of I/O was given up after a failure",
    )
}

pub(super) fn unknown_arm(arm: usize) -> Error {
    Error::new(ErrorKind::Unsupported, format!("there is no arm {arm}"))
}
