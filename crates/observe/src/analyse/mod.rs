//! Counting: what the I/Os of every device do, on every power of two and on the grids asked for.
//!
//! Everything is a counter or a histogram of bounded size; nothing keeps I/Os.

mod below;
pub(crate) mod bursts;
mod cells;
pub(crate) mod clock;
pub(crate) mod course;
pub(crate) mod depth;
pub(crate) mod device;
pub(crate) mod folded;
mod grid;
mod intervals;
pub mod latency;
pub(crate) mod limits;
mod op;
mod outside;
mod overwrites;
mod owners;
pub(crate) mod part;
mod placed;
mod placement;
pub(crate) mod rmw;
pub(crate) mod sampler;
mod sequence;
mod settings;
mod sizes;
pub(crate) mod spans;
mod split;
pub(crate) mod steps;
pub(crate) mod sum;

use std::sync::Arc;

use ioalign_core::profile::{self, DeviceProfile, Profile};

use crate::record::{Io, NameDirectory};
pub use below::StackIndex;
use device::DeviceState;
use limits::DeviceLimits;
pub(crate) use limits::MOST_OWNERS;
pub(crate) use op::power_of;
pub(crate) use overwrites::{is_large, is_small};
pub(crate) use owners::{LISTED as LISTED_PROCESSES, others as other_processes};
pub(crate) use placed::tier;
use placement::DevicePlacement;
pub use settings::AnalysisSettings;

/// The counters of all devices.
pub struct Analysis {
    settings: Arc<AnalysisSettings>,
    /// The places of devices that have not issued anything yet.
    placements: Vec<Option<DevicePlacement>>,
    absolute: bool,
    devices: Vec<Option<Box<DeviceState>>>,
    seen: usize,
    first: Option<i64>,
    last: i64,
    events: u64,
}

impl Analysis {
    /// Nothing counted yet.
    pub fn new(settings: &AnalysisSettings) -> Self {
        Self {
            settings: Arc::new(settings.clone()),
            placements: Vec::new(),
            absolute: false,
            devices: Vec::new(),
            seen: 0,
            first: None,
            last: i64::MIN,
            events: 0,
        }
    }

    /// Sectors are those of the whole disk also for partitions, as the kernel's block layer has them.
    pub const fn set_absolute(&mut self, absolute: bool) {
        self.absolute = absolute;
    }

    /// Looks up devices that have become known; before their I/O is counted.
    pub fn meet(&mut self, directory: &NameDirectory) {
        while self.placements.len() < directory.device_count() {
            let number = u32::try_from(self.placements.len()).unwrap_or(u32::MAX);
            let device = directory.device_of(number);
            let placement = self.settings.placement(device, self.absolute);
            self.placements.push(Some(placement));
        }
    }

    /// Counts I/Os, in the order of issue.
    pub fn add(&mut self, ios: &[Io]) {
        self.events += ios.len() as u64;
        // Runs of one device: the state is looked up once a run.
        for run in ios.chunk_by(|a, b| a.device == b.device) {
            let Some(first) = run.first() else { continue };
            self.first.get_or_insert(first.time);
            let last = self.state(first.device).add(run);
            self.last = self.last.max(last);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        self.state(io.device).add_latency(io);
        self.last = self.last.max(io.end());
    }

    /// All counters, with the names of devices and processes; nothing is counted afterwards.
    pub fn profile(&mut self, directory: &NameDirectory) -> Profile {
        // Each gives its memory back before the next one says: profiles of many devices are large too.
        let stated = |(state, number): (Option<Box<DeviceState>>, u32)| {
            Some(state?.profile(number, directory))
        };
        let states = std::mem::take(&mut self.devices).into_iter().zip(0_u32..);
        let mut devices: Vec<_> = states.filter_map(stated).collect();
        devices.sort_by(|a, b| a.device.cmp(&b.device));
        let origin = self.first.unwrap_or(0);
        devices
            .iter_mut()
            .for_each(|device| on_clock(device, origin));
        let duration = u64::try_from(self.last.saturating_sub(origin)).unwrap_or(0);
        let mut profile = Profile {
            schema: profile::SCHEMA.to_owned(),
            source: "trace".to_owned(),
            duration_us: duration / 1000,
            events: self.events,
            devices,
            ..Profile::default()
        };
        profile.judge();
        profile
    }

    fn state(&mut self, number: u32) -> &mut DeviceState {
        let index = usize::try_from(number).unwrap_or(0);
        if index >= self.devices.len() {
            self.devices.resize_with(index + 1, || None);
        }
        // Indexing is in bounds: the line above sees to it, and numbers come from a bounded directory.
        #[allow(clippy::indexing_slicing)]
        let slot = &mut self.devices[index];
        slot.get_or_insert_with(|| {
            let met = self.placements.get_mut(index).and_then(Option::take);
            let placement = met.unwrap_or_else(|| self.settings.placement(None, self.absolute));
            let limits = match self.settings.mergeable {
                true => DeviceLimits::mergeable(self.seen),
                false => DeviceLimits::after(self.seen),
            };
            self.seen += 1;
            let origin = self.first.unwrap_or(0);
            Box::new(DeviceState::new(&self.settings, placement, origin, limits))
        })
    }
}

/// Samples and steps at multiples of their width on the clock, where the profile is to be merged.
fn on_clock(device: &mut DeviceProfile, origin: i64) {
    let Some(part) = device.part.take() else {
        return;
    };
    // What has too many pieces to be merged is known of one run alone.
    let (bursts, total) = (device.bursts.clone(), device.bursts_total);
    course::fill(device, &part, origin);
    if part.bursts.is_none() || part.busy.is_none() {
        (device.bursts, device.bursts_total) = (bursts, total);
    }
    device.part = Some(part);
}

#[cfg(test)]
mod tests;
