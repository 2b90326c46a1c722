//! Loads over arrays, in whole nanoseconds: a run is the same on every machine.
//!
//! A closed load keeps a number of requests in flight and sends a new one for each that is complete; an open one sends
//! at its own times. Events are I/Os of disks that are complete, answers of caches and arrivals. Where disks serve in order of
//! arrival (`queues::planned`), the end of an I/O is known when it comes, and a group of I/Os has one event; where they choose (`queues::chosen`) each I/O has one.

mod blocks;
mod cache;
mod calendar;
mod event_loop;
mod interval;
mod latencies;
mod open;
mod own_requests;
mod progress;
mod queues;
mod sending;
mod slot;
mod stages;
mod system;
mod tenant;

use ioalign_core::profile::Latency;
use ioalign_core::workload::Workload;

use crate::disk::DiskModel;
use crate::geometry::ArrayGeometry;
use crate::volume::VolumePlace;
pub use cache::ControllerCache;
pub use event_loop::run_system;
pub use interval::interval;
pub use open::OpenArray;
pub use system::{
    DiskScheduler, ReplayedIo, SimulatedSystem, SimulatedTenant, SystemOutcome, SystemRun,
    TenantLoad, TenantOutcome,
};

/// More requests in flight than this are a mistake.
pub const MOST_IN_FLIGHT: u64 = 1 << 16;

/// One closed load on one array.
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
    /// Requests before those, from a stream of their own.
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
    /// Requests that count.
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
    /// Requests a second.
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

/// Runs to the end.
pub fn run(trial: &SimulationRun) -> Result<SimulationOutcome, String> {
    let place = VolumePlace::behind(trial.start_bytes, trial.geometry.capacity())?;
    let system = SimulatedSystem::of(trial.geometry, trial.disk);
    let tenant = SimulatedTenant {
        load: TenantLoad::Workload(trial.workload),
        place: &place,
        block_bytes: 0,
    };
    let outcome = run_system(&SystemRun {
        system: &system,
        tenants: &[tenant],
        ios: trial.ios,
        warm_up: trial.warm_up,
        seed: trial.seed,
    })?;
    outcome.only().ok_or_else(|| "nothing was run".to_owned())
}
