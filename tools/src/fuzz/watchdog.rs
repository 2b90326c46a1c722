//! Ends the program when one run of a reader never ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Runs that ended, over all threads.
static ENDED: AtomicU64 = AtomicU64::new(0);
/// Seconds without a single ended run.
const PATIENCE: u64 = 30;

/// Runs under way, one a thread; [`IDLE`] where there is none.
static UNDER_WAY: [AtomicU64; 64] = [const { AtomicU64::new(IDLE) }; 64];
const IDLE: u64 = u64::MAX;

/// A thread begins a run.
pub fn begun(thread: usize, number: u64) {
    if let Some(place) = UNDER_WAY.get(thread) {
        place.store(number, Ordering::Relaxed);
    }
}

/// It has ended.
pub fn ended(thread: usize) {
    begun(thread, IDLE);
    ENDED.fetch_add(1, Ordering::Relaxed);
}

/// Watches until `stop` says so; `what` is named in the message.
pub fn watch(what: &str, stop: impl Fn() -> bool) {
    let (mut last, mut idle) = (u64::MAX, 0);
    while !stop() {
        thread::sleep(Duration::from_millis(20));
        let now = ENDED.load(Ordering::Relaxed);
        idle = if now == last { idle + 1 } else { 0 };
        last = now;
        if idle > PATIENCE * 50 {
            let runs = UNDER_WAY.iter().map(|run| run.load(Ordering::Relaxed));
            let runs: Vec<u64> = runs.filter(|run| *run != IDLE).collect();
            println!("{what}: HANG: run {runs:?} did not end in {PATIENCE} s");
            std::process::exit(2);
        }
    }
}
