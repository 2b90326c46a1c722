//! `ioalign watch`: what I/O does now.

mod command_group;
pub mod confine;
mod fallback;
mod file_names;
mod gate;
mod group_names;
pub mod host;
mod only_files;
pub mod presence;
mod record;
mod screen;
pub mod tick;

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use ioalign_core::machine::Machine;
use ioalign_core::numbers::thousands;
use ioalign_core::profile::{AssertionOutcome, Profile};
use ioalign_core::watch_document::{DeviceFigures, Iostat, WatchSummary, WatchedPart};
use ioalign_observe::live::{
    self, Means, Samples, Timeline, Watch, WatchOptions, WatchTotals, WatchedDevice,
};
use ioalign_report::{machine, watch as report};

use crate::args::{By, WatchArgs};
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::look;
use crate::say::note;
use gate::WatchGate;
use group_names::GroupNames;
use only_files::OnlyFiles;
use presence::Presence;
use record::WatchRecord;
use tick::Clock;

/// How long the program may be left alone that remembers moments.
const POLL: Duration = Duration::from_secs(1);
/// Processes of the full screen.
const TOP: usize = 5;
/// Bytes of the ring that single I/Os come through.
const SAMPLES_RING: u32 = 1 << 20;

/// Runs the verb.
pub fn run(arguments: &WatchArgs) -> Result<Exit> {
    let interrupt = Interrupt::watched()?;
    let mut devices = host::devices(&arguments.devices)?;
    let wanted = host::WantedGrids {
        unit: arguments.unit.as_ref(),
        grids: &arguments.grid,
    };
    let parts = host::describe(&mut devices, wanted)?;
    let machine = machine_of(&devices);
    let mode = WatchMode::of(arguments);
    let only_files = OnlyFiles::open(arguments)?;
    let mut gate = WatchGate::prepare(arguments)?;
    let wanted = WatchOptions {
        owners: mode.top > 0,
        groups: mode.groups > 0,
        files: mode.files > 0,
        bio_ends: file_names::functions(arguments)?,
        only_files: only_files.identities(),
        ring: mode.ring(arguments),
        events: arguments.record.is_some(),
        sample_every: arguments.straddling.unwrap_or(0),
        moments: mode.gap.is_some(),
        cost: arguments.cost,
        only_group: gate.only_group()?,
        plain: arguments.by == Some(By::Tracepoint),
        devices: devices.clone(),
    };
    let groups = GroupNames::prepare(arguments)?;
    if arguments.by == Some(By::Tracefs) {
        if gate.needs_bpf() {
            let why = "--assert, --cgroup, --file and a command need BPF, not --by tracefs";
            return Err(UsageError(why.to_owned()).into());
        }
        groups.not_told();
        return fallback::run(arguments, &devices, machine, &interrupt);
    }
    match Watch::start(wanted) {
        Ok(watch) => {
            // A command has all rights anyway, and its control group is removed with them; a JUnit file may lie anywhere.
            if !gate.has_command()
                && arguments.junit.is_none()
                && let Err(error) = confine::confine(arguments.record.as_deref())
            {
                note(format_args!("it keeps all of its rights: {error:#}"));
            }
            gate.begin()?;
            WatchSession::new(arguments, mode, (parts, machine), (watch, gate, groups))?
                .run(&interrupt)
        }
        Err(error) => {
            note(&error);
            for reason in live::missing::reasons(Path::new("/")) {
                note(reason);
            }
            if arguments.by.is_some() || gate.needs_bpf() {
                return Ok(Exit::Unreadable);
            }
            groups.not_told();
            fallback::run(arguments, &devices, machine, &interrupt)
        }
    }
}

/// How figures are shown.
#[derive(Copy, Clone, Debug)]
struct WatchMode {
    screen: bool,
    intervals: bool,
    top: usize,
    groups: usize,
    files: usize,
    /// The end of a burst.
    gap: Option<Duration>,
}

