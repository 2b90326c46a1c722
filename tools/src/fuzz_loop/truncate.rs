//! Every prefix of an image, through the whole assembly: container, tables, volumes, file systems.
//!
//! One seed a format: of those that its reader knows the one with most bytes to cut. Of texts all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ioalign_inspect::Source;
use ioalign_inspect::assemble::{AssembleOptions, image_from};

use super::mutant::Mutant;
use super::seed::Seed;
use super::target::{FuzzTarget, ReaderAnswer};
use super::{memory, watchdog};

/// The assembly of one image may not take more memory than this.
const MOST_MEMORY: u64 = 64 << 20;
/// A run may not take longer.
const SLOW: Duration = Duration::from_secs(5);

/// Cuts a seed of each of the `targets` to every length up to `most` bytes, and all texts; whether
/// all held.
pub fn run<'a>(
    targets: impl Iterator<Item = &'a FuzzTarget>,
    images: &[Seed],
    texts: &[Seed],
    most: u64,
) -> bool {
    let mut done: Vec<&str> = Vec::new();
    let mut good = true;
    for target in targets {
        if target.is_text() {
            for seed in texts.iter().filter(|seed| knows(target, seed)) {
                good &= all_prefixes(target, seed, most);
            }
            continue;
        }
        let known = images.iter().filter(|seed| knows(target, seed));
        let Some(seed) = known.min_by_key(|seed| most.saturating_sub(seed.len)) else {
            println!("{:<24} no seed is recognised", target.title());
            continue;
        };
        // Raw claims whatever no other container does.
        if !done.contains(&seed.name.as_str()) {
            good &= all_prefixes(target, seed, most);
            done.push(&seed.name);
        }
    }
    good
}

fn knows(target: &FuzzTarget, seed: &Seed) -> bool {
    let source: Arc<dyn Source> = Arc::new(Mutant::damaged(seed, seed.len, Vec::new()));
    let answer = catch_unwind(AssertUnwindSafe(|| target.read(&source)));
    !matches!(answer, Ok(ReaderAnswer::NotMine))
}

/// All lengths of one seed, on all processors.
fn all_prefixes(target: &FuzzTarget, seed: &Seed, most: u64) -> bool {
    let before = memory::reset();
    let started = Instant::now();
    let (next, slowest, failures) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let end = seed.len.min(most);
    let work = &|number: usize| {
        loop {
            let len = next.fetch_add(1, Ordering::Relaxed);
            if len > end {
                return;
            }
            watchdog::begun(number, len);
            let begun = Instant::now();
            if !once(target, seed, len) {
                failures.fetch_add(1, Ordering::Relaxed);
                println!(
                    "{}: PANIC on {} cut to {len} bytes",
                    target.title(),
                    seed.name
                );
            }
            let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
            slowest.fetch_max(took, Ordering::Relaxed);
            watchdog::ended(number);
        }
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..workers)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        scope.spawn(|| watchdog::watch(&target.title(), || done.load(Ordering::Relaxed)));
        for one in all {
            let _ = one.join();
        }
        done.store(true, Ordering::Relaxed);
    });
    let memory = memory::peak().saturating_sub(before);
    let slowest = Duration::from_micros(slowest.into_inner());
    let failures = failures.into_inner();
    let good = failures == 0 && slowest < SLOW && memory < MOST_MEMORY;
    println!(
        "{:<24} {:>9} lengths of {:<28} {:>6.1} s  slowest {:>6.1} ms  memory {:>6} KiB  failures {failures}  {}",
        target.title(),
        end + 1,
        seed.name,
        started.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1e3,
        memory >> 10,
        if good { "ok" } else { "FAILED" },
    );
    good
}

/// One length; false when something panicked.
fn once(target: &FuzzTarget, seed: &Seed, len: u64) -> bool {
    let source: Arc<dyn Source> = Arc::new(Mutant::damaged(seed, len, Vec::new()));
    let run = || match target.is_text() {
        true => target.read(&source) == ReaderAnswer::Mine,
        false => image_from(&source, &AssembleOptions::default()).is_ok(),
    };
    catch_unwind(AssertUnwindSafe(run)).is_ok()
}
