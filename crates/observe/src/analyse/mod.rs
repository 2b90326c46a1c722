//! Counting: what the I/Os of every device do, on every power of two and on the grids asked for.
//!
//! Everything is a counter or a histogram of bounded size; nothing keeps I/Os.

mod device;
mod grid;
pub mod latency;
mod op;
mod sequence;
mod sizes;

use ioalign_core::GridSpec;
use ioalign_core::profile::{self, Profile};

use crate::pipeline::Directory;
use crate::record::Io;
use device::DeviceState;
pub(crate) use op::power_of;

/// What is counted.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Grids to judge against, beside all powers of two.
    pub grids: Vec<GridSpec>,
    /// Added to every offset: where the traced device starts on the one that is judged.
    pub shift: i64,
    /// Whether I/O is counted by process too.
    pub processes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grids: vec![GridSpec::assumed_block()],
            shift: 0,
            processes: true,
        }
    }
}

/// The counters of all devices.
pub struct Analysis {
    settings: Settings,
    devices: Vec<Option<Box<DeviceState>>>,
    first: Option<i64>,
    last: i64,
    events: u64,
}

impl Analysis {
    /// Nothing counted yet.
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            devices: Vec::new(),
            first: None,
            last: i64::MIN,
            events: 0,
        }
    }

    /// Counts I/Os, in the order of issue.
    pub fn add(&mut self, ios: &[Io]) {
        self.events += ios.len() as u64;
        // Runs of one device: the state is looked up once a run.
        for run in ios.chunk_by(|a, b| a.device == b.device) {
            let Some(first) = run.first() else { continue };
            self.first = Some(self.first.map_or(first.time, |t| t.min(first.time)));
            let state = state(&mut self.devices, first.device, &self.settings);
            for io in run {
                state.add(io);
            }
            let end = run.iter().map(end).max().unwrap_or(i64::MIN);
            self.last = self.last.max(end);
        }
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        state(&mut self.devices, io.device, &self.settings).add_latency(io);
        self.last = self.last.max(end(io));
    }

    /// All counters, with the names of devices and processes.
    pub fn profile(&self, directory: &Directory) -> Profile {
        let states = self.devices.iter().zip(0_u32..);
        let mut devices: Vec<_> = states
            .filter_map(|(state, number)| Some(state.as_ref()?.profile(number, directory)))
            .collect();
        devices.sort_by(|a, b| a.device.cmp(&b.device));
        let first = self.first.unwrap_or(0);
        let duration = u64::try_from(self.last.saturating_sub(first)).unwrap_or(0);
        Profile {
            schema: profile::SCHEMA.to_owned(),
            source: "trace".to_owned(),
            duration_us: duration / 1000,
            events: self.events,
            dropped: 0,
            devices,
        }
    }
}

fn end(io: &Io) -> i64 {
    let latency = i64::try_from(io.latency).unwrap_or(0);
    io.time.saturating_add(latency)
}

fn state<'a>(
    devices: &'a mut Vec<Option<Box<DeviceState>>>,
    number: u32,
    settings: &Settings,
) -> &'a mut DeviceState {
    let index = usize::try_from(number).unwrap_or(0);
    if index >= devices.len() {
        devices.resize_with(index + 1, || None);
    }
    // Indexing is in bounds: the line above sees to it, and numbers come from a bounded directory.
    #[allow(clippy::indexing_slicing)]
    devices[index].get_or_insert_with(|| Box::new(DeviceState::new(settings)))
}
