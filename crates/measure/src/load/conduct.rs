//! Starts the workers, leads them through ramp and run, and puts together what they did.

use std::ops::ControlFlow;
use std::sync::Barrier;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use ioalign_core::workload::Workload;

use super::board::{Board, Gauge, Phase};
use super::report::{LoadReport, OpReport, Sample, Snapshot, Tap, Totals};
use super::tally::{Count, Tally};
use super::worker::{Shared, Work, Worker};
use crate::engine::{Api, Files, Options};
use crate::{Error, ErrorKind, Result};

/// How often the operator is asked, and shown how it goes.
const TICK: Duration = Duration::from_millis(100);
const SAMPLE: Duration = Duration::from_secs(1);

type Watch<'a> = &'a mut dyn FnMut(&Snapshot) -> ControlFlow<()>;

/// What a thread brings back.
struct Brought {
    work: Work,
    queue: (Api, u32),
    notes: Vec<String>,
}

/// The whole load.
pub(super) fn conduct(
    files: &Files,
    workload: &Workload,
    options: &Options,
    tap: Option<&dyn Tap>,
    watch: Watch<'_>,
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
    let brought = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&gauges)
            .map(|(number, gauge)| start(scope, &shared, gauge, number, &ready))
            .collect();
        ready.wait();
        show.lead(&board);
        threads.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    finish(brought, show)
}

fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared<'scope>,
    gauge: &'scope Gauge,
    number: u32,
    ready: &'scope Barrier,
) -> ScopedJoinHandle<'scope, Result<Brought>> {
    scope.spawn(move || {
        let mut notes = Vec::new();
        let worker = Worker::new(shared, gauge, number, &mut notes);
        if worker.is_err() {
            shared.board.advance(Phase::Stop);
        }
        ready.wait();
        let worker = worker?;
        let queue = worker.queue();
        Ok(Brought {
            work: worker.run(),
            queue,
            notes,
        })
    })
}

fn join(thread: ScopedJoinHandle<'_, Result<Brought>>) -> Result<Brought> {
    let broken = |_| Error::new(ErrorKind::Device, "a worker broke down");
    thread.join().map_err(broken)?
}

/// What is shown while it runs.
struct Show<'a> {
    workload: &'a Workload,
    gauges: &'a [Gauge],
    watch: Watch<'a>,
    samples: Vec<Sample>,
    /// Sums at the end of the last sample.
    mark: (Totals, Totals),
    stopped: Option<String>,
}

impl<'a> Show<'a> {
    fn new(workload: &'a Workload, gauges: &'a [Gauge], watch: Watch<'a>) -> Self {
        Self {
            workload,
            gauges,
            watch,
            samples: Vec::new(),
            mark: Default::default(),
            stopped: None,
        }
    }

    fn lead(&mut self, board: &Board) {
        let ramp = Duration::from_millis(self.workload.ramp_ms);
        let run = Duration::from_millis(self.workload.run_ms);
        if self.pass(board, Phase::Ramp, ramp) {
            board.advance(Phase::Run);
            // Workers begin to count from zero as soon as they see it.
            self.samples.clear();
            self.mark = Default::default();
            self.pass(board, Phase::Run, run);
        }
        board.advance(Phase::Stop);
    }

    /// Lets a phase pass; whether it did so undisturbed.
    fn pass(&mut self, board: &Board, phase: Phase, planned: Duration) -> bool {
        let begun = Instant::now();
        loop {
            let elapsed = begun.elapsed();
            if board.phase() == Phase::Stop {
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
                    if phase == Phase::Ramp { " of ramp" } else { "" }
                ));
                return false;
            }
            std::thread::sleep(TICK.min(planned - elapsed));
        }
    }

    fn snapshot(&mut self, phase: Phase, elapsed: Duration, planned: Duration) -> Snapshot {
        let sum = |of: fn(&Gauge) -> Totals| {
            self.gauges
                .iter()
                .fold(Totals::default(), |sum, gauge| sum.with(of(gauge)))
        };
        let now = (sum(Gauge::read), sum(Gauge::write));
        let before = self
            .samples
            .last()
            .map_or(Duration::ZERO, |sample| sample.end);
        if elapsed >= before + SAMPLE || (elapsed >= planned && elapsed > before) {
            self.samples.push(Sample {
                end: elapsed,
                length: elapsed - before,
                read: now.0.since(self.mark.0),
                write: now.1.since(self.mark.1),
            });
            self.mark = now;
        }
        Snapshot {
            ramping: phase == Phase::Ramp,
            elapsed,
            planned,
            read: now.0,
            write: now.1,
            last: self.samples.last().copied().unwrap_or_default(),
        }
    }
}

