//! A watch from beginning to end.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use ioalign_core::machine::Machine;
use ioalign_core::watch_document::WatchedPart;
use ioalign_observe::live::{Means, Samples, Watch};
use ioalign_report::{machine, watch as report};

use super::gate::WatchGate;
use super::group_names::GroupNames;
use super::mode::{POLL, WatchMode, over, wait};
use super::presence::Presence;
use super::record::WatchRecord;
use super::tick::Clock;
use super::{screen, timeline, watching};
use crate::args::WatchArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::look;
use crate::say::note;

/// A watch from beginning to end.
pub struct WatchSession<'a> {
    pub(super) arguments: &'a WatchArgs,
    pub(super) mode: WatchMode,
    /// What begins on each device.
    pub(super) parts: Vec<Vec<WatchedPart>>,
    pub(super) machine: Option<Machine>,
    pub(super) watch: Watch,
    pub(super) gate: WatchGate<'a>,
    pub(super) groups: GroupNames,
    record: Option<WatchRecord>,
    samples: Option<Samples>,
    pub(super) clock: Clock,
    presence: Presence,
    /// Said at the end, where the screen is full.
    held_back: Vec<String>,
    /// Devices whose read-modify-write has been named.
    named: Vec<bool>,
}

impl<'a> WatchSession<'a> {
    /// Begins to read the counters of a program that runs.
    ///
    /// # Errors
    /// The record cannot be written, or the counters cannot be read.
    pub fn new(
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

    /// To its end.
    ///
    /// # Errors
    /// The counters cannot be read, or nothing can be written.
    pub fn run(mut self, interrupt: &Interrupt) -> Result<Exit> {
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
    pub(super) fn opening(&self) -> Result<()> {
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
            note(super::ending::cost_note(cost, &totals));
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
}
