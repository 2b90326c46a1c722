//! The watch behind the pages: a second at a time, onto the board.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use ioalign_core::profile::ProcessProfile;
use ioalign_core::watch_document::DeviceFigures;
use ioalign_observe::live::diskstats::{self, Disks};
use ioalign_observe::live::{self, Watch, WatchOptions, WatchTotals};
use ioalign_report::json::pretty;
use ioalign_report::prometheus;
use ioalign_serve::{Board, LiveDevice, LiveMoment};

use crate::say::note;
use crate::watch;
use crate::watch::host::{self, WantedGrids};
use crate::watch::presence::Presence;
use crate::watch::tick::Clock;

const SECOND: Duration = Duration::from_secs(1);
/// Idle time that ends a burst.
const BURST_GAP: Duration = Duration::from_millis(100);
/// The profile and the metrics are made again after so many seconds.
const PROFILE_EVERY: u64 = 2;
/// How often devices are looked for that have gone.
const LOOK_EVERY: u64 = 10;
/// Processes of a device in the profile.
const TOP: usize = 20;

/// How I/O is seen.
pub enum Sight {
    /// Each I/O, by BPF.
    Events(Box<Watch>),
    /// The sums of the kernel alone, and why.
    Sums(String),
}

/// Begins to count, as far as the rights of this process allow.
pub fn start(named: &[String]) -> Result<Sight> {
    let mut devices = host::devices(named)?;
    host::describe(&mut devices, WantedGrids::default())?;
    let wanted = WatchOptions {
        owners: true,
        moments: true,
        devices,
        ..WatchOptions::default()
    };
    Ok(match Watch::start(wanted) {
        Ok(watch) => Sight::Events(Box::new(watch)),
        Err(error) => {
            let reasons = live::missing::reasons(Path::new("/"));
            let all = std::iter::once(error.to_string()).chain(reasons);
            Sight::Sums(all.collect::<Vec<_>>().join(" "))
        }
    })
}

/// Publishes until it is to stop.
pub fn publish(sight: Sight, board: Arc<Board>, stop: Arc<AtomicBool>) {
    let work = move || {
        let why = match sight {
            Sight::Events(watch) => match events(*watch, &board, &stop) {
                Ok(()) => return,
                Err(error) => {
                    note(format_args!("I/O is not counted any more: {error:#}"));
                    error.to_string()
                }
            },
            Sight::Sums(why) => why,
        };
        board.set_profile(Err(why.clone()), BTreeMap::new());
        sums(&why, &board, &stop);
    };
    std::thread::spawn(work);
}

/// Seconds one after the other; a late one is not made up for.
struct Seconds<'a> {
    began: Instant,
    number: u64,
    stop: &'a AtomicBool,
}

impl<'a> Seconds<'a> {
    fn new(stop: &'a AtomicBool) -> Self {
        Self {
            began: Instant::now(),
            number: 0,
            stop,
        }
    }

    /// Waits for the end of the next one; `None`: it is to stop.
    fn next(&mut self) -> Option<u64> {
        let passed = self.began.elapsed().as_secs();
        self.number = self.number.max(passed) + 1;
        let end = SECOND.saturating_mul(u32::try_from(self.number).unwrap_or(u32::MAX));
        std::thread::sleep(end.saturating_sub(self.began.elapsed()));
        (!self.stop.load(Ordering::Relaxed)).then_some(self.number)
    }
}

/// Each I/O is counted.
fn events(watch: Watch, board: &Board, stop: &AtomicBool) -> Result<()> {
    let mut watching = WatchedSeconds {
        clock: Clock::new(watch.totals()?, Some(watch::timeline(&watch, BURST_GAP))),
        others: diskstats::read(),
        owners: HashMap::new(),
        presence: Presence::new(Path::new("/sys"), watch.devices()),
        watch,
    };
    let mut seconds = Seconds::new(stop);
    watching.whole(board);
    while let Some(number) = seconds.next() {
        board.publish(&watching.moment(number)?);
        if number.is_multiple_of(PROFILE_EVERY) {
            watching.whole(board);
        }
        if number.is_multiple_of(LOOK_EVERY) {
            watching.look();
        }
    }
    Ok(())
}

/// A watch, with what the next second is compared with.
struct WatchedSeconds {
    watch: Watch,
    clock: Clock,
    /// The sums of devices and partitions that are not watched.
    others: Disks,
    owners: HashMap<OwnerKey, ProcessProfile>,
    presence: Presence,
}

