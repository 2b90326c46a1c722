//! Numbered runs of a reader on all processors, with time and memory limited, and their counts.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{memory, watchdog};
use crate::subject::Answer;

/// A run may not take longer.
const SLOW: Duration = Duration::from_secs(5);
/// A reader may not take more memory than this, whatever the bytes claim.
const MOST_MEMORY: u64 = 64 << 20;
/// Failures shown for each subject.
const MOST_SHOWN: u64 = 5;

/// Characters shown of a message: it may hold all bytes of a run.
const SHOWN: usize = 400;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are caught and counted: their messages are kept, not printed.
pub fn quiet_panics() {
    set_hook(Box::new(|info| {
        let line = info.to_string().replace('\n', " ");
        let shown = line.chars().take(SHOWN).collect();
        MESSAGE.with(|message| *message.borrow_mut() = shown);
    }));
}

/// The runs to be done.
pub struct Runs<'a> {
    /// What runs, as messages name it.
    pub title: &'a str,
    /// Numbers from here on.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// From one number to the next.
    pub step: u64,
    /// Bytes that the loop itself holds for each thread.
    pub held_bytes: u64,
}

/// Counts of runs, the longest time and the memory.
#[derive(Default)]
pub struct RunCounts {
    pub runs: u64,
    pub mine: u64,
    pub failures: u64,
    slowest: Duration,
    elapsed: Duration,
    memory: u64,
    most_memory: u64,
}

impl Runs<'_> {
    /// Does all of them; `one` does one, and a panic in it is a failure that `explain` describes.
    pub fn run(
        &self,
        one: impl Fn(u64) -> Answer + Sync,
        explain: impl Fn(u64, &str) + Sync,
    ) -> RunCounts {
        let before = memory::reset();
        let started = Instant::now();
        let (next, done) = (AtomicU64::new(0), AtomicBool::new(false));
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let mut sum = RunCounts::default();
        let work = |worker| self.work(worker, &next, &one, &explain);
        let work = &work;
        thread::scope(|scope| {
            let all: Vec<_> = (0..workers)
                .map(|worker| scope.spawn(move || work(worker)))
                .collect();
            scope.spawn(|| watchdog::watch(self.title, || done.load(Ordering::Relaxed)));
            let parts: Vec<_> = all.into_iter().map(|one| one.join()).collect();
            done.store(true, Ordering::Relaxed);
            parts
                .iter()
                .for_each(|part| sum.add(part.as_ref().unwrap()));
        });
        sum.elapsed = started.elapsed();
        sum.memory = memory::peak().saturating_sub(before);
        sum.most_memory = MOST_MEMORY + self.held_bytes * workers as u64;
        sum
    }

    /// Takes runs until there are none left.
    fn work(
        &self,
        worker: usize,
        next: &AtomicU64,
        one: &(impl Fn(u64) -> Answer + Sync),
        explain: &(impl Fn(u64, &str) + Sync),
    ) -> RunCounts {
        let mut counts = RunCounts::default();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return counts;
            }
            let number = self.first.wrapping_add(index * self.step);
            let started = Instant::now();
            watchdog::begun(worker, number);
            match catch_unwind(AssertUnwindSafe(|| one(number))) {
                Ok(answer) => counts.mine += u64::from(answer == Answer::Mine),
                Err(_) => {
                    counts.failures += 1;
                    if counts.failures <= MOST_SHOWN {
                        MESSAGE.with(|message| explain(number, &message.borrow()));
                    }
                }
            }
            counts.runs += 1;
            counts.slowest = counts.slowest.max(started.elapsed());
            watchdog::ended(worker);
        }
    }
}

impl RunCounts {
    fn add(&mut self, part: &Self) {
        self.runs += part.runs;
        self.mine += part.mine;
        self.failures += part.failures;
        self.slowest = self.slowest.max(part.slowest);
    }

    /// Why the reader did not hold.
    pub fn complaint(&self) -> Option<&'static str> {
        if self.failures > 0 {
            Some("it panics")
        } else if self.slowest >= SLOW {
            Some("it is too slow")
        } else if self.memory >= self.most_memory {
            Some("it takes too much memory")
        } else {
            None
        }
    }

    /// Prints a line; whether there is nothing to complain of.
    pub fn report(&self, title: &str, what: &str, complaint: Option<&str>) -> bool {
        let micros = self.elapsed.as_micros().max(1);
        let verdict = complaint.map_or("ok".to_owned(), |why| format!("FAILED: {why}"));
        println!(
            "{title:<24} {:>9} runs {:>8}/s  recognised {:>9}  slowest {:>6.1} ms  memory {:>6} KiB  failures {}  {what}  {verdict}",
            self.runs,
            u128::from(self.runs) * 1_000_000 / micros,
            self.mine,
            self.slowest.as_secs_f64() * 1e3,
            self.memory >> 10,
            self.failures,
        );
        complaint.is_none()
    }
}