impl WatchMode {
    fn of(arguments: &WatchArgs) -> Self {
        let quiet = !arguments.assert.is_empty() || !arguments.command.is_empty();
        let lines = arguments.line || arguments.json || arguments.straddling.is_some() || quiet;
        let screen = !lines && std::io::stdout().is_terminal();
        let usual = if screen { TOP } else { 0 };
        Self {
            screen,
            // The figures of intervals would stand between the lines of the command.
            intervals: !arguments.json && (arguments.line || !quiet),
            top: arguments.top.unwrap_or(usual),
            groups: arguments.groups.unwrap_or(0),
            files: arguments.files.unwrap_or(0),
            gap: arguments.burst_gap.0,
        }
    }

    /// Bytes of the ring of events.
    fn ring(self, arguments: &WatchArgs) -> Option<u32> {
        let samples = arguments.straddling.map(|_| SAMPLES_RING);
        arguments
            .record
            .as_ref()
            .map(|_| arguments.ring)
            .or(samples)
    }
}

/// A watch from beginning to end.
struct WatchSession<'a> {
    arguments: &'a WatchArgs,
    mode: WatchMode,
    /// What begins on each device.
    parts: Vec<Vec<WatchedPart>>,
    machine: Option<Machine>,
    watch: Watch,
    gate: WatchGate<'a>,
    groups: GroupNames,
    record: Option<WatchRecord>,
    samples: Option<Samples>,
    clock: Clock,
    presence: Presence,
    /// Said at the end, where the screen is full.
    held_back: Vec<String>,
    /// Devices whose read-modify-write has been named.
    named: Vec<bool>,
}

impl<'a> WatchSession<'a> {
    fn new(
        arguments: &'a WatchArgs,
        mode: WatchMode,
        (parts, machine): (Vec<Vec<WatchedPart>>, Option<Machine>),
        (mut watch, gate, groups): (Watch, WatchGate<'a>, GroupNames),
    ) -> Result<Self> {
        if watch.means() == Means::Plain {
            note("no type information: plain tracepoints, latencies by device and sector");
            groups.not_told();
        }
        let record = match &arguments.record {
            Some(path) => Some(WatchRecord::start(&mut watch, path, arguments.replace)?),
            None => None,
        };
        // The programs are attached now: I/O after this line is counted.
        if !mode.screen {
            note(watching(watch.devices()));
        }
        let samples = arguments.straddling.map(|_| Samples::start(&mut watch));
        let timeline = mode.gap.map(|gap| timeline(&watch, gap));
        let clock = Clock::new(watch.totals()?, timeline);
        Ok(Self {
            presence: Presence::new(Path::new("/sys"), watch.devices()),
            held_back: Vec::new(),
            named: vec![false; watch.devices().len()],
            arguments,
            mode,
            parts,
            machine,
            watch,
            gate,
            groups,
            record,
            samples: samples.transpose()?,
            clock,
        })
    }

    fn run(mut self, interrupt: &Interrupt) -> Result<Exit> {
        let done = if self.mode.screen {
            screen::run(
                &mut self.clock,
                &self.watch,
                (self.arguments, self.mode),
                &mut self.groups,
                interrupt,
            )?
        } else {
            self.lines(interrupt)?
        };
        self.finish(done)
    }

    /// Until the end that was asked for; whether it was reached.
    fn lines(&mut self, interrupt: &Interrupt) -> Result<bool> {
        let mut lines = report::WatchLines::new(self.arguments.columns.into());
        self.opening()?;
        let mut count = 0;
        loop {
            let stopped = self.sleep(interrupt)?;
            self.samples()?;
            let tick = self.clock.tick(&self.watch)?;
            if self.mode.intervals {
                let devices: Vec<_> = tick.documents().collect();
                look::write(&lines.interval(&devices, tick.duration.as_secs_f64()))?;
            }
            let above = tick.overwrites();
            for (named, found) in self.named.iter_mut().zip(above) {
                if let Some(text) = found.filter(|_| !*named) {
                    *named = true;
                    note(text);
                }
            }
            self.groups.look(&self.clock.totals().groups);
            self.look();
            count += 1;
            let ended = self.gate.has_ended()?;
            if stopped || ended || over(&self.clock, self.arguments, count) {
                return Ok(!stopped);
            }
        }
    }

    /// The machine, for people.
    fn opening(&self) -> Result<()> {
        if self.arguments.json {
            return Ok(());
        }
        let options = look::uncoloured();
        look::write(&machine::text(self.machine.as_ref(), &options))
    }

    /// Names devices that have gone.
    fn look(&mut self) {
        let seconds = self.clock.elapsed().as_secs_f64();
        let devices = self.watch.devices();
        for text in self.presence.look(Path::new("/sys"), devices, seconds) {
            match self.mode.screen {
                true => self.held_back.push(text),
                false => note(text),
            }
        }
    }

    /// To the end of the interval or of the command; whether it was interrupted.
    fn sleep(&mut self, interrupt: &Interrupt) -> Result<bool> {
        let end = Instant::now() + wait(&self.clock, self.arguments);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if self.gate.wait(left.min(POLL), interrupt)? {
                return Ok(true);
            }
            if left <= POLL || self.gate.has_ended()? {
                return Ok(false);
            }
            self.clock.poll(&self.watch, &mut self.groups)?;
            self.samples()?;
        }
    }

