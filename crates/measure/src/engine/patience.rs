//! How long a device may say nothing.
//!
//! Silence is counted between two looks, and one look counts for two seconds at most: a waiting thread is
//! woken every second. A program that was stopped, or a machine that slept, has not waited for its device.

use std::time::Duration;

use crate::{Error, ErrorKind, Result};

/// The most that one look counts for.
const LOOK_NS: u64 = 2_000_000_000;

/// The silence so far.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Patience {
    most: Duration,
    looked_ns: u64,
    silent_ns: u64,
}

impl Patience {
    /// Begins `now`, and ends after `most` without a completion.
    pub(crate) const fn new(most: Duration, now_ns: u64) -> Self {
        Self {
            most,
            looked_ns: now_ns,
            silent_ns: 0,
        }
    }

    /// One look at what completed: an error where nothing has for too long.
    pub(crate) fn look(&mut self, now_ns: u64, moved: bool) -> Result<()> {
        let passed = now_ns.saturating_sub(self.looked_ns).min(LOOK_NS);
        self.looked_ns = now_ns;
        self.silent_ns = if moved {
            0
        } else {
            self.silent_ns.saturating_add(passed)
        };
        if Duration::from_nanos(self.silent_ns) > self.most {
            return Err(stalled(self.most));
        }
        Ok(())
    }
}

/// No completion for too long.
fn stalled(silent: Duration) -> Error {
    let seconds = silent.as_secs_f64();
    Error::new(
        ErrorKind::Device,
        format!("no I/O completed for {seconds:.0} s: the device hangs"),
    )
    .advise("see the kernel's log; what is in flight is left to the kernel")
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_silent_device_is_given_up() {
        let mut patience = Patience::new(Duration::from_secs(3), 0);
        for second in 1..=3 {
            patience.look(second * S, false).unwrap();
        }
        assert!(patience.look(4 * S, false).is_err());
    }

    #[test]
    fn a_program_that_was_stopped_does_not_blame_the_device() {
        let mut patience = Patience::new(Duration::from_secs(3), 0);
        patience.look(3600 * S, false).unwrap();
        patience.look(3601 * S, true).unwrap();
        patience.look(7200 * S, false).unwrap();
    }
}
