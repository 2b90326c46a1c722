//! Ctrl-C during long work: stop at the next target and show what is there.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

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

    /// Watches SIGINT and SIGTERM from now on.
    pub fn watch(&self) -> Result<()> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        // Watched twice, the second would take the first's mark for an earlier signal.
        if self.watched.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        for signal in [SIGINT, SIGTERM] {
            // Armed after the first signal: then the second one exits.
            let asked = || Arc::clone(&self.asked);
            signal_hook::flag::register_conditional_shutdown(signal, 130, asked())
                .and_then(|_| signal_hook::flag::register(signal, asked()))
                .context("cannot watch for Ctrl-C")?;
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

    /// The same as an answer to those who ask whether to go on.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
