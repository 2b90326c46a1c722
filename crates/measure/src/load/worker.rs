//! One worker: keeps its queue full, and counts what completes.

use std::time::Duration;

use super::board::{Gauge, LoadPhase};
use super::flight::InFlightIo;
use super::flusher::Flusher;
use super::pace::IoPace;
use super::report::SentIo;
use super::shared::{Shared, Work, places};
use super::tally::LoadTally;
use super::window::Window;
use crate::data::Filler;
use crate::engine::{
    Api, Completion, Patience, PlaceStream, Queue, QueueOp, QueueSetup, QueuedIo, failure, io_of,
    now_ns,
};
use crate::{Error, Result};

/// I/Os are handed to the tap in parcels.
const PARCEL: usize = 512;

/// A worker, on its own thread.
pub(super) struct Worker<'a> {
    shared: &'a Shared<'a>,
    gauge: &'a Gauge,
    number: u32,
    queue: Queue,
    places: PlaceStream,
    filler: Filler,
    pace: Option<IoPace>,
    flusher: Flusher,
    flights: Vec<InFlightIo>,
    free: Vec<u32>,
    wait_for: u32,
    at_once: u32,
    filled: Vec<bool>,
    fresh: Vec<u32>,
    parcel: Vec<SentIo>,
    tally: LoadTally,
    window: Window,
    errors: u64,
    failed: Option<Error>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        gauge: &'a Gauge,
        number: u32,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let (workload, options) = (shared.workload, shared.options);
        let setup = QueueSetup {
            files: shared.files,
            depth: workload.queue_depth,
            largest_bytes: u32::try_from(workload.largest_bytes()).unwrap_or(u32::MAX),
            options,
        };
        let queue = Queue::open(&setup, notes)?;
        let depth = queue.depth();
        let seed = options.seed ^ (u64::from(number) << 48);
        let rate = workload.rate_iops;
        Ok(Self {
            shared,
            gauge,
            number,
            queue,
            places: places(shared, seed)?,
            filler: Filler::new(&workload.data, options.seed, number.into())?,
            pace: rate.map(|rate| IoPace::new(rate, workload.workers, number)),
            flusher: Flusher::new(workload.fsync_every_writes, shared.files.count()),
            flights: vec![InFlightIo::NONE; depth as usize],
            free: (0..depth).rev().collect(),
            wait_for: options.wait_for,
            at_once: workload.at_once().max(options.wait_for),
            filled: vec![false; depth as usize],
            fresh: Vec::with_capacity(depth as usize),
            parcel: Vec::with_capacity(PARCEL),
            tally: LoadTally::new()?,
            window: Window::default(),
            errors: 0,
            failed: None,
        })
    }

    pub(super) const fn queue(&self) -> (Api, u32) {
        (self.queue.api(), self.queue.depth())
    }

    /// Until the board says stop.
    pub(super) fn run(mut self) -> Work {
        match self.pump() {
            Ok(()) => self.end().0,
            Err(error) => {
                self.fail(error);
                let (work, queue) = self.end();
                queue.abandon();
                work
            }
        }
    }

    /// An error here means that I/O is still in flight, and that the queue cannot be used any more.
    fn pump(&mut self) -> Result<()> {
        let begun = now_ns();
        let mut now = begun;
        let mut patience = Patience::new(self.shared.options.stall, begun);
        loop {
            let phase = self.shared.board.phase();
            if self.window.follow(phase, now) {
                // I/O of the ramp does not count.
                self.tally = LoadTally::new()?;
                self.gauge.begin();
            }
            let wait_ns = match phase {
                LoadPhase::Stop => None,
                _ => self.send(now - begun),
            };
            if phase == LoadPhase::Stop && self.flying() == 0 {
                return Ok(());
            }
            let entered = self.enter(phase, wait_ns);
            now = now_ns();
            let moved = self.reap(now) || self.flying() == 0;
            entered.map_err(|error| Error::io("the queue of I/O failed", error))?;
            patience.look(now, moved)?;
        }
    }

    fn end(mut self) -> (Work, Queue) {
        self.hand_over();
        self.window.follow(LoadPhase::Stop, now_ns());
        let work = Work {
            tally: self.tally,
            elapsed_ns: self.window.elapsed_ns,
            times: self.window.spent,
            errors: self.errors,
            failed: self.failed,
        };
        (work, self.queue)
    }

    const fn flying(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    /// Fills the queue as far as the pace allows; how long to wait for the next where it does not.
    fn send(&mut self, since_ns: u64) -> Option<u64> {
        let mut wait_ns = None;
        while let Some(slot) = self.free.pop() {
            if let Some(file) = self.flusher.next() {
                self.push(QueuedIo::flush(slot, file));
                continue;
            }
            if let Some(Err(wait)) = self.pace.as_mut().map(|pace| pace.take(since_ns)) {
                wait_ns = Some(wait);
                self.free.push(slot);
                break;
            }
            let Some(spot) = self.places.next() else {
                break;
            };
            let io = io_of(spot, slot, self.shared.workload.atomic);
            self.fill(io);
            if spot.write {
                self.flusher.wrote(spot.file);
            }
            self.push(io);
        }
        let sent_ns = now_ns();
        for slot in self.fresh.drain(..) {
            if let Some(flight) = self.flights.get_mut(slot as usize) {
                flight.sent_ns = sent_ns;
            }
        }
        wait_ns
    }

    #[inline]
    fn push(&mut self, io: QueuedIo) {
        if let Some(flight) = self.flights.get_mut(io.slot as usize) {
            flight.io = io;
        }
        self.fresh.push(io.slot);
        self.queue.push(io);
    }

    /// Content for a write; a read leaves in the buffer what was on the device.
    #[inline]
    fn fill(&mut self, io: QueuedIo) {
        let Some(filled) = self.filled.get_mut(io.slot as usize) else {
            return;
        };
        if io.op == QueueOp::Read {
            *filled = false;
        } else if !*filled || self.shared.workload.data.refill {
            *filled = true;
            if let Some(bytes) = self.queue.buffer(io.slot).get_mut(..io.bytes as usize) {
                self.filler.fill(bytes);
            }
            // A larger I/O would meet what an earlier read left behind.
            *filled = u64::from(io.bytes) == self.shared.workload.largest_bytes();
        }
    }

    fn enter(&mut self, phase: LoadPhase, wait_ns: Option<u64>) -> std::io::Result<()> {
        let flying = u32::try_from(self.flying()).unwrap_or(u32::MAX);
        let want = match phase {
            LoadPhase::Stop => flying,
            _ => self.wait_for.clamp(1, flying.max(1)),
        };
        self.queue.enter(want, wait_ns.map(Duration::from_nanos))
    }

    /// Whether anything completed.
    fn reap(&mut self, now: u64) -> bool {
        let before = self.free.len();
        let over = self.window.is_over();
        let tapped = self.shared.tap.is_some() && self.window.is_open();
        self.queue
            .reap_some(self.at_once, |Completion { slot, result }| {
                self.free.push(slot);
                let Some(flight) = self.flights.get(slot as usize) else {
                    return;
                };
                let io = &flight.io;
                let latency_ns = now.saturating_sub(flight.sent_ns);
                if let Some(error) = failure(self.shared.files, io, result) {
                    self.errors += 1;
                    self.failed.get_or_insert(error);
                    return;
                }
                if !over {
                    self.tally.add(io.op, io.bytes, latency_ns);
                }
                if tapped && io.op != QueueOp::Flush {
                    self.parcel.push(flight.sent(latency_ns));
                }
            });
        if self.failed.is_some() {
            self.shared.board.advance(LoadPhase::Stop);
        }
        if self.parcel.len() >= PARCEL {
            self.hand_over();
        }
        self.gauge
            .show(self.tally.read.totals, self.tally.write.totals);
        self.free.len() != before
    }

    fn hand_over(&mut self) {
        if let Some(tap) = self.shared.tap.filter(|_| !self.parcel.is_empty()) {
            tap.sent(self.number, &self.parcel);
        }
        self.parcel.clear();
    }

    fn fail(&mut self, error: Error) {
        let error = match self.shared.files.targets() {
            [only] => error.of_target(only.path()),
            _ => error,
        };
        self.failed.get_or_insert(error);
        self.shared.board.advance(LoadPhase::Stop);
    }
}
