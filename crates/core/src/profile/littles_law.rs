//! Little's law: what is in flight is the rate times the time each takes (`N = X · R`).
//!
//! It holds for any stable system and any distributions (J. D. C. Little, Operations Research 9,
//! 1961), so numbers of a monitoring system that break it do not describe one and the same thing.

use serde::{Deserialize, Serialize};

use crate::units::ratio;

/// Numbers further apart than this share contradict each other.
pub const TOLERANCE: f64 = 0.1;

/// The check on measured I/O.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LittlesLaw {
    /// The time looked at.
    pub duration_us: f64,
    /// I/Os a second in that time.
    pub iops: f64,
    /// Their mean latency.
    pub latency_mean_us: f64,
    /// In flight by rate and latency: X · R.
    pub expected: f64,
    /// In flight as measured: the time that all I/Os spent in flight within the time looked at, by that time.
    pub measured: f64,
    /// In flight as measured, while there was any in flight.
    pub measured_while_busy: f64,
    /// Measured over expected.
    pub ratio: Option<f64>,
    /// Within 10 %. It is not where latencies are missing or the time begins or ends in the middle of I/O.
    pub consistent: bool,
}

/// The inputs of the check, in nanoseconds.
#[derive(Copy, Clone, Debug, Default)]
pub struct LawInputs {
    /// The time looked at.
    pub duration: u64,
    /// I/Os, with or without a known latency.
    pub ios: u64,
    /// I/Os whose latency is known.
    pub known: u64,
    /// Their latencies, added up.
    pub latency: u128,
    /// Time in flight of all I/Os within the time looked at.
    pub area: u128,
    /// Time with any in flight.
    pub busy: u64,
}

impl LawInputs {
    /// The check; `None` where no latency is known or no time passed.
    pub fn check(&self) -> Option<LittlesLaw> {
        if self.known == 0 || self.duration == 0 {
            return None;
        }
        let whole = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        let iops = ratio(self.ios, self.duration) * 1e9;
        let latency = ratio(whole(self.latency), self.known);
        let (expected, measured) = (iops * latency / 1e9, ratio(whole(self.area), self.duration));
        let factor = (expected > 0.0).then(|| measured / expected);
        Some(LittlesLaw {
            duration_us: ratio(self.duration, 1000),
            iops,
            latency_mean_us: latency / 1e3,
            expected,
            measured,
            measured_while_busy: ratio(whole(self.area), self.busy.max(1)),
            ratio: factor,
            consistent: factor.is_some_and(|factor| (factor - 1.0).abs() <= TOLERANCE),
        })
    }
}

/// Numbers as typed, or as computed: `None` is not known.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LawNumbers {
    /// N: in flight.
    pub outstanding: Option<f64>,
    /// X: I/Os a second.
    pub iops: Option<f64>,
    /// R, in microseconds.
    pub latency_us: Option<f64>,
    /// Bytes an I/O.
    pub size_bytes: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
}

impl LawNumbers {
    /// Derives the missing numbers: `N = X · R` and `throughput = X · size`.
    #[must_use]
    pub fn solved(mut self) -> Self {
        // Each pass may find what the next one needs.
        for _ in 0..3 {
            let seconds = self.latency_us.map(|us| us / 1e6);
            let (n, x, bytes) = (self.outstanding, self.iops, self.throughput_bytes_per_s);
            self.iops = x
                .or_else(|| over(n, seconds))
                .or_else(|| over(bytes, self.size_bytes));
            self.outstanding = n.or_else(|| Some(self.iops? * seconds?));
            self.latency_us = self.latency_us.or_else(|| Some(over(n, self.iops)? * 1e6));
            self.size_bytes = self.size_bytes.or_else(|| over(bytes, self.iops));
            self.throughput_bytes_per_s = bytes.or_else(|| Some(self.iops? * self.size_bytes?));
        }
        self
    }

    /// Throughput by the law over the throughput that was typed; `None` where nothing contradicts.
    ///
    /// A monitor that averages over its interval shows less than the law by the share of time without
    /// I/O: 32 of 1 MiB at 80 ms are 400 MiB/s, and 17.5 MiB/s on the chart are a burst of 4.4 % of it.
    pub fn understated(&self) -> Option<f64> {
        let without = Self {
            throughput_bytes_per_s: None,
            ..*self
        };
        let by_law = without.solved().throughput_bytes_per_s?;
        let by_size = over(Some(by_law), self.throughput_bytes_per_s)?;
        Some(by_size)
    }

    /// In flight by rate and latency over the number typed; `None` unless all three were typed.
    pub fn balance(&self) -> Option<f64> {
        let expected = self.iops? * self.latency_us? / 1e6;
        over(Some(expected), self.outstanding)
    }
}

fn over(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = (a?, b?);
    (b > 0.0).then_some(a / b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1_048_576.0;

    fn near(found: Option<f64>, wanted: f64) {
        let found = found.unwrap();
        assert!(
            (found - wanted).abs() < wanted * 1e-3,
            "{found}, not {wanted}"
        );
    }

    #[test]
    fn a_chart_that_shows_17_of_400_megabytes() {
        let typed = LawNumbers {
            outstanding: Some(32.0),
            latency_us: Some(80_000.0),
            size_bytes: Some(MIB),
            throughput_bytes_per_s: Some(17.5 * MIB),
            ..LawNumbers::default()
        };
        let alone = LawNumbers {
            throughput_bytes_per_s: None,
            ..typed
        }
        .solved();
        near(alone.iops, 400.0);
        near(alone.throughput_bytes_per_s, 400.0 * MIB);
        near(typed.understated(), 400.0 / 17.5);
    }

    #[test]
    fn a_disk_at_20233_a_second() {
        let typed = LawNumbers {
            outstanding: Some(62.8),
            iops: Some(20_233.0),
            ..LawNumbers::default()
        };
        near(typed.solved().latency_us, 3103.8);
        // As printed by iostat beside them: 3.3 ms.
        let with = LawNumbers {
            latency_us: Some(3300.0),
            ..typed
        };
        near(with.balance(), 1.0632);
    }

    #[test]
    fn any_two_give_the_rest() {
        let all = LawNumbers {
            outstanding: Some(8.0),
            iops: Some(1000.0),
            latency_us: Some(8000.0),
            size_bytes: Some(4096.0),
            throughput_bytes_per_s: Some(4_096_000.0),
        };
        let without: [fn(&mut LawNumbers); 4] = [
            |n| (n.outstanding, n.iops) = (None, None),
            |n| (n.iops, n.latency_us) = (None, None),
            |n| (n.iops, n.size_bytes) = (None, None),
            |n| (n.outstanding, n.throughput_bytes_per_s) = (None, None),
        ];
        for take in without {
            let mut typed = all;
            take(&mut typed);
            let found = typed.solved();
            near(found.iops, 1000.0);
            near(found.outstanding, 8.0);
            near(found.size_bytes, 4096.0);
        }
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(LawNumbers::default().solved(), LawNumbers::default());
        assert!(LawInputs::default().check().is_none());
    }
}
