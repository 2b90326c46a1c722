//! A comparison: the same I/O at several offsets, or on several targets, and how they differ.
//!
//! Its JSON is `ioalign.comparison/1`. Ratios are arm over baseline of the metric itself: of a latency
//! 1.2 means slower by 20 %, of a throughput 0.8 means less by 20 %.

mod amplification;
mod before;
mod cell;
mod conditions;
mod estimate;
mod layouts;
mod summary;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

pub use amplification::{
    ArmAmplification, CountedArm, RatioRange, WriteAmplification, WrittenPart, least_bytes,
};
pub use before::{Before, Change};
pub use conditions::Conditions;
pub use estimate::{Estimate, EstimateVerdict, Metric, Placebo};
pub use layouts::{LAYOUT_PHASE, offset_of};
pub use summary::{ComparisonSummary, Points, Spread};

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.comparison/1";

/// The measurements of one run.
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
    /// In what the arms differ.
    #[serde(default)]
    pub subject: ComparisonSubject,
    /// The arms; the first is the baseline.
    pub arms: Vec<Arm>,
    /// One entry a block size, operation, pattern, queue depth and number of workers.
    pub cells: Vec<Cell>,
    /// Over all cells.
    pub summary: ComparisonSummary,
    /// Conditions of all cells; `None`: written by an earlier version.
    #[serde(default)]
    pub conditions: Option<Conditions>,
    /// Seconds of wall-clock time.
    pub duration_s: f64,
    /// Why it ended before all was measured; `None`: it did not.
    #[serde(default)]
    pub partial: Option<String>,
    /// Notes for the reader: a fallback that was used, a limit of the target.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Against an earlier run, where one was named.
    #[serde(default)]
    pub before: Option<Before>,
    /// What the drive wrote to its media, where that was asked for: an entry a kind of writes.
    #[serde(default)]
    pub write_amplification: Vec<WriteAmplification>,
    /// By a model: nothing was measured.
    #[serde(default)]
    pub simulated: bool,
}

impl Comparison {
    /// Whether anything is certain to differ, in a cell whose placebo kept still. Against an earlier run only
    /// the layout of then decides, measured as an arm of this run.
    pub fn differs(&self) -> bool {
        let mut estimates = self.cells.iter().flat_map(|cell| &cell.estimates);
        let is_certain = |one: &Estimate| {
            matches!(
                one.verdict,
                EstimateVerdict::Slower | EstimateVerdict::Faster
            )
        };
        (self.before.is_none() || self.is_of_a_change()) && estimates.any(is_certain)
    }

    /// Whether the baseline is the layout of an earlier run, from which the others are to be better.
    pub fn is_of_a_change(&self) -> bool {
        let before = self.before.as_ref();
        before.is_some_and(|before| before.interleaved)
    }

    /// The arm that the summary says the gain of: the baseline, or after a change what is now.
    pub fn better(&self) -> Option<&Arm> {
        self.arms.get(usize::from(self.is_of_a_change()))
    }

    /// Makes the summary of the cells.
    pub fn sum_up(&mut self) {
        self.summary = if self.is_of_a_change() {
            ComparisonSummary::of_change(&self.cells)
        } else {
            ComparisonSummary::of(&self.cells)
        };
    }
}

/// In what the arms of a comparison differ.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonSubject {
    /// Where their I/O begins, or which target it goes to.
    #[default]
    Alignment,
    /// How a page of a database is protected from being torn: a cell's I/O is a page that is made durable.
    PageWrites,
}

/// One of the things compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// `aligned`, `+512`, `/dev/sdb`.
    pub name: String,
    /// Added to every place.
    pub offset_bytes: u64,
    /// The target, if several are compared.
    #[serde(default)]
    pub target: Option<String>,
    /// The start of its I/O on the disk at the bottom; `None`: not known, as for a file.
    #[serde(default)]
    pub start_bytes: Option<u64>,
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
    pub levels: Vec<ArmLevel>,
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

impl Cell {
    /// The share of reads: 1 of `read`, 0.7 of `read-70`.
    pub fn read_ratio(&self) -> Option<f64> {
        match self.op.as_str() {
            "read" => Some(1.0),
            "write" => Some(0.0),
            mix => {
                let percent: f64 = mix.strip_prefix("read-")?.parse().ok()?;
                (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
            }
        }
    }

    /// Whether it sends both reads and writes.
    pub fn is_mixed(&self) -> bool {
        self.read_ratio()
            .is_some_and(|reads| reads > 0.0 && reads < 1.0)
    }
}

/// One arm in absolute numbers; `None` where it was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmLevel {
    /// The arm's name.
    pub arm: String,
    /// Time that half of the closed batches did not exceed.
    pub latency_p50_us: Option<f64>,
    /// Mean.
    pub latency_mean_us: Option<f64>,
    /// Time that 99 % did not exceed.
    pub latency_p99_us: Option<f64>,
    /// I/Os a second with the queue kept full.
    pub iops: Option<f64>,
    /// Bytes a second with the queue kept full.
    pub bytes_per_s: Option<f64>,
    /// User and system time of the engine's own threads an I/O.
    pub cpu_per_io_us: Option<f64>,
}

impl ArmLevel {
    /// One of its numbers: µs, or I/Os a second.
    pub fn of(&self, metric: Metric) -> Option<f64> {
        let value = match metric {
            Metric::LatencyMedian => self.latency_p50_us,
            Metric::LatencyMean => self.latency_mean_us,
            Metric::LatencyP99 => self.latency_p99_us,
            Metric::Throughput => self.iops,
            Metric::CpuPerIo => self.cpu_per_io_us,
        };
        value.filter(|value| *value > 0.0)
    }
}
