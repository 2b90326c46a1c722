//! Starts the workers, leads them through ramp and run, and puts together what they did.

use std::ops::ControlFlow;
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ioalign_core::workload::Workload;

use super::board::{Board, Gauge, LoadPhase};
use super::report::{LoadReport, LoadSample, LoadSnapshot, LoadTotals, Tap};
use super::shared::{Shared, Work};
use super::sum::WorkerSum;
use super::worker::Worker;
use crate::engine::{Api, EngineOptions, Files};
use crate::{Error, ErrorKind, Result};

/// How often the operator is asked, and shown how it goes.
const TICK: Duration = Duration::from_millis(100);
const SAMPLE: Duration = Duration::from_secs(1);

type LoadWatch<'a> = &'a mut dyn FnMut(&LoadSnapshot) -> ControlFlow<()>;

/// The result of a thread.
struct Brought {
    work: Work,
    queue: (Api, u32),
    notes: Vec<String>,
}

/// The whole load.
pub(super) fn conduct(
    files: &Files,
    workload: &Workload,
    options: &EngineOptions,
    tap: Option<&dyn Tap>,
    watch: LoadWatch<'_>,
) -> Result<LoadReport> {
    let board = Board::default();
    let gauges: Vec<Gauge> = (0..workload.workers).map(|_| Gauge::default()).collect();
    let shared = Shared {
        files,
        workload,
        options,
        board: &board,
        tap,
    };
    let ready = Barrier::new(gauges.len() + 1);
    let mut show = Show::new(workload, &gauges, watch);
    let (bring, brought) = channel();
    let brought = std::thread::scope(|scope| {
        for (number, gauge) in (0..).zip(&gauges) {
            let (shared, ready, bring) = (&shared, &ready, bring.clone());
            scope.spawn(move || bring.send(work(shared, gauge, number, ready)).is_ok());
        }
        drop(bring);
        ready.wait();
        show.lead(&board);
        // Not by joining them: a thread with I/O that hangs does not end, its work does.
        brought.iter().collect::<Result<Vec<_>>>()
    })?;
    if brought.len() < gauges.len() {
        return Err(Error::new(ErrorKind::Device, "a worker broke down"));
    }
    finish(brought, show)
}

/// The work of a thread.
fn work(shared: &Shared<'_>, gauge: &Gauge, number: u32, ready: &Barrier) -> Result<Brought> {
    let mut notes = Vec::new();
    let worker = Worker::new(shared, gauge, number, &mut notes);
    if worker.is_err() {
        shared.board.advance(LoadPhase::Stop);
    }
    ready.wait();
    let worker = worker?;
    let queue = worker.queue();
    Ok(Brought {
        work: worker.run(),
        queue,
        notes,
    })
}

/// The numbers that are shown during the load.
struct Show<'a> {
    workload: &'a Workload,
    gauges: &'a [Gauge],
    watch: LoadWatch<'a>,
    samples: Vec<LoadSample>,
    /// Sums at the end of the last sample.
    mark: (LoadTotals, LoadTotals),
    stopped: Option<String>,
    /// When the time began that counts.
    counts_from: Option<Instant>,
}

impl<'a> Show<'a> {
    fn new(workload: &'a Workload, gauges: &'a [Gauge], watch: LoadWatch<'a>) -> Self {
        Self {
            workload,
            gauges,
            watch,
            samples: Vec::new(),
            mark: Default::default(),
            stopped: None,
            counts_from: None,
        }
    }

    fn lead(&mut self, board: &Board) {
        let ramp = Duration::from_millis(self.workload.ramp_ms);
        let run = Duration::from_millis(self.workload.run_ms);
        if self.pass(board, LoadPhase::Ramp, ramp) {
            board.advance(LoadPhase::Run);
            // On a busy machine some see it late.
            while board.phase() == LoadPhase::Run && !self.gauges.iter().all(Gauge::has_begun) {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.counts_from = Some(Instant::now());
            self.samples.clear();
            self.mark = Default::default();
            self.pass(board, LoadPhase::Run, run);
        }
        board.advance(LoadPhase::Stop);
    }

    /// Lets a phase pass; whether it did so undisturbed.
    fn pass(&mut self, board: &Board, phase: LoadPhase, planned: Duration) -> bool {
        let begun = Instant::now();
        loop {
            let elapsed = begun.elapsed();
            if board.phase() == LoadPhase::Stop {
                return false;
            }
            let snapshot = self.snapshot(phase, elapsed, planned);
            if elapsed >= planned {
                return true;
            }
            if (self.watch)(&snapshot).is_break() {
                self.stopped = Some(format!(
                    "stopped by the operator after {:.1} s of {:.1} s{}",
                    elapsed.as_secs_f64(),
                    planned.as_secs_f64(),
                    if phase == LoadPhase::Ramp {
                        " of ramp"
                    } else {
                        ""
                    }
                ));
                return false;
            }
            std::thread::sleep(TICK.min(planned - elapsed));
        }
    }

    fn snapshot(&mut self, phase: LoadPhase, elapsed: Duration, planned: Duration) -> LoadSnapshot {
        let sum = |of: fn(&Gauge) -> LoadTotals| {
            self.gauges
                .iter()
                .fold(LoadTotals::default(), |sum, gauge| sum.with(of(gauge)))
        };
        let now = (sum(Gauge::read), sum(Gauge::write));
        let before = self
            .samples
            .last()
            .map_or(Duration::ZERO, |sample| sample.end);
        if elapsed >= before + SAMPLE || (elapsed >= planned && elapsed > before) {
            self.samples.push(LoadSample {
                end: elapsed,
                length: elapsed - before,
                read: now.0.since(self.mark.0),
                write: now.1.since(self.mark.1),
            });
            self.mark = now;
        }
        LoadSnapshot {
            ramping: phase == LoadPhase::Ramp,
            elapsed,
            planned,
            read: now.0,
            write: now.1,
            last: self.samples.last().copied().unwrap_or_default(),
        }
    }
}

fn finish(brought: Vec<Brought>, show: Show<'_>) -> Result<LoadReport> {
    let mut total = WorkerSum::new()?;
    let mut notes = Vec::new();
    let mut queue = (Api::Uring, 1);
    let mut failed = None;
    for one in brought {
        total.add(&one.work);
        failed = failed.or(one.work.failed);
        for note in one.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        queue = one.queue;
    }
    if let (Some(error), 0) = (failed.take_if(|_| total.ios() == 0), total.ios()) {
        return Err(error);
    }
    let took = show.counts_from.map(|begun| begun.elapsed());
    let partial = failed.map(|error| error.to_string());
    let longer = took.filter(|took| partial.is_some() && *took > total.elapsed() + SAMPLE);
    notes.extend(longer.map(|took| {
        format!(
            "it took {:.1} s until the load ended: what counts are the {:.1} s before, in the rest nothing completed",
            took.as_secs_f64(),
            total.elapsed().as_secs_f64()
        )
    }));
    Ok(total.report(show.samples, partial.or(show.stopped), queue, notes))
}
