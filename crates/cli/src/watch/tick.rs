//! One interval: what was counted in it, and what iostat would say.

use std::time::{Duration, Instant};

use super::group_names::GroupNames;

use ioalign_core::watch_document::{DeviceFigures, Iostat};
use ioalign_observe::live::diskstats::{self, Disks};
use ioalign_observe::live::{Timeline, Watch, WatchTotals, WatchedDevice};
use ioalign_report::watch as report;

/// An interval.
pub struct Tick<'a> {
    /// The devices.
    pub devices: &'a [WatchedDevice],
    /// The counts.
    pub totals: WatchTotals,
    /// Since the watch began.
    pub all: &'a WatchTotals,
    /// Bursts since the watch began.
    pub timeline: Option<&'a Timeline>,
    /// How long it was.
    pub duration: Duration,
    now: &'a Disks,
    then: Disks,
}

impl Tick<'_> {
    /// The devices in this interval.
    pub fn documents(&self) -> impl Iterator<Item = DeviceFigures> {
        let all = self.devices.iter().zip(&self.totals.devices);
        all.map(|(device, totals)| DeviceFigures {
            iostat: self.iostat(&device.name),
            ..totals.document(device)
        })
    }

    /// What to say of each device on which a layer above reads, merges and writes.
    pub fn overwrites(&self) -> Vec<Option<String>> {
        let all = self.devices.iter().zip(&self.all.devices);
        let said = all.map(|(device, totals)| {
            let found = totals.read_before_overwrite().filter(|found| found.seen)?;
            Some(format!("{}: {}", device.name, report::overwrites(&found)))
        });
        said.collect()
    }

    /// What iostat would print of a device.
    fn iostat(&self, name: &str) -> Iostat {
        match (self.now.get(name), self.then.get(name)) {
            (Some(now), Some(then)) => now.since(then, self.duration),
            _ => Iostat::default(),
        }
    }
}

/// Makes intervals.
pub struct Clock {
    began: Instant,
    last: Instant,
    totals: WatchTotals,
    disks: Disks,
    /// At the beginning.
    first: Disks,
    /// Bursts, where they are counted.
    pub timeline: Option<Timeline>,
}

impl Clock {
    /// Begins now.
    pub fn new(totals: WatchTotals, timeline: Option<Timeline>) -> Self {
        let now = Instant::now();
        Self {
            began: now,
            last: now,
            totals,
            first: diskstats::read(),
            disks: diskstats::read(),
            timeline,
        }
    }

    /// Takes up what the program remembers for a short time only, and names what may soon be gone; to be called every
    /// second.
    pub fn poll(&mut self, watch: &Watch, groups: &mut GroupNames) -> anyhow::Result<()> {
        if self.timeline.is_none() && !groups.are_wanted() {
            return Ok(());
        }
        let totals = watch.totals()?;
        if let Some(timeline) = &mut self.timeline {
            timeline.read(watch, &totals)?;
        }
        groups.look(&totals.groups);
        Ok(())
    }

    /// What iostat would print of a device for the whole time.
    pub fn iostat(&self, name: &str) -> Iostat {
        match (diskstats::read().get(name), self.first.get(name)) {
            (Some(now), Some(then)) => now.since(then, self.elapsed()),
            _ => Iostat::default(),
        }
    }

    /// The counts at the end of the last interval.
    pub const fn totals(&self) -> &WatchTotals {
        &self.totals
    }

    /// Since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The interval since the last one.
    pub fn tick<'a>(&'a mut self, watch: &'a Watch) -> anyhow::Result<Tick<'a>> {
        let (totals, disks, now) = (watch.totals()?, diskstats::read(), Instant::now());
        if let Some(timeline) = &mut self.timeline {
            timeline.read(watch, &totals)?;
        }
        let part = totals.since(&self.totals);
        let duration = now.duration_since(self.last);
        let then = std::mem::replace(&mut self.disks, disks);
        (self.totals, self.last) = (totals, now);
        Ok(Tick {
            devices: watch.devices(),
            totals: part,
            all: &self.totals,
            timeline: self.timeline.as_ref(),
            duration,
            now: &self.disks,
            then,
        })
    }
}
