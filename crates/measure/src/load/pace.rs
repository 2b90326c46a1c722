//! A rate that is not exceeded: evenly spaced times at which a worker may send.

/// The arrears of a device that could not keep up are dropped after this time, or they would become
/// a burst.
const MOST_DEBT_NS: u64 = 100_000_000;

/// When the next I/O may be sent.
#[derive(Copy, Clone, Debug)]
pub(super) struct IoPace {
    interval_ns: f64,
    next_ns: f64,
}

impl IoPace {
    /// One of `workers` that share `rate` I/Os a second; they take turns.
    pub(super) fn new(rate: f64, workers: u32, number: u32) -> Self {
        let interval_ns = 1e9 * f64::from(workers) / rate;
        Self {
            interval_ns,
            next_ns: interval_ns * f64::from(number) / f64::from(workers),
        }
    }

    /// Whether one may be sent now, `now_ns` after the start; if not, how long to wait.
    pub(super) fn take(&mut self, now_ns: u64) -> Result<(), u64> {
        #[allow(clippy::cast_precision_loss)] // 2^53 ns are 104 days
        let now = now_ns as f64;
        if self.next_ns > now {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive
            return Err((self.next_ns - now) as u64 + 1);
        }
        #[allow(clippy::cast_precision_loss)] // a constant
        let earliest = now - MOST_DEBT_NS as f64;
        self.next_ns = self.next_ns.max(earliest) + self.interval_ns;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_together_keep_the_rate() {
        let mut all = [0, 1, 2].map(|number| IoPace::new(1000.0, 3, number));
        let mut sent = 0;
        for now in (0..1_000_000_000).step_by(50_000) {
            for pace in &mut all {
                while pace.take(now).is_ok() {
                    sent += 1;
                }
            }
        }
        assert!((998..=1002).contains(&sent), "{sent}");
    }

    #[test]
    fn a_long_stop_is_not_made_up_for() {
        let mut pace = IoPace::new(1000.0, 1, 0);
        let later = 60_000_000_000;
        let sent = std::iter::from_fn(|| pace.take(later).ok()).count();
        assert!((100..=102).contains(&sent), "{sent}");
    }
}
