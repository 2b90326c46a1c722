//! A comparison: the same I/O at several offsets, or on several targets, and how they differ.
//!
//! Its JSON is `ioalign.comparison/1`. Ratios are arm over baseline of the metric itself: of a latency
//! 1.2 means slower by 20 %, of a throughput 0.8 means less by 20 %.

mod estimate;
mod machine;

use serde::{Deserialize, Serialize};

pub use estimate::{Estimate, Metric, Placebo, Verdict};
pub use machine::{Machine, MachineDisk};

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.comparison/1";

/// What was measured in one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// The machine that it ran on.
    pub machine: Machine,
    /// The device, file or folder; of several targets the first.
    pub target: String,
    /// What is compared; the first is the baseline.
    pub arms: Vec<Arm>,
    /// One entry a block size, operation, pattern, queue depth and number of workers.
    pub cells: Vec<Cell>,
    /// Over all cells.
    pub summary: Summary,
    /// Seconds of wall-clock time.
    pub duration_s: f64,
    /// Why it ended before all was measured; `None`: it did not.
    #[serde(default)]
    pub partial: Option<String>,
    /// What the reader has to know: a fallback that was taken, a limit of the target.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One of the things compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// `aligned`, `+512`, `/dev/sdb`.
    pub name: String,
    /// Added to every place.
    pub offset_bytes: u64,
    /// Where several targets are compared: which one.
    #[serde(default)]
    pub target: Option<String>,
}

/// One kind of I/O, in every arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Size of an I/O.
    pub block_bytes: u64,
    /// `read`, `write`, or the share of reads: `read-70`.
    pub op: String,
    /// `random`, `sequential`, `zipf`.
    pub pattern: String,
    /// I/Os in flight a worker.
    pub queue_depth: u32,
    /// Threads.
    pub workers: u32,
    /// The arms in absolute numbers, in the order of [`Comparison::arms`].
    #[serde(default)]
    pub levels: Vec<Level>,
    /// One entry a metric and arm, the baseline left out.
    pub estimates: Vec<Estimate>,
    /// The baseline against its own duplicate.
    pub placebo: Placebo,
    /// I/Os of all arms that were timed.
    #[serde(default)]
    pub ios: u64,
    /// Seconds spent on this cell.
    #[serde(default)]
    pub duration_s: f64,
}

/// One arm in absolute numbers; `None` where it was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The arm's name.
    pub arm: String,
    /// Half of the closed batches took at most so long, per batch.
    pub latency_p50_us: Option<f64>,
    /// Mean.
    pub latency_mean_us: Option<f64>,
    /// 99 % took at most so long.
    pub latency_p99_us: Option<f64>,
    /// I/Os a second with the queue kept full.
    pub iops: Option<f64>,
    /// Bytes a second with the queue kept full.
    pub bytes_per_s: Option<f64>,
    /// User and system time of the engine's own threads an I/O.
    pub cpu_per_io_us: Option<f64>,
}

/// The table of a matrix: aligned against misaligned, over all cells with a valid result.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How much more throughput alignment gives: 0.12 is 12 %.
    pub throughput_gain_ratio: Option<Spread>,
    /// How much latency alignment saves.
    pub latency_drop_ratio: Option<Spread>,
}

/// Of several numbers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// Their mean.
    pub mean: f64,
    /// The greatest.
    pub max: f64,
}
