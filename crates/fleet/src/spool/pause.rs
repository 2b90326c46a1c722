//! How long to wait before the next try.

use std::time::Duration;

use ioalign_core::Random;

/// The first pause.
const FIRST: Duration = Duration::from_secs(1);
/// The longest.
const LONGEST: Duration = Duration::from_secs(300);

/// Pauses that double, each somewhere in its upper half: ten thousand hosts that lost the same server do not come back in
/// the same second.
#[derive(Clone, Debug)]
pub struct RetryPause {
    next: Duration,
    random: Random,
}

impl RetryPause {
    /// The first pause comes next; `seed` differs from host to host.
    pub fn new(seed: u64) -> Self {
        Self {
            next: FIRST,
            random: Random::new(seed),
        }
    }

    /// The next pause; not shorter than the server asked for, where it did.
    pub fn next(&mut self, asked: Option<Duration>) -> Duration {
        let whole = self.next;
        self.next = (whole * 2).min(LONGEST);
        let pause = whole / 2 + (whole / 2).mul_f64(self.share());
        let asked = asked.unwrap_or_default().min(LONGEST);
        pause.max(asked + asked.mul_f64(self.share() / 2.0))
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        let random = u32::try_from(self.random.below(1 << 32)).unwrap_or(0);
        f64::from(random) / f64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_five_minutes() {
        let mut pauses = RetryPause::new(7);
        let mut whole = FIRST;
        for _ in 0..20 {
            let pause = pauses.next(None);
            assert!(
                pause >= whole / 2 && pause <= whole,
                "{pause:?} of {whole:?}"
            );
            whole = (whole * 2).min(LONGEST);
        }
    }

    #[test]
    fn a_server_that_asks_for_more_time_gets_it_and_hosts_differ() {
        let asked = Some(Duration::from_secs(30));
        let first = RetryPause::new(1).next(asked);
        assert!(first >= Duration::from_secs(30) && first <= Duration::from_secs(45));
        assert_ne!(first, RetryPause::new(2).next(asked));
        let forever = Some(Duration::from_secs(1 << 40));
        assert!(RetryPause::new(1).next(forever) <= LONGEST * 2);
    }
}
