//! Latencies, and how much slower one kind of I/O is than another.

use serde::{Deserialize, Serialize};

/// A distribution of latencies, in microseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// I/Os whose latency is known.
    pub ios: u64,
    /// Half are faster.
    pub p50: f64,
    /// Nine of ten are faster.
    pub p90: f64,
    /// 99 % are faster.
    pub p99: f64,
    /// 99.9 % are faster.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

/// How much slower straddling I/O is: the ratio of geometric means, with a confidence interval.
///
/// Each I/O is compared with the running geometric mean of clean I/Os of its own power-of-two size,
/// so that a difference of sizes is not taken for one of alignment. The interval comes from the means
/// of consecutive batches, because latencies of I/Os that follow each other are alike and their number
/// says little (batch means: Schmeiser, Operations Research 30, 1982; Student's t on the batches).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyRatio {
    /// Straddling over clean; `None` where there is nothing to compare.
    pub ratio: Option<f64>,
    /// Lower end of the interval; `None` with too few batches.
    pub ratio_low: Option<f64>,
    /// Upper end.
    pub ratio_high: Option<f64>,
    /// The share of the interval.
    pub confidence: f64,
    /// Batches that hold both kinds.
    pub batches: u64,
    /// Straddling I/Os that were compared.
    pub straddling_ios: u64,
    /// Clean I/Os that were compared.
    pub clean_ios: u64,
    /// `slower`, `faster`, or `undecided` where the interval includes 1 or there is none.
    pub verdict: String,
}
