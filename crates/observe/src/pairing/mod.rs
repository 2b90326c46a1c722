//! Issue and completion joined to one I/O, in the order of issue.
//!
//! An I/O is found by its device and start. Drivers may work in several steps, which are followed:
//! partial completions, requests that are returned and issued again, two requests at one place. I/Os
//! leave in the order of issue, most with their latency. One that takes longer than the window is
//! counted when it leaves, and its latency when it is known.

mod flight;
mod stage;

pub use stage::CountedStage;

use crate::record::{Io, NO_LATENCY, RecordKind, TraceRecord};
use flight::InFlightTable;
use stage::Stages;

/// I/Os in half of the window at first: it stays in the cache.
const FIRST_HALF: usize = 1 << 11;
/// I/Os in half of the window later, if they take longer than that.
const HALF: usize = 1 << 15;

/// I/Os of which a part has completed that are remembered.
const MOST_PARTLY: usize = 1 << 16;

/// The destination of I/Os.
pub trait IoSink {
    /// I/Os in the order of issue.
    fn ios(&mut self, ios: &[Io]);
    /// The latency of an I/O that has been given without.
    fn late(&mut self, io: &Io);
}

/// Records that did not pair.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct UnpairedEvents {
    /// Issued, and never completed in this trace.
    pub without_completion: u64,
    /// Completed, and issued before the trace began.
    pub without_issue: u64,
    /// Given back by the driver and issued again.
    pub requeued: u64,
    /// Completions of a part.
    pub partial: u64,
}

impl UnpairedEvents {
    /// The same in the words of the profile, with the rows that were too late to be put in order.
    pub const fn named(&self, late: u64) -> ioalign_core::profile::Unpaired {
        ioalign_core::profile::Unpaired {
            without_completion: self.without_completion,
            without_issue: self.without_issue,
            requeued: self.requeued,
            partial: self.partial,
            late,
        }
    }
}

/// Joins the events of all devices.
pub struct Pairing {
    stages: Stages,
    flight: InFlightTable,
    older: Vec<Io>,
    newer: Vec<Io>,
    half: usize,
    /// Number of the first I/O in `older`.
    base: u64,
    /// I/Os that left the window in flight.
    gone: std::collections::HashMap<u64, Io>,
    /// I/Os of which a part has completed: what is left of them is in flight at another place.
    partly: std::collections::HashSet<u64>,
    /// Records that did not pair.
    pub unpaired: UnpairedEvents,
}

impl Pairing {
    /// Counts I/Os at `stage`; without one, where the driver gets them if the trace has that.
    pub fn new(stage: Option<CountedStage>) -> Self {
        Self {
            stages: Stages::new(stage),
            flight: InFlightTable::default(),
            older: Vec::with_capacity(FIRST_HALF),
            newer: Vec::with_capacity(FIRST_HALF),
            half: FIRST_HALF,
            base: 0,
            gone: std::collections::HashMap::new(),
            partly: std::collections::HashSet::new(),
            unpaired: UnpairedEvents::default(),
        }
    }

    /// Whether none waits for its completion here.
    pub const fn is_empty(&self) -> bool {
        self.older.is_empty() && self.newer.is_empty()
    }

    /// Takes records in time order.
    pub fn push(&mut self, records: &[TraceRecord], sink: &mut dyn IoSink) {
        for run in records.chunk_by(|a, b| a.io.device == b.io.device) {
            let Some(first) = run.first() else { continue };
            let queue = self.stages.counts_queue(first.io.device, records);
            for record in run {
                self.one(record, queue, sink);
            }
        }
    }

    #[inline]
    fn one(&mut self, record: &TraceRecord, queue: bool, sink: &mut dyn IoSink) {
        let io = &record.io;
        match record.kind {
            RecordKind::Whole => {
                self.room(sink);
                self.newer.push(*io);
            }
            RecordKind::Queue | RecordKind::Issue
                if queue == (record.kind == RecordKind::Queue) =>
            {
                let issuer = if queue { None } else { self.stages.recall(io) };
                self.begin(io, issuer.unwrap_or(io.process), sink);
            }
            RecordKind::Queue => self.stages.remember(io),
            RecordKind::Issue => {}
            RecordKind::Complete => self.complete(io, sink),
            RecordKind::Requeue => self.requeue(io),
        }
    }