fn finish(brought: Vec<Brought>, show: Show<'_>) -> Result<LoadReport> {
    let mut total = Sum::new()?;
    let mut notes = Vec::new();
    let mut queue = (Api::Uring, 1);
    let mut failed = None;
    for one in brought {
        total.add(&one.work);
        failed = failed.or(one.work.failed);
        notes.extend(one.notes);
        queue = one.queue;
    }
    notes.dedup();
    if let (Some(error), 0) = (failed.take_if(|_| total.ios() == 0), total.ios()) {
        return Err(error);
    }
    let partial = failed.map(|error| error.to_string()).or(show.stopped);
    Ok(total.report(show.samples, partial, queue, notes))
}

/// Of all workers.
struct Sum {
    tally: Tally,
    rates: [Rate; 3],
    elapsed_ns: u64,
    workers: u64,
    user_ns: u64,
    system_ns: u64,
    errors: u64,
}

/// A second.
#[derive(Copy, Clone, Default)]
struct Rate {
    ios: f64,
    bytes: f64,
}

impl Sum {
    fn new() -> Result<Self> {
        Ok(Self {
            tally: Tally::new()?,
            rates: [Rate::default(); 3],
            elapsed_ns: 0,
            workers: 0,
            user_ns: 0,
            system_ns: 0,
            errors: 0,
        })
    }

    const fn ios(&self) -> u64 {
        self.tally.read.totals.ios + self.tally.write.totals.ios
    }

    fn add(&mut self, work: &Work) {
        let from = [&work.tally.read, &work.tally.write, &work.tally.flush];
        let into = [
            &mut self.tally.read,
            &mut self.tally.write,
            &mut self.tally.flush,
        ];
        for ((into, from), rate) in into.into_iter().zip(from).zip(&mut self.rates) {
            into.totals = into.totals.with(from.totals);
            into.latency_ns.add(&from.latency_ns).ok();
            rate.add(from.totals, work.elapsed_ns);
        }
        self.elapsed_ns += work.elapsed_ns;
        self.workers += 1;
        self.user_ns += work.times.user_ns;
        self.system_ns += work.times.system_ns;
        self.errors += work.errors;
    }

    fn report(
        self,
        samples: Vec<Sample>,
        partial: Option<String>,
        (api, queue_depth): (Api, u32),
        notes: Vec<String>,
    ) -> LoadReport {
        let [read, write, flush] = self.rates;
        LoadReport {
            read: op(self.tally.read, read),
            write: op(self.tally.write, write),
            flush: op(self.tally.flush, flush),
            elapsed: Duration::from_nanos(self.elapsed_ns / self.workers.max(1)),
            user: Duration::from_nanos(self.user_ns),
            system: Duration::from_nanos(self.system_ns),
            samples,
            errors: self.errors,
            partial,
            api,
            queue_depth,
            notes,
        }
    }
}

impl Rate {
    #[allow(clippy::cast_precision_loss)] // a rate
    fn add(&mut self, totals: Totals, elapsed_ns: u64) {
        if elapsed_ns != 0 {
            let seconds = elapsed_ns as f64 / 1e9;
            self.ios += totals.ios as f64 / seconds;
            self.bytes += totals.bytes as f64 / seconds;
        }
    }
}

fn op(count: Count, rate: Rate) -> OpReport {
    OpReport {
        ios: count.totals.ios,
        bytes: count.totals.bytes,
        iops: rate.ios,
        bytes_per_s: rate.bytes,
        latency_ns: count.latency_ns,
    }
}
