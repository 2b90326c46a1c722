//! A bar on standard error while a long trace is read, and Ctrl-C that ends the reading.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use ioalign_observe::TraceProgress;

use crate::bar::bar;
use crate::interrupt::Interrupt;

/// How often bar and Ctrl-C are looked at.
const TICK: Duration = Duration::from_millis(50);
/// Shorter work has no bar.
const LONG: Duration = Duration::from_millis(700);

/// Does `work` while another thread looks after the bar.
pub fn while_shown<T>(
    files: &[PathBuf],
    shown: bool,
    progress: &TraceProgress,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T,
) -> T {
    let total = total(files);
    let (done, wait) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let begun = Instant::now();
            let mut bar = None;
            while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if interrupt.asked() {
                    progress.stop.store(true, Ordering::Relaxed);
                }
                if shown && begun.elapsed() > LONG {
                    let bar = bar.get_or_insert_with(|| make(total));
                    bar.set_position(progress.bytes.load(Ordering::Relaxed));
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let answer = work();
        drop(done);
        answer
    })
}

/// Bytes of all files; `None` where one is no plain file, or is compressed: then the end is not known.
fn total(files: &[PathBuf]) -> Option<u64> {
    let size = |path: &PathBuf| {
        let data = std::fs::metadata(path)
            .ok()
            .filter(std::fs::Metadata::is_file)?;
        let squeezed = path.extension().is_some_and(|ending| {
            ["gz", "zst", "xz", "bz2", "tgz"]
                .iter()
                .any(|known| ending == *known)
        });
        (!squeezed).then_some(data.len())
    };
    files.iter().map(size).sum()
}

fn make(total: Option<u64>) -> ProgressBar {
    let look = match total {
        Some(_) => "{bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}",
    };
    bar(total, true, look)
}
