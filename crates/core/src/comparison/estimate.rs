//! How much an arm differs from the baseline, with an interval and a word.

use serde::{Deserialize, Serialize};

/// The compared quantity.
#[derive(
    Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The median time of a closed batch: the one that resolves 1 %.
    #[default]
    LatencyMedian,
    /// The mean time of a closed batch.
    LatencyMean,
    /// The 99th percentile of a closed batch.
    LatencyP99,
    /// I/Os a second with the queue kept full.
    Throughput,
    /// User and system time an I/O.
    CpuPerIo,
}

impl Metric {
    /// Whether more of it is better.
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::Throughput)
    }
}

/// The estimate of a difference.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EstimateVerdict {
    /// Worse than the baseline by more than the region of practical equivalence.
    Slower,
    /// Better than the baseline by more than that.
    Faster,
    /// The whole interval lies in the region of practical equivalence.
    NoDifference,
    /// Time ran out before either was certain.
    #[default]
    Undecided,
    /// The placebo moved: no number of this cell is a result.
    Invalid,
}

impl EstimateVerdict {
    /// The word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::NoDifference => "no-difference",
            Self::Undecided => "undecided",
            Self::Invalid => "invalid",
        }
    }
}

/// One metric of one arm against the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Which metric.
    pub metric: Metric,
    /// Which arm.
    pub arm: String,
    /// Against which.
    pub baseline: String,
    /// Arm over baseline.
    pub ratio: Option<f64>,
    /// Lower end of the interval.
    pub ratio_low: Option<f64>,
    /// Upper end.
    pub ratio_high: Option<f64>,
    /// The probability that the interval contains the truth, at any time and over all cells of the
    /// run.
    pub confidence: f64,
    /// How the interval was made.
    pub method: String,
    /// Micro-rounds or blocks that it rests on.
    pub rounds: u64,
    /// The verdict.
    pub verdict: EstimateVerdict,
    /// A caveat that the number alone does not show: median and mean disagree.
    #[serde(default)]
    pub note: Option<String>,
}

/// The baseline against a duplicate of itself, measured as an arm like the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placebo {
    /// Duplicate over baseline, median latency.
    pub ratio: Option<f64>,
    /// Lower end of its interval.
    pub ratio_low: Option<f64>,
    /// Upper end.
    pub ratio_high: Option<f64>,
    /// The interval leaves out 1: something other than the arms differs, and the cell is invalid.
    pub moved: bool,
}
