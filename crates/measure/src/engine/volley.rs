//! A real device for a probe: batches whose places the probe chooses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ioalign_core::workload::Data;
use ioalign_device::{Target, TargetKind};

use super::closed::complete;
use super::files::Files;
use super::lane::gone;
use super::options::{Api, EngineOptions};
use super::queue::Queue;
use super::queued_io::{QueueOp, QueueSetup, QueuedIo};
use crate::data::Filler;
use crate::probe::{ProbeIo, TimedDevice};
use crate::{Error, ErrorKind, Result};

/// I/Os in a batch.
const DEPTH: u32 = 32;
/// The largest of them.
const LARGEST: u32 = 128 << 10;

/// A device or a file, past the page cache. It belongs to the thread that made it, as rings do.
pub struct Volley {
    files: Files,
    queue: Option<Queue>,
    filler: Filler,
    write: bool,
    size: u64,
    sector: u64,
    stall: Duration,
    begun: Instant,
    /// By slot.
    ios: Vec<QueuedIo>,
    notes: Vec<String>,
}

impl Volley {
    /// Checks that the target can be probed, and gets the queue ready.
    pub fn new(target: &Arc<Target>, options: &EngineOptions) -> Result<Self> {
        let refused = |what: &str| {
            Error::new(ErrorKind::Unsupported, what.to_owned()).of_target(target.path())
        };
        if target.kind() == TargetKind::Folder {
            return Err(refused("is a folder: a probe needs a device or a file"));
        }
        let direct = target.direct().ok_or_else(|| {
            refused("cannot be read past the page cache, whose times say nothing of a device")
        })?;
        let files = Files::new(std::slice::from_ref(target));
        // With one I/O at a time nothing waits for anything.
        let options = EngineOptions {
            api: Some(Api::Uring),
            ..options.clone()
        };
        let mut notes = Vec::new();
        let queue = Queue::open(
            &QueueSetup {
                files: &files,
                depth: DEPTH,
                largest_bytes: LARGEST,
                options: &options,
            },
            &mut notes,
        )?;
        if queue.depth() < DEPTH {
            return Err(refused("takes too few I/Os at once for a probe"));
        }
        Ok(Self {
            files,
            queue: Some(queue),
            filler: Filler::new(&Data::default(), options.seed, 0)?,
            write: options.write && target.writable(),
            size: target.size_bytes(),
            sector: direct.offset_bytes.max(512),
            stall: options.stall,
            begun: Instant::now(),
            ios: Vec::with_capacity(DEPTH as usize),
            notes,
        })
    }

    /// Notes for the reader of a report.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Makes the I/Os of a batch, with the content of what is written.
    fn prepare(&mut self, batch: &[ProbeIo]) -> Result<()> {
        self.ios.clear();
        let queue = self.queue.as_mut().ok_or_else(gone)?;
        for (slot, io) in (0..DEPTH).zip(batch) {
            if io.write && !self.write {
                let what = "a probe would write, which was not allowed";
                return Err(Error::new(ErrorKind::Refused, what));
            }
            if io.write {
                let buffer = queue.buffer(slot);
                let part = buffer.len().min(io.bytes as usize);
                self.filler.fill(buffer.get_mut(..part).unwrap_or_default());
            }
            self.ios.push(QueuedIo {
                slot,
                op: if io.write {
                    QueueOp::Write
                } else {
                    QueueOp::Read
                },
                file: 0,
                offset: io.offset,
                bytes: io.bytes,
            });
        }
        Ok(())
    }
}

impl TimedDevice for Volley {
    fn size_bytes(&self) -> u64 {
        self.size / self.sector * self.sector
    }

    fn sector_bytes(&self) -> u64 {
        self.sector
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    fn time(&mut self, batch: &[ProbeIo]) -> Result<u64> {
        self.prepare(batch)?;
        complete(&mut self.queue, &self.files, &self.ios, self.stall)
    }

    fn settle(&mut self) -> Result<()> {
        self.files.evict()
    }
}
