//! A batch of a worker: what is sent before it, and the queues that are timed.

use super::clock::now_ns;
use super::lane::Lane;
use super::patience::Patience;
use super::places::{IoSpot, PlaceStream};
use super::queued_io::io_of;
use super::span::{Until, WorkerSpan};
use super::stretch::LaneStretch;
use crate::Result;

impl Lane {
    /// A closed batch, or a run of them.
    pub(super) fn batch(&mut self, arm: usize) -> Result<WorkerSpan> {
        self.lead(arm)?;
        self.run.clear();
        for _ in 0..self.stretch.queues {
            let span = self.pump(arm, Until::Sent(self.depth.into()))?;
            self.run.push(span);
        }
        Ok(WorkerSpan::of_queues(&mut self.run))
    }

    /// A walk gets going again: not timed.
    pub(super) fn lead(&mut self, arm: usize) -> Result<()> {
        let LaneStretch { lead, spread, .. } = self.stretch;
        if lead == 0 {
            return Ok(());
        }
        let ios = lead + self.random.below(spread + 1);
        match self.whole(arm, ios * self.stretch.block_bytes) {
            Some(spot) => self.once(spot),
            None => self.pump(arm, Until::Sent(ios)).map(drop),
        }
    }

    /// The next bytes of a walk as one I/O, if a buffer is large enough.
    fn whole(&mut self, arm: usize, bytes: u64) -> Option<IoSpot> {
        let larger = bytes > self.stretch.block_bytes && bytes <= self.stretch.largest_bytes;
        let places = self.arms.get_mut(arm).filter(|_| larger)?;
        PlaceStream::walk(places, bytes.try_into().ok()?)
    }

    /// Reads once, for any depth of the queue.
    fn once(&mut self, spot: IoSpot) -> Result<()> {
        let mut failed = None;
        let mut patience = Patience::new(self.stall, now_ns());
        self.send(io_of(spot, 0, false))?;
        loop {
            let done = self.wait(1, &mut failed, |_| {})?;
            if let Err(error) = patience.look(now_ns(), done != 0) {
                self.give_up();
                return Err(error);
            }
            if done != 0 {
                return failed.map_or(Ok(()), Err);
            }
        }
    }
}
