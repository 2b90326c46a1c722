//! `ioalign watch`: what I/O does now.

mod fallback;
mod host;
mod line;
mod numbers;
mod screen;
mod summary;
mod tick;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ioalign_observe::live::{self, Device, Means, Options, Recorder, Totals, Watch};

use crate::args::{By, WatchArgs};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use host::Part;
use summary::Summary;
use tick::Clock;

/// How long a wait looks away from Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);
/// Processes of the full screen.
const TOP: usize = 5;

/// Runs the verb.
pub fn run(arguments: &WatchArgs) -> Result<Exit> {
    let interrupt = Interrupt::default();
    interrupt.watch().context("cannot watch for Ctrl-C")?;
    let mut devices = live::devices(Path::new("/sys"), &arguments.devices)?;
    if devices.len() > Watch::MOST {
        note(&format!(
            "watching {} of {} devices",
            Watch::MOST,
            devices.len()
        ));
        devices.truncate(Watch::MOST);
    }
    let parts = host::describe(&mut devices, arguments);
    let mode = Mode::of(arguments);
    let wanted = Options {
        owners: mode.top > 0,
        ring: arguments.record.as_ref().map(|_| arguments.ring),
        cost: arguments.cost,
        plain: arguments.by == Some(By::Tracepoint),
        devices: devices.clone(),
    };
    if arguments.by == Some(By::Tracefs) {
        return fallback::run(arguments, &devices, &interrupt);
    }
    match Watch::start(wanted) {
        Ok(watch) => Session::new(arguments, mode, parts, watch)?.run(&interrupt),
        Err(error) => {
            note(&format!("{error}"));
            for reason in live::missing::reasons(Path::new("/")) {
                note(&reason);
            }
            if arguments.by.is_some() {
                return Ok(Exit::Unreadable);
            }
            fallback::run(arguments, &devices, &interrupt)
        }
    }
}

/// To standard error: standard output is for figures.
fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "ioalign: {text}");
}

/// How figures are shown.
#[derive(Copy, Clone, Debug)]
struct Mode {
    screen: bool,
    top: usize,
}

impl Mode {
    fn of(arguments: &WatchArgs) -> Self {
        let screen = !arguments.line && !arguments.json && std::io::stdout().is_terminal();
        let usual = if screen { TOP } else { 0 };
        Self {
            screen,
            top: arguments.top.unwrap_or(usual),
        }
    }
}

/// A watch from beginning to end.
struct Session<'a> {
    arguments: &'a WatchArgs,
    mode: Mode,
    parts: Vec<Part>,
    watch: Watch,
    recorder: Option<Recorder>,
    clock: Clock,
}

impl<'a> Session<'a> {
    fn new(
        arguments: &'a WatchArgs,
        mode: Mode,
        parts: Vec<Part>,
        mut watch: Watch,
    ) -> Result<Self> {
        if watch.means() == Means::Plain {
            note("no type information: plain tracepoints, latencies by device and sector");
        }
        let recorder = match &arguments.record {
            Some(path) => Some(Recorder::start(&mut watch, path)?),
            None => None,
        };
        // The programs are attached by now: I/O that follows this line is counted.
        if !mode.screen {
            note(&watching(watch.devices()));
        }
        let clock = Clock::new(watch.totals()?);
        Ok(Self {
            arguments,
            mode,
            parts,
            watch,
            recorder,
            clock,
        })
    }

    fn run(mut self, interrupt: &Interrupt) -> Result<Exit> {
        let done = if self.mode.screen {
            screen::run(
                &mut self.clock,
                &self.watch,
                self.arguments,
                self.mode.top,
                interrupt,
            )?
        } else {
            self.lines(interrupt)?
        };
        self.finish(done)
    }

    /// Until the end that was asked for; whether it was reached.
    fn lines(&mut self, interrupt: &Interrupt) -> Result<bool> {
        let mut lines = line::Lines::default();
        let mut count = 0;
        loop {
            let wait = wait(&self.clock, self.arguments);
            let stopped = sleep(wait, interrupt);
            let tick = self.clock.tick(&self.watch)?;
            if !self.arguments.json {
                lines.write(&tick, &mut std::io::stdout().lock())?;
            }
            count += 1;
            if stopped || over(&self.clock, self.arguments, count) {
                return Ok(!stopped);
            }
        }
    }

    fn finish(mut self, done: bool) -> Result<Exit> {
        let duration = self.clock.elapsed();
        let cost = self.watch.cost();
        let totals = self.watch.stop();
        if let (Some(recorder), Some(path)) = (self.recorder.take(), &self.arguments.record) {
            let recorded = recorder.finish(totals.dropped())?;
            let (events, mib) = (numbers::grouped(recorded.events), recorded.bytes >> 20);
            note(&format!(
                "{events} events in {} ({mib} MiB)",
                path.display()
            ));
        }
        self.report(&totals, duration)?;
        if self.arguments.cost {
            note(&told(cost, &totals));
        }
        let asked = self.arguments.count.is_some() || self.arguments.duration.is_some();
        Ok(if done || !asked {
            Exit::Done
        } else {
            Exit::Interrupted
        })
    }

    fn report(&self, totals: &Totals, duration: Duration) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.arguments.json {
            let mut profile = totals.profile(self.watch.devices(), duration);
            for device in &mut profile.devices {
                device.processes.truncate(self.mode.top);
            }
            serde_json::to_writer_pretty(&mut out, &profile)?;
            writeln!(out)?;
            return Ok(());
        }
        let summary = Summary {
            devices: self.watch.devices(),
            parts: &self.parts,
            totals,
            seconds: duration.as_secs_f64(),
            top: self.mode.top,
        };
        summary.write(&mut out)?;
        Ok(())
    }
}

fn watching(devices: &[Device]) -> String {
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

/// What the kernel measured, by I/O, less what measuring costs.
fn told(cost: live::Cost, totals: &Totals) -> String {
    let ios: u64 = totals.devices.iter().map(live::DeviceTotals::ios).sum();
    let runs = numbers::grouped(cost.runs);
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

/// Whether it was interrupted.
fn sleep(time: Duration, interrupt: &Interrupt) -> bool {
    let end = Instant::now() + time;
    while !interrupt.asked() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(GLANCE));
    }
    true
}
