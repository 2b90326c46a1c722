//! The result of a plain load: operations, rates, latencies, as in a load generator's report.
//!
//! Its JSON is `ioalign.load/1`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::workload::Workload;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.load/1";

/// One run of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// The machine that it ran on.
    pub machine: Machine,
    /// Devices, files or folders.
    pub targets: Vec<String>,
    /// The name of the job.
    pub job: String,
    /// One after the other.
    pub steps: Vec<LoadStep>,
    /// Why it ended before all was sent; `None`: it did not.
    #[serde(default)]
    pub partial: Option<String>,
    /// Notes for the reader.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One workload of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadStep {
    /// The sent I/O.
    pub workload: Workload,
    /// `read`, `write`.
    pub by_op: BTreeMap<String, SentOperation>,
    /// Seconds that counted.
    pub duration_s: f64,
    /// User time of the engine's own threads over wall-clock time: 1 is one processor.
    pub user_ratio: Option<f64>,
    /// The same of system time.
    pub system_ratio: Option<f64>,
    /// Flushes that were sent.
    pub flushes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// By second.
    pub seconds: Vec<Second>,
    /// Why it ended early.
    pub partial: Option<String>,
}

/// One operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SentOperation {
    /// How many.
    pub ios: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// From submission to completion.
    pub latency_us: Option<LoadLatency>,
}

/// How long I/Os took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadLatency {
    /// The shortest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// The longest.
    pub max: f64,
    /// Percentiles: the share of I/Os, and the time that it did not exceed.
    pub percentiles: Vec<Percentile>,
}

/// One percentile.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentile {
    /// 99.9.
    pub percent: f64,
    /// Microseconds.
    pub us: f64,
}

/// One second of a run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Since the counting began.
    pub at_s: f64,
    /// Reads completed in it.
    pub reads: u64,
    /// Writes completed in it.
    pub writes: u64,
    /// Bytes in it.
    pub bytes: u64,
    /// The mean time of an I/O that completed in it; `None`: none did, or an earlier version wrote it.
    #[serde(default)]
    pub latency_us: Option<f64>,
}
