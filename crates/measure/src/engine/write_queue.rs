//! A queue that writes a batch to the first file and flushes it.

use std::time::Duration;

use super::closed::complete;
use super::files::Files;
use super::lane::gone;
use super::options::{Api, EngineOptions};
use super::queue::Queue;
use super::queued_io::{QueueOp, QueueSetup, QueuedIo};
use crate::Result;
use crate::data::Filler;

pub(super) struct WriteQueue {
    queue: Option<Queue>,
    each: u32,
    ios: Vec<QueuedIo>,
}

impl WriteQueue {
    /// For batches of at most `depth` writes of `each` bytes.
    pub(super) fn new(
        files: &Files,
        depth: u32,
        each: u64,
        options: &EngineOptions,
    ) -> Result<Self> {
        // A batch is in flight as a whole, which pwrite cannot have.
        let options = EngineOptions {
            api: Some(Api::Uring),
            ..options.clone()
        };
        let each = u32::try_from(each).unwrap_or(u32::MAX);
        let setup = QueueSetup {
            files,
            depth,
            largest_bytes: each,
            options: &options,
        };
        Ok(Self {
            queue: Some(Queue::open(&setup, &mut Vec::new())?),
            each,
            ios: Vec::with_capacity(depth as usize),
        })
    }

    /// New content for writes to these offsets.
    pub(super) fn prepare(
        &mut self,
        op: QueueOp,
        offsets: &[u64],
        filler: &mut Filler,
    ) -> Result<()> {
        let queue = self.queue.as_mut().ok_or_else(gone)?;
        self.ios.clear();
        for (slot, offset) in (0..queue.depth()).zip(offsets) {
            filler.fill(queue.buffer(slot));
            self.ios.push(QueuedIo {
                slot,
                op,
                file: 0,
                offset: *offset,
                bytes: self.each,
            });
        }
        Ok(())
    }

    /// Writes what was prepared, then flushes the file: the nanoseconds of both.
    pub(super) fn durable(&mut self, files: &Files, stall: Duration) -> Result<u64> {
        let written = complete(&mut self.queue, files, &self.ios, stall)?;
        Ok(written + complete(&mut self.queue, files, &[QueuedIo::flush(0, 0)], stall)?)
    }
}