impl WatchedSeconds {
    fn moment(&mut self, number: u64) -> Result<LiveMoment> {
        let tick = self.clock.tick(&self.watch)?;
        let seconds = tick.duration.as_secs_f64();
        let mut devices: Vec<_> = tick
            .documents()
            .zip(self.watch.devices())
            .map(|(figures, device)| LiveDevice {
                number: Some(device.number),
                is_counted: true,
                figures,
            })
            .collect();
        let processes = recent(&mut self.owners, tick.all);
        for (device, processes) in devices.iter_mut().zip(processes) {
            device.figures.processes = processes;
        }
        let now = diskstats::read();
        let is_watched = |name: &str| self.watch.devices().iter().any(|one| one.name == name);
        let rest = by_sums(&now, &self.others, tick.duration);
        devices.extend(rest.filter(|device| !is_watched(&device.figures.name)));
        self.others = now;
        Ok(LiveMoment {
            number,
            at_ms: now_ms(),
            seconds,
            why_not: None,
            devices,
        })
    }

    /// Everything since the beginning: profile and metrics.
    fn whole(&self, board: &Board) {
        let (totals, duration) = (self.clock.totals(), self.clock.elapsed());
        let timeline = self.clock.timeline.as_ref();
        let mut profile = watch::profile(totals, self.watch.devices(), timeline, duration);
        for device in &mut profile.devices {
            device.processes.truncate(TOP);
        }
        let devices = profile.devices.iter();
        let devices = devices.filter_map(|device| {
            let document = serde_json::to_string(device).ok()?;
            Some((device.device.clone(), document))
        });
        board.set_profile(Ok(pretty(&profile)), devices.collect());
        let all = self.watch.devices().iter().zip(&totals.devices);
        let busy = all.filter(|(_, counted)| counted.ios() > 0);
        let figures: Vec<_> = busy
            .map(|(device, counted)| counted.document(device))
            .collect();
        board.set_watch_metrics(prometheus::counters(&figures, &totals.losses()));
    }

    fn look(&mut self) {
        let seconds = self.clock.elapsed().as_secs_f64();
        let devices = self.watch.devices();
        for text in self.presence.look(Path::new("/sys"), devices, seconds) {
            note(text);
        }
    }
}

/// The sums of the kernel alone.
fn sums(why: &str, board: &Board, stop: &AtomicBool) {
    let mut seconds = Seconds::new(stop);
    let (mut then, mut at) = (diskstats::read(), Instant::now());
    while let Some(number) = seconds.next() {
        let (now, end) = (diskstats::read(), Instant::now());
        let duration = end.duration_since(at);
        board.publish(&LiveMoment {
            number,
            at_ms: now_ms(),
            seconds: duration.as_secs_f64(),
            why_not: Some(why.to_owned()),
            devices: by_sums(&now, &then, duration).collect(),
        });
        (then, at) = (now, end);
    }
}

/// Devices and partitions by the kernel's own sums.
fn by_sums(now: &Disks, then: &Disks, duration: Duration) -> impl Iterator<Item = LiveDevice> {
    now.iter().filter_map(move |(name, counters)| {
        let earlier = then.get(name)?;
        Some(LiveDevice {
            number: Some(counters.number()),
            is_counted: false,
            figures: DeviceFigures {
                name: name.clone(),
                iostat: counters.since(earlier, duration),
                ..DeviceFigures::default()
            },
        })
    })
}

/// A process on a device, by the device's place, the process and its operation.
type OwnerKey = (usize, u32, String);

/// The processes of each device since the last second, most first: the totals are those since the beginning. Processes
/// that the totals have forgotten are forgotten here.
fn recent(
    before: &mut HashMap<OwnerKey, ProcessProfile>,
    totals: &WatchTotals,
) -> Vec<Vec<ProcessProfile>> {
    let mut kept = HashMap::new();
    let mut devices = Vec::new();
    for slot in 0..totals.devices.len() {
        let mut all = Vec::new();
        for now in totals.owners_of(slot) {
            let key = (slot, now.pid, now.op.clone());
            let part = match before.get(&key) {
                Some(then) => since(&now, then),
                None => now.clone(),
            };
            if part.ios > 0 {
                all.push(part);
            }
            kept.insert(key, now);
        }
        all.sort_by_key(|part| std::cmp::Reverse(part.ios));
        devices.push(all);
    }
    *before = kept;
    devices
}

/// The difference; a counter that begins again counts from there.
fn since(now: &ProcessProfile, then: &ProcessProfile) -> ProcessProfile {
    let less = |now: u64, then: u64| now.checked_sub(then).unwrap_or(now);
    let starts = now.start_pow2_histogram.iter();
    let starts = starts.zip(&then.start_pow2_histogram);
    ProcessProfile {
        ios: less(now.ios, then.ios),
        bytes: less(now.bytes, then.bytes),
        start_pow2_histogram: starts.map(|(now, then)| less(*now, *then)).collect(),
        ..now.clone()
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
