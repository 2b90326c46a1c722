//! A closed loop: a number of requests in flight, and a new one for each that is complete.
//!
//! The only events are I/Os that a disk finishes: each queue has at most one under way. Time is in whole
//! nanoseconds, so a run is the same on every machine.

mod clock;
mod interval;
mod latencies;
mod open;
mod progress;
mod queues;

use ioalign_core::profile::Latency;
use ioalign_core::workload::Workload;

use crate::disk::DiskModel;
use crate::geometry::ArrayGeometry;
use crate::requests::{ArrayRequest, RequestStream};
pub use interval::interval;
use latencies::LatencyBuckets;
pub use open::OpenArray;
use progress::RequestProgress;
use queues::{DiskQueues, QueuedIo};

/// More requests in flight than this are a mistake.
pub const MOST_IN_FLIGHT: u64 = 1 << 16;

/// What is run.
#[derive(Clone, Debug)]
pub struct SimulationRun<'a> {
    /// The array.
    pub geometry: &'a ArrayGeometry,
    /// Its disks.
    pub disk: &'a DiskModel,
    /// The requests.
    pub workload: &'a Workload,
    /// Where the partition starts.
    pub start_bytes: u64,
    /// How many requests count.
    pub ios: u64,
    /// RequestStream before those, from a stream of their own.
    pub warm_up: u64,
    /// Of the places.
    pub seed: u64,
}

/// I/Os of one disk.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskIoCount {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct SimulationOutcome {
    /// RequestStream that count.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From the first of them to the end of the last.
    pub elapsed_ns: u64,
    /// From sending to completion.
    pub latency: Latency,
    /// The I/Os of each disk.
    pub disks: Vec<DiskIoCount>,
}

impl SimulationOutcome {
    /// RequestStream a second.
    pub fn iops(&self) -> f64 {
        ioalign_core::units::ratio(self.ios, self.elapsed_ns) * 1e9
    }

    /// The mean of the requests.
    pub fn bytes_per_io(&self) -> f64 {
        ioalign_core::units::ratio(self.bytes, self.ios)
    }

    /// I/Os of disks for each request.
    pub fn disk_ios_per_io(&self) -> f64 {
        let all = self.disks.iter().map(|disk| disk.reads + disk.writes).sum();
        ioalign_core::units::ratio(all, self.ios)
    }
}

/// A place in the queue of the workload.
#[derive(Debug, Default)]
struct LoadSlot {
    progress: RequestProgress,
    sent_at: u64,
    counts: bool,
    worker: usize,
}

struct ClosedLoop<'a> {
    trial: &'a SimulationRun<'a>,
    queues: DiskQueues,
    slots: Vec<LoadSlot>,
    requests: RequestStream,
    warm_up: RequestStream,
    warm_up_left: u64,
    left: u64,
    /// When the first request that counts was sent.
    began: Option<u64>,
    ended: u64,
    bytes: u64,
    latencies: LatencyBuckets,
}

/// Runs to the end.
pub fn run(trial: &SimulationRun) -> Result<SimulationOutcome, String> {
    let mut engine = ClosedLoop::new(trial)?;
    for slot in 0..engine.slots.len() {
        engine.send(slot);
        engine.queues.start_touched();
    }
    while let Some(mut done) = engine.queues.next_done() {
        while let Some(pending) = engine.queues.take(&mut done) {
            engine.finished(pending);
        }
        engine.queues.start_touched();
    }
    Ok(SimulationOutcome {
        ios: trial.ios,
        bytes: engine.bytes,
        elapsed_ns: engine.ended - engine.began.unwrap_or(0),
        latency: engine.latencies.summary(),
        disks: engine.queues.counts(),
    })
}

impl<'a> ClosedLoop<'a> {
    fn new(trial: &'a SimulationRun) -> Result<Self, String> {
        let workload = trial.workload;
        let capacity = trial.geometry.capacity();
        let region = capacity
            .checked_sub(trial.start_bytes)
            .filter(|rest| *rest > 0);
        let past = || {
            format!(
                "a start at {} is past the array's {capacity} bytes",
                trial.start_bytes
            )
        };
        let region = region.ok_or_else(past)?;
        if !trial.start_bytes.is_multiple_of(512) {
            return Err(format!(
                "a start at {} bytes is not at a whole sector",
                trial.start_bytes
            ));
        }
        let workers = u64::from(workload.workers.max(1));
        let depth = u64::from(workload.queue_depth.max(1));
        if workers * depth > MOST_IN_FLIGHT {
            return Err(format!(
                "at most {MOST_IN_FLIGHT} I/Os are in flight, not {}",
                workers * depth
            ));
        }
        let slots = (0..workers * depth).map(|slot| LoadSlot {
            worker: usize::try_from(slot % workers).unwrap_or(0),
            ..LoadSlot::default()
        });
        Ok(Self {
            trial,
            queues: DiskQueues::new(trial.geometry, trial.disk, trial.seed),
            slots: slots.collect(),
            requests: RequestStream::new(workload, region, trial.seed)?,
            warm_up: RequestStream::new(workload, region, !trial.seed)?,
            warm_up_left: trial.warm_up,
            left: trial.ios,
            began: None,
            ended: 0,
            bytes: 0,
            latencies: LatencyBuckets::new(),
        })
    }

    /// The next request of a slot, if there is one.
    #[inline]
    fn send(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let request = if self.warm_up_left > 0 {
            self.warm_up_left -= 1;
            slot.counts = false;
            self.warm_up.next(slot.worker)
        } else if self.left > 0 {
            self.left -= 1;
            slot.counts = true;
            self.began.get_or_insert(self.queues.now());
            self.requests.next(slot.worker)
        } else {
            return;
        };
        if slot.counts {
            self.bytes += request.len;
        }
        slot.sent_at = self.queues.now();
        let request = ArrayRequest {
            at: self.trial.start_bytes + request.at,
            ..request
        };
        slot.progress
            .begin(&mut self.queues, request, index, slot.counts);
    }

    /// An I/O of a disk is complete, and maybe its request with it.
    #[inline]
    fn finished(&mut self, done: QueuedIo) {
        let index = done.slot();
        let slot = &mut self.slots[index];
        if slot.progress.finished(&mut self.queues, done, slot.counts) {
            let now = self.queues.now();
            if slot.counts {
                self.latencies.add(now - slot.sent_at);
                self.ended = now;
            }
            self.send(index);
        }
    }
}
