//! The drawn quantity, and its numbers.

use ioalign_core::comparison::{ArmLevel, Comparison, Estimate, Metric};

/// The drawn quantity: throughput, or latency if throughput was not measured, or not long enough.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    Throughput,
    Latency,
}

impl Quantity {
    /// The quantity of this comparison.
    pub fn of(comparison: &Comparison) -> Self {
        let mut estimates = comparison.cells.iter().flat_map(|cell| &cell.estimates);
        if estimates.any(|one| one.metric == Metric::Throughput && one.ratio_low.is_some()) {
            Self::Throughput
        } else {
            Self::Latency
        }
    }

    /// The metric that says it.
    pub const fn metric(self) -> Metric {
        match self {
            Self::Throughput => Metric::Throughput,
            Self::Latency => Metric::LatencyMedian,
        }
    }

    /// Low, middle and high: how much more throughput, or less latency, the baseline has than the
    /// arm. After a change the arm is the aligned one.
    pub fn gained(self, of: &Estimate, changed: bool) -> Option<[f64; 3]> {
        let ratio = of.ratio.filter(|ratio| *ratio > 0.0)?;
        let gain = |ratio: f64| {
            let aligned = if changed {
                ratio
            } else {
                1.0 / ratio.max(f64::MIN_POSITIVE)
            };
            match self {
                Self::Throughput => aligned - 1.0,
                Self::Latency => 1.0 - aligned,
            }
        };
        let [a, b] = [of.ratio_low, of.ratio_high].map(|end| gain(end.unwrap_or(ratio)));
        Some([a.min(b), gain(ratio), a.max(b)])
    }

    /// Mebibytes a second, or microseconds.
    #[expect(clippy::cast_precision_loss, reason = "sizes of I/Os are small")]
    pub fn reached(self, level: &ArmLevel, block_bytes: u64) -> Option<f64> {
        match self {
            Self::Throughput => {
                let by_ios = || Some(level.iops? * block_bytes as f64);
                Some(level.bytes_per_s.or_else(by_ios)? / 1_048_576.0)
            }
            Self::Latency => level.latency_p50_us,
        }
    }

    /// The better quantity, as a title.
    pub const fn gain(self) -> &'static str {
        match self {
            Self::Throughput => "Throughput gained",
            Self::Latency => "Latency saved",
        }
    }

    /// The level, as a title.
    pub const fn level(self) -> &'static str {
        match self {
            Self::Throughput => "Throughput in MiB/s",
            Self::Latency => "Median latency in µs",
        }
    }
}
