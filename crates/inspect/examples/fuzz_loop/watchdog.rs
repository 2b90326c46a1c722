//! Ends the program when one run of a reader never ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Runs that ended, over all threads.
static ENDED: AtomicU64 = AtomicU64::new(0);
/// Seconds without a single ended run.
const PATIENCE: u64 = 30;

/// One more run has ended.
pub fn ended() {
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
            println!("{what}: HANG: a run did not end in {PATIENCE} s");
            std::process::exit(2);
        }
    }
}
