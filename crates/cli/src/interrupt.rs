//! Ctrl-C during long work: stop at the next target and show what is there. SIGTERM and the end of the terminal
//! (SIGHUP) ask for the same.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long a wait looks away from Ctrl-C.
pub const GLANCE: Duration = Duration::from_millis(50);

/// Set by the first Ctrl-C while it is watched for; a second one ends the process at once.
///
/// Until then, as in a run on one target, Ctrl-C ends the process as it does by default.
#[derive(Clone, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    watched: Arc<AtomicBool>,
}

impl Interrupt {
    /// One that is watched for from now on.
    pub fn watched() -> Result<Self> {
        let interrupt = Self::default();
        interrupt.watch()?;
        Ok(interrupt)
    }

    /// Watches SIGINT, SIGTERM and SIGHUP from now on.
    pub fn watch(&self) -> Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        // Watched twice, the second would take the first's mark for an earlier signal.
        if self.watched.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let cannot = "cannot watch for Ctrl-C";
        let asked = || Arc::clone(&self.asked);
        for signal in [SIGINT, SIGTERM] {
            // Armed after the first signal: then the second one exits.
            signal_hook::flag::register_conditional_shutdown(signal, 130, asked())
                .and_then(|_| signal_hook::flag::register(signal, asked()))
                .context(cannot)?;
        }
        // A closed terminal sends it twice, by way of the shell and of the kernel: the second is no wish to exit at once.
        if !is_ignored(SIGHUP) {
            signal_hook::flag::register(SIGHUP, asked()).context(cannot)?;
        }
        Ok(())
    }

    /// The mark itself, for libraries that look at it while they work.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// Whether to stop.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Waits for a time; whether it was cut short.
    pub fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while !self.asked() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(GLANCE));
        }
        true
    }

    /// [`Interrupt::asked`] as an answer to those who ask whether to go on.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Whether the caller had a signal ignored: what `nohup` starts outlives its terminal.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored(&status) & (1 << (signal - 1)) != 0
}

/// The mask of ignored signals, bit 0 being signal 1.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        let status = "Name:\tx\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored(status), 0x1001);
        assert_eq!((ignored("SigIgn: zz"), ignored("")), (0, 0));
    }
}