    fn samples(&mut self) -> Result<()> {
        if let Some(samples) = &mut self.samples {
            let all = samples.drain();
            let devices = self.watch.devices();
            let known = all.iter().filter_map(|one| one.document(devices));
            let lines: String = known.map(|one| report::straddling(&one)).collect();
            look::write(&lines)?;
        }
        Ok(())
    }

    fn finish(mut self, done: bool) -> Result<Exit> {
        // What it still writes is its I/O, too.
        self.gate.end();
        let duration = self.clock.elapsed();
        self.look();
        for text in &self.held_back {
            note(text);
        }
        let cost = self.watch.cost();
        let totals = self.watch.stop();
        self.samples()?;
        if let Some(timeline) = &mut self.clock.timeline {
            timeline.finish(&self.watch, &totals)?;
        }
        if let Some(record) = self.record.take() {
            record.finish(totals.dropped())?;
        }
        self.groups.look(&totals.groups);
        let outcomes = self.report(&totals, duration)?;
        if self.arguments.cost {
            note(cost_note(cost, &totals));
        }
        if done && self.gate.needs_bpf() {
            return Ok(self.gate.exit(&outcomes));
        }
        let asked = self.gate.judges()
            || self.arguments.count.is_some()
            || self.arguments.duration.is_some();
        Ok(if done || !asked {
            Exit::Done
        } else {
            Exit::Interrupted
        })
    }

    fn report(&self, totals: &WatchTotals, duration: Duration) -> Result<Vec<AssertionOutcome>> {
        let timeline = self.clock.timeline.as_ref();
        let mut profile = profile(totals, self.watch.devices(), timeline, duration);
        profile.assertions = self.gate.judge(&profile)?;
        profile.only = self.gate.only();
        if self.arguments.json {
            profile.machine.clone_from(&self.machine);
            for device in &mut profile.devices {
                device.processes.truncate(self.mode.top);
                device.groups.truncate(self.mode.groups);
                self.groups.name(&mut device.groups);
                device.files.truncate(self.mode.files);
                file_names::below_mounts(&mut device.files);
            }
            look::json(&profile)?;
            return Ok(profile.assertions);
        }
        if self.mode.screen {
            self.opening()?;
        }
        look::write(&report::render(&self.summary(totals, duration)))?;
        look::write(&report::assertions(&profile.assertions))?;
        Ok(profile.assertions)
    }

