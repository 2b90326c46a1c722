//! The contents of the screen, without its form.

use std::time::Duration;

use ioalign_core::GridClaim;
use ioalign_core::profile::Bursts;
use ioalign_observe::live::diskstats::Iostat;
use ioalign_observe::live::{DeviceTotals, Owner, WatchedDevice};

use crate::watch::tick::Tick;

/// A device and its last interval.
pub struct Shown {
    /// Its name.
    pub name: String,
    /// Its grids, the unit first.
    pub grids: Vec<GridClaim>,
    /// Of the last interval; none before the first.
    pub part: Option<DeviceTotals>,
    /// Since the beginning.
    pub all: Option<DeviceTotals>,
    /// The numbers of iostat.
    pub iostat: Iostat,
    /// Bursts since the beginning.
    pub bursts: Bursts,
}

/// Everything on the screen.
pub struct View {
    /// All devices.
    pub devices: Vec<Shown>,
    /// The one that is looked at.
    pub chosen: usize,
    /// Its figures are those since the beginning.
    pub whole: bool,
    /// How long the last interval was.
    pub last: Duration,
    /// The processes, since the beginning.
    pub owners: Vec<Owner>,
    /// Processes shown.
    pub top: usize,
    /// Events lost.
    pub dropped: u64,
}

impl View {
    /// Before the first interval.
    pub fn new(devices: &[WatchedDevice], interval: Duration, top: usize) -> Self {
        let shown = devices.iter().map(|device| Shown {
            name: device.name.clone(),
            grids: device.grids.clone(),
            part: None,
            all: None,
            iostat: Iostat::default(),
            bursts: Bursts::default(),
        });
        Self {
            devices: shown.collect(),
            chosen: 0,
            whole: false,
            last: interval,
            owners: Vec::new(),
            top,
            dropped: 0,
        }
    }

    /// Takes an interval up.
    pub fn update(&mut self, tick: &Tick) {
        let totals = tick.totals.devices.iter().zip(&tick.all.devices);
        for ((shown, (part, all)), slot) in self.devices.iter_mut().zip(totals).zip(0..) {
            shown.bursts = tick
                .timeline
                .map(|time| time.bursts(slot).1)
                .unwrap_or_default();
            shown.iostat = tick.iostat(&shown.name);
            shown.part = Some(part.clone());
            shown.all = Some(all.clone());
        }
        self.owners.clone_from(&tick.totals.owners);
        self.last = tick.duration;
        self.dropped = tick.all.dropped();
    }

    /// Moves to another device.
    pub fn choose(&mut self, by: isize) {
        let last = self.devices.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// The device that is looked at, and its figures.
    pub fn looked_at(&self) -> Option<(&Shown, &DeviceTotals)> {
        let shown = self.devices.get(self.chosen)?;
        let figures = if self.whole { &shown.all } else { &shown.part };
        Some((shown, figures.as_ref()?))
    }
}
