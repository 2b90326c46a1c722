//! The contents of the screen, without its form.

use std::time::Duration;

use ioalign_core::watch_document::{DeviceFigures, WatchedBursts};
use ioalign_observe::live::WatchedDevice;

use crate::watch::file_names;
use crate::watch::group_names::GroupNames;
use crate::watch::mode::WatchMode;
use crate::watch::tick::Tick;

/// A device and its last interval.
pub struct ShownDevice {
    /// In the last interval; empty before the first.
    pub part: DeviceFigures,
    /// Since the beginning, with its processes and bursts.
    pub all: DeviceFigures,
}

/// Everything on the screen.
pub struct ScreenView {
    /// All devices.
    pub devices: Vec<ShownDevice>,
    /// The one that is looked at.
    pub chosen: usize,
    /// Its figures are those since the beginning.
    pub whole: bool,
    /// How long the last interval was.
    pub last: Duration,
    /// Processes and control groups shown.
    pub mode: WatchMode,
    /// Events lost.
    pub dropped: u64,
}

impl ScreenView {
    /// Before the first interval.
    pub fn new(devices: &[WatchedDevice], interval: Duration, mode: WatchMode) -> Self {
        let empty = |device: &WatchedDevice| DeviceFigures {
            name: device.name.clone(),
            ..DeviceFigures::default()
        };
        let shown = devices.iter().map(|device| ShownDevice {
            part: empty(device),
            all: empty(device),
        });
        Self {
            devices: shown.collect(),
            chosen: 0,
            whole: false,
            last: interval,
            mode,
            dropped: 0,
        }
    }

    /// Takes an interval up.
    pub fn update(&mut self, tick: &Tick, groups: &mut GroupNames) {
        groups.look(&tick.all.groups);
        for (shown, part) in self.devices.iter_mut().zip(tick.documents()) {
            shown.part = part;
        }
        let all = tick.devices.iter().zip(&tick.all.devices).zip(0..);
        for (shown, ((device, totals), slot)) in self.devices.iter_mut().zip(all) {
            let mut processes = tick.totals.owners_of(slot);
            processes.truncate(self.mode.top);
            shown.all = DeviceFigures {
                processes,
                groups: groups.most(tick.all, slot, self.mode.groups),
                files: file_names::most(tick.all, slot, self.mode.files),
                bursts: tick.timeline.map(|time| WatchedBursts {
                    total: time.bursts(slot).1,
                    ..WatchedBursts::default()
                }),
                ..totals.document(device)
            };
        }
        self.last = tick.duration;
        self.dropped = tick.all.dropped();
    }

    /// Moves to another device.
    pub fn choose(&mut self, by: isize) {
        let last = self.devices.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// The device that is looked at.
    pub fn looked_at(&self) -> Option<&ShownDevice> {
        self.devices.get(self.chosen)
    }

    /// Its figures, after the first interval.
    pub fn figures(&self) -> Option<&DeviceFigures> {
        let shown = self.looked_at()?;
        let figures = if self.whole { &shown.all } else { &shown.part };
        (!figures.ops.is_empty()).then_some(figures)
    }
}
