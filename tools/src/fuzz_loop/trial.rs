//! All runs of one reader.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;

use super::arguments::Arguments;
use super::mutant::Mutant;
use super::random::FuzzRandom;
use super::seed::Seed;
use super::target::{FuzzTarget, ReaderAnswer};
use super::{memory, mutate, mutate_text, watchdog};

/// Seeds used per format; more would only thin the runs out.
const MOST_SEEDS: usize = 16;
/// Failures shown per format.
const MOST_SHOWN: u64 = 5;
/// A run may not take longer.
const SLOW: Duration = Duration::from_secs(5);
/// A reader may not take more memory than this, whatever the bytes claim.
const MOST_MEMORY: u64 = 64 << 20;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What came of it.
#[derive(Default)]
pub struct TrialOutcome {
    runs: u64,
    mine: u64,
    failures: u64,
    seeds: usize,
    slowest: Duration,
    elapsed: Duration,
    memory: u64,
}

impl TrialOutcome {
    /// Whether the reader held.
    pub fn good(&self) -> bool {
        self.failures == 0 && self.slowest < SLOW && self.memory < MOST_MEMORY
    }

    /// One line for the terminal.
    pub fn line(&self, target: &FuzzTarget) -> String {
        let micros = self.elapsed.as_micros().max(1);
        let speed = u128::from(self.runs) * 1_000_000 / micros;
        let verdict = match (self.good(), self.seeds) {
            (false, _) => "FAILED",
            (true, 0) => "ok, but no seed is recognised",
            (true, _) => "ok",
        };
        format!(
            "{:<24} {:>9} runs {:>8}/s  recognised {:>9}  seeds {:>2}  slowest {:>6.1} ms  memory {:>6} KiB  failures {}  {verdict}",
            target.title(),
            self.runs,
            speed,
            self.mine,
            self.seeds,
            self.slowest.as_secs_f64() * 1e3,
            self.memory >> 10,
            self.failures,
        )
    }
}

/// Panics are caught and counted: their messages are kept, not printed.
pub fn quiet_panics() {
    set_hook(Box::new(|info| {
        MESSAGE.with(|message| *message.borrow_mut() = info.to_string().replace('\n', " "));
    }));
}

/// A seed, and where the reader looks in it.
struct TrialPlan<'a> {
    seed: &'a Seed,
    reads: Vec<(u64, u64)>,
}

/// Runs the reader on damaged seeds, on all processors.
pub fn run(target: &FuzzTarget, seeds: &[Seed], arguments: &Arguments) -> TrialOutcome {
    let (plans, known) = plans(target, seeds);
    let before = memory::reset();
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let done = AtomicBool::new(false);
    let (parts, elapsed) = thread::scope(|scope| {
        let (plans, next) = (&plans, &next);
        let work = |thread| move || worker(target, plans, arguments, next, thread);
        let all: Vec<_> = (0..workers)
            .map(|thread| scope.spawn(work(thread)))
            .collect();
        scope.spawn(|| watchdog::watch(&target.title(), || done.load(Ordering::Relaxed)));
        let parts: Vec<TrialOutcome> = all.into_iter().filter_map(|one| one.join().ok()).collect();
        let elapsed = started.elapsed();
        done.store(true, Ordering::Relaxed);
        (parts, elapsed)
    });
    let mut sum = TrialOutcome {
        seeds: known,
        elapsed,
        memory: memory::peak().saturating_sub(before),
        ..TrialOutcome::default()
    };
    for part in parts {
        sum.runs += part.runs;
        sum.mine += part.mine;
        sum.failures += part.failures;
        sum.slowest = sum.slowest.max(part.slowest);
    }
    sum
}

/// The seeds that the reader knows, spread over all of them; any seeds when it knows none.
fn plans<'a>(target: &FuzzTarget, seeds: &'a [Seed]) -> (Vec<TrialPlan<'a>>, usize) {
    let mut known = Vec::new();
    let mut others = Vec::new();
    for seed in seeds {
        let source = Arc::new(Mutant::recording(seed));
        let shared: Arc<dyn Source> = source.clone();
        let answer = catch_unwind(AssertUnwindSafe(|| target.read(&shared)));
        let plan = TrialPlan {
            seed,
            reads: source.reads(),
        };
        match answer {
            Ok(ReaderAnswer::NotMine) => others.push(plan),
            _ => known.push(plan),
        }
    }
    let count = known.len().min(MOST_SEEDS);
    let mut chosen = if known.is_empty() { others } else { known };
    let step = chosen.len().div_ceil(MOST_SEEDS).max(1);
    let mut index = 0;
    chosen.retain(|_| {
        index += 1;
        (index - 1) % step == 0
    });
    (chosen, count)
}

/// Takes runs until there are none left.
fn worker(
    target: &FuzzTarget,
    plans: &[TrialPlan<'_>],
    arguments: &Arguments,
    next: &AtomicU64,
    thread: usize,
) -> TrialOutcome {
    let mut outcome = TrialOutcome::default();
    let runs = match arguments.text_runs {
        Some(runs) if target.is_text() => runs,
        _ => arguments.runs,
    };
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= runs || plans.is_empty() {
            return outcome;
        }
        let number = arguments.first.wrapping_add(index);
        let started = Instant::now();
        watchdog::begun(thread, number);
        match once(target, plans, arguments.seed, number) {
            Some(ReaderAnswer::Mine) => outcome.mine += 1,
            Some(ReaderAnswer::NotMine) => {}
            None => failed(target, plans, arguments, number, &mut outcome),
        }
        outcome.runs += 1;
        outcome.slowest = outcome.slowest.max(started.elapsed());
        watchdog::ended(thread);
    }
}

/// One run; `None` when the reader panicked.
fn once(
    target: &FuzzTarget,
    plans: &[TrialPlan<'_>],
    seed: u64,
    number: u64,
) -> Option<ReaderAnswer> {
    let mut random = FuzzRandom::of_run(seed, number);
    let plan = random.pick(plans)?;
    let mutant: Arc<dyn Source> = if target.is_text() {
        Arc::new(MemorySource::new(mutate_text::mutant(
            plan.seed,
            &mut random,
        )))
    } else {
        Arc::new(mutate::mutant(plan.seed, &plan.reads, &mut random))
    };
    catch_unwind(AssertUnwindSafe(|| target.read(&mutant))).ok()
}

fn failed(
    target: &FuzzTarget,
    plans: &[TrialPlan<'_>],
    arguments: &Arguments,
    number: u64,
    outcome: &mut TrialOutcome,
) {
    outcome.failures += 1;
    if outcome.failures > MOST_SHOWN {
        return;
    }
    let plan = FuzzRandom::of_run(arguments.seed, number).pick(plans);
    let seed = plan.map_or("?", |plan| plan.seed.name.as_str());
    let message = MESSAGE.with(|message| message.borrow().clone());
    println!(
        "{}: PANIC in run {number} on {seed}: {message}",
        target.title()
    );
    println!(
        "  repeat: cargo xtask fuzz --format {} --seed {} --first {number} --runs 1",
        target.title(),
        arguments.seed
    );
}