    #[inline]
    fn begin(&mut self, io: &Io, process: u32, sink: &mut dyn IoSink) {
        let number = self.base + (self.older.len() + self.newer.len()) as u64;
        let new = if io.op.has_place() && io.len > 0 {
            self.flight.begin(io, number)
        } else {
            !self.flight.again(io)
        };
        if new {
            self.room(sink);
            self.newer.push(Io { process, ..*io });
        }
    }

    #[inline]
    fn complete(&mut self, io: &Io, sink: &mut dyn IoSink) {
        // Of nothing: the parent of a flush, which itself was never issued.
        if !io.op.has_place() || io.len == 0 {
            return;
        }
        match self.flight.complete_one(io) {
            Some(number) => self.finish_one(number, io.time, sink),
            None => self.complete_more(io, sink),
        }
    }

    /// A completion of a part, or of several, or of what waits with others at one place.
    #[inline(never)]
    fn complete_more(&mut self, io: &Io, sink: &mut dyn IoSink) {
        let Some(mut done) = self.flight.complete(io) else {
            self.unpaired.without_issue += 1;
            return;
        };
        let mut rest = *io;
        loop {
            if done.whole {
                self.finish_one(done.number, io.time, sink);
            } else {
                self.unpaired.partial += 1;
                if self.partly.len() < MOST_PARTLY {
                    self.partly.insert(done.number);
                }
            }
            // One completion of a merged request ends all bios in it.
            rest.offset = rest.offset.saturating_add(u64::from(done.bytes));
            rest.len -= done.bytes;
            if rest.len == 0 || done.bytes == 0 {
                return;
            }
            match self.flight.complete(&rest) {
                Some(next) => done = next,
                None => return,
            }
        }
    }

    #[inline]
    fn finish_one(&mut self, number: u64, time: i64, sink: &mut dyn IoSink) {
        if !self.partly.is_empty() {
            self.partly.remove(&number);
        }
        if let Some(io) = self.slot(number) {
            io.latency = since(time, io);
        } else {
            self.finish_late(number, time, sink);
        }
    }

    #[cold]
    #[inline(never)]
    fn finish_late(&mut self, number: u64, time: i64, sink: &mut dyn IoSink) {
        if let Some(mut io) = self.gone.remove(&number) {
            io.latency = since(time, &io);
            sink.late(&io);
        }
    }

    fn requeue(&mut self, io: &Io) {
        if self.flight.requeue(io) {
            self.unpaired.requeued += 1;
        }
    }

    #[inline]
    fn slot(&mut self, number: u64) -> Option<&mut Io> {
        let index = usize::try_from(number.checked_sub(self.base)?).ok()?;
        let older = self.older.len();
        if index < older {
            self.older.get_mut(index)
        } else {
            self.newer.get_mut(index - older)
        }
    }

    #[inline]
    fn room(&mut self, sink: &mut dyn IoSink) {
        if self.newer.len() >= self.half {
            self.make_room(sink);
        }
    }

    /// Gives the older ones, or makes the window longer where some of them are in flight.
    #[inline(never)]
    fn make_room(&mut self, sink: &mut dyn IoSink) {
        if self.half < HALF && self.in_flight().next().is_some() {
            self.half *= 2;
        } else {
            self.give_older(sink);
        }
    }

    /// The older ones that are in flight, with their numbers.
    fn in_flight(&self) -> impl Iterator<Item = (u64, Io)> {
        let older = (self.base..).zip(&self.older);
        let waiting = older.filter(|(number, io)| {
            io.latency == NO_LATENCY
                && (self.flight.has(io, *number) || self.partly.contains(number))
        });
        waiting.map(|(number, io)| (number, *io))
    }

    fn give_older(&mut self, sink: &mut dyn IoSink) {
        let gone: Vec<_> = self.in_flight().collect();
        self.gone.extend(gone);
        sink.ios(&self.older);
        self.base += self.older.len() as u64;
        self.older.clear();
        std::mem::swap(&mut self.older, &mut self.newer);
    }

    /// Gives what is left.
    pub fn finish(&mut self, sink: &mut dyn IoSink) {
        self.give_older(sink);
        self.give_older(sink);
        self.unpaired.without_completion = self.flight.len() as u64;
    }
}

/// How long it took, where it ended at `time`.
#[inline]
fn since(time: i64, io: &Io) -> u64 {
    u64::try_from(time.saturating_sub(io.time)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