    fn summary(&self, totals: &WatchTotals, duration: Duration) -> WatchSummary {
        let all = self.watch.devices().iter().zip(&totals.devices);
        let all = all.zip(&self.parts).zip(0_usize..);
        let busy = all.filter(|(((_, counted), _), _)| counted.ios() > 0);
        let devices = busy.map(|(((device, counted), parts), slot)| {
            let timeline = self.clock.timeline.as_ref();
            let mut processes = totals.owners_of(slot);
            processes.truncate(self.mode.top);
            DeviceFigures {
                parts: parts.clone(),
                processes,
                groups: self.groups.most(totals, slot, self.mode.groups),
                files: file_names::most(totals, slot, self.mode.files),
                bursts: timeline.map(|timeline| timeline.document(slot, counted)),
                iostat: match self.gate.is_of_a_part() {
                    // It is of all I/O of the device.
                    true => Iostat::default(),
                    false => self.clock.iostat(&device.name),
                },
                ..counted.document(device)
            }
        });
        WatchSummary {
            seconds: duration.as_secs_f64(),
            only: self.gate.only(),
            devices: devices.collect(),
            losses: totals.losses(),
        }
    }
}

/// The profile of these counters, which took `duration`, with its bursts where they were counted.
pub fn profile(
    totals: &WatchTotals,
    devices: &[WatchedDevice],
    timeline: Option<&Timeline>,
    duration: Duration,
) -> Profile {
    let mut profile = totals.profile(devices, duration);
    for device in &mut profile.devices {
        let slot = devices.iter().position(|known| known.name == device.device);
        if let (Some(timeline), Some(slot)) = (timeline, slot) {
            timeline.profile(slot, device);
        }
    }
    profile
}

/// This machine, with the disks that are watched.
fn machine_of(devices: &[WatchedDevice]) -> Option<Machine> {
    let paths: Vec<_> = devices
        .iter()
        .map(|device| Path::new("/dev").join(&device.name))
        .collect();
    ioalign_check::machine::read(&paths)
}

/// The view of monitoring with samples of one and of twenty seconds is shown beside bursts.
pub fn timeline(watch: &Watch, gap: Duration) -> Timeline {
    let gap = u64::try_from(gap.as_nanos()).unwrap_or(u64::MAX);
    Timeline::new(watch.devices().len(), gap, &[1_000_000_000, 20_000_000_000])
}

fn watching(devices: &[WatchedDevice]) -> String {
    let names: Vec<_> = devices
        .iter()
        .map(|device| device.name.as_str())
        .take(8)
        .collect();
    let more = devices.len().saturating_sub(names.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("watching {}{more}", names.join(" "))
}

/// The cost that the kernel measured for each I/O, minus the cost of measuring.
fn cost_note(cost: live::ProgramCost, totals: &WatchTotals) -> String {
    let ios: u64 = totals.devices.iter().map(live::DeviceTotals::ios).sum();
    let runs = thousands(cost.runs);
    match (
        cost.nanos.checked_div(ios),
        cost.empty_nanos.checked_div(cost.empty_runs),
    ) {
        (Some(each), Some(empty)) if cost.runs > 0 => {
            let measuring = cost.runs.saturating_mul(empty) / ios.max(1);
            let net = each.saturating_sub(measuring);
            format!(
                "cost {net} ns an I/O: {each} ns in {runs} runs, less {measuring} for empty programs ({empty} ns a run)"
            )
        }
        (Some(each), None) if cost.runs > 0 => {
            format!("cost {each} ns an I/O in {runs} runs, measuring included")
        }
        _ => "cost not measured: sysctl kernel.bpf_stats_enabled=1, and some I/O".to_owned(),
    }
}

/// To the end of the interval, or of the watch.
fn wait(clock: &Clock, arguments: &WatchArgs) -> Duration {
    let left = arguments
        .duration
        .map(|all| all.saturating_sub(clock.elapsed()));
    arguments.interval.min(left.unwrap_or(Duration::MAX))
}

fn over(clock: &Clock, arguments: &WatchArgs, count: u64) -> bool {
    arguments.count.is_some_and(|all| count >= all)
        || arguments.duration.is_some_and(|all| clock.elapsed() >= all)
}
