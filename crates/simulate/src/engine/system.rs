//! What is simulated: arrays with a cache before them, and loads on volumes.

use ioalign_core::profile::Latency;
use ioalign_core::workload::Workload;

use super::cache::ControllerCache;
use super::{DiskIoCount, SimulationOutcome};
use crate::disk::DiskModel;
use crate::geometry::ArrayGeometry;
use crate::volume::VolumePlace;

/// The I/O scheduler of the kernel before each disk of an md array: what waits there is joined in either case.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum DiskScheduler {
    /// None: in order of arrival.
    #[default]
    Arrival,
    /// mq-deadline, which also joins two that wait when a third one closes the gap between them.
    Deadline,
}

/// Arrays that are alike, their disks and the controller before them.
#[derive(Clone, Debug)]
pub struct SimulatedSystem<'a> {
    /// Each of the arrays.
    pub geometry: &'a ArrayGeometry,
    /// How many there are; their addresses follow each other.
    pub groups: u32,
    /// Their disks.
    pub disk: &'a DiskModel,
    /// What the kernel has before each of them.
    pub scheduler: DiskScheduler,
    /// The cache; `None`: every request goes to the disks.
    pub cache: Option<&'a ControllerCache>,
    /// What the storage reads and writes as one piece, above the layout of the array: the block of an exported
    /// volume. A part of it is read before it is written. 0: sectors.
    pub unit_bytes: u64,
}

impl<'a> SimulatedSystem<'a> {
    /// One array without anything before it.
    pub const fn of(geometry: &'a ArrayGeometry, disk: &'a DiskModel) -> Self {
        Self {
            geometry,
            groups: 1,
            disk,
            scheduler: DiskScheduler::Arrival,
            cache: None,
            unit_bytes: 0,
        }
    }

    /// Bytes of all arrays.
    pub fn capacity(&self) -> u64 {
        self.geometry.capacity() * u64::from(self.groups)
    }
}

/// One I/O of a trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReplayedIo {
    /// When it was sent, in nanoseconds since the first.
    pub time_ns: u64,
    /// Where on the volume.
    pub at: u64,
    /// How much; not nothing.
    pub len: u64,
    /// Whether it writes.
    pub write: bool,
}

/// Where requests come from.
#[derive(Copy, Clone, Debug)]
pub enum TenantLoad<'a> {
    /// A workload: closed by its queue depth, or open where it has a rate.
    Workload(&'a Workload),
    /// A trace.
    Replay {
        /// In order of time.
        ios: &'a [ReplayedIo],
        /// I/Os in flight; `None`: at the times of the trace.
        depth: Option<u32>,
    },
}

/// A load and its volume.
#[derive(Copy, Clone, Debug)]
pub struct SimulatedTenant<'a> {
    /// The requests.
    pub load: TenantLoad<'a>,
    /// The volume.
    pub place: &'a VolumePlace,
    /// Block of the file system on it, which is read and written as a whole; 0: sectors.
    pub block_bytes: u64,
}

/// A run.
#[derive(Copy, Clone, Debug)]
pub struct SystemRun<'a> {
    /// The arrays.
    pub system: &'a SimulatedSystem<'a>,
    /// The loads, all at the same time.
    pub tenants: &'a [SimulatedTenant<'a>],
    /// How many requests of all of them count.
    pub ios: u64,
    /// Requests before those.
    pub warm_up: u64,
    /// Of the places.
    pub seed: u64,
}

/// What one load got.
#[derive(Clone, Debug)]
pub struct TenantOutcome {
    /// Requests that count.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From sending to completion.
    pub latency: Latency,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct SystemOutcome {
    /// Each load.
    pub tenants: Vec<TenantOutcome>,
    /// From the first request that counts to the end of the last.
    pub elapsed_ns: u64,
    /// The I/Os of each disk, array after array.
    pub disks: Vec<DiskIoCount>,
}

impl SystemOutcome {
    /// The outcome of the only load.
    pub fn only(self) -> Option<SimulationOutcome> {
        let one = self.tenants.into_iter().next()?;
        Some(SimulationOutcome {
            ios: one.ios,
            bytes: one.bytes,
            elapsed_ns: self.elapsed_ns,
            latency: one.latency,
            disks: self.disks,
        })
    }

    /// Requests a second of one load.
    pub fn iops(&self, tenant: &TenantOutcome) -> f64 {
        ioalign_core::units::ratio(tenant.ios, self.elapsed_ns) * 1e9
    }
}
