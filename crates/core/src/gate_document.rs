//! A baseline: sessions of one load on different days; and what a gate says of a new one.
//!
//! Their JSON is `ioalign.baseline/1` and `ioalign.gate/1`.

use serde::{Deserialize, Serialize};

use crate::comparison::Conditions;
use crate::machine::Machine;
use crate::workload::Workload;

/// The name and version of a baseline.
pub const BASELINE_SCHEMA: &str = "ioalign.baseline/1";
/// The name and version of an answer.
pub const SCHEMA: &str = "ioalign.gate/1";

/// Seconds of a load that have to count before anything is said of it.
pub const FEWEST_SECONDS: u64 = 10;

/// A load, and the sessions in which it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// [`BASELINE_SCHEMA`].
    pub schema: String,
    /// The name of the job.
    pub job: String,
    /// Devices, files or folders.
    pub targets: Vec<String>,
    /// How I/O was sent.
    pub conditions: Conditions,
    /// The workloads, one after the other.
    pub steps: Vec<Workload>,
    /// The oldest first.
    pub sessions: Vec<BaselineSession>,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BaselineSession {
    /// The program that ran it.
    pub tool: String,
    /// The machine, and when.
    pub machine: Machine,
    /// For each step, the mean time of an I/O in each second.
    pub latency_us: Vec<Vec<f64>>,
}

impl Baseline {
    /// What of another run is not as here, in words.
    pub fn other_than(&self, other: &Self) -> Vec<&'static str> {
        let mut all = other.conditions.other_than(&self.conditions);
        if self.targets != other.targets {
            all.push("the targets");
        }
        if self.steps != other.steps {
            all.push("the load");
        }
        all
    }
}

/// What a gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateVerdict {
    /// A slowdown as large as asked for is excluded.
    Pass,
    /// Neither is certain.
    Undecided,
    /// It is slower than the sessions were.
    Fail,
}

impl GateVerdict {
    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Undecided => "undecided",
            Self::Fail => "fail",
        }
    }
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct GateDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The program.
    pub tool: String,
    /// The machine of the new session.
    pub machine: Machine,
    /// The baseline.
    pub baseline: String,
    /// Devices, files or folders.
    pub targets: Vec<String>,
    /// Sessions in the baseline.
    pub sessions: u64,
    /// The least slowdown that has to be found: 0.02.
    pub slower_ratio: f64,
    /// That the answer is right where it is one.
    pub confidence: f64,
    /// The worst of all steps.
    pub verdict: GateVerdict,
    /// A load each.
    pub steps: Vec<GateStep>,
    /// Why it ended early; `None`: it did not.
    pub partial: Option<String>,
    /// What to know.
    pub notes: Vec<String>,
}

/// One load of the new session against those of the baseline.
#[derive(Clone, Debug, Serialize)]
pub struct GateStep {
    /// The load.
    pub workload: Workload,
    /// What is said of it.
    pub verdict: GateVerdict,
    /// The time of an I/O over that of the baseline; `None`: too few seconds.
    pub ratio: Option<f64>,
    /// The lower end.
    pub ratio_low: Option<f64>,
    /// The upper end.
    pub ratio_high: Option<f64>,
    /// How far sessions of the baseline stray, as a standard deviation.
    pub between_sessions_ratio: f64,
    /// The least slowdown that a session of any length can be certain of with this baseline.
    pub floor_ratio: f64,
    /// Whether it is slower than every session of the baseline.
    pub slowest: bool,
    /// Seconds that counted.
    pub rounds: u64,
    /// The time of an I/O in the baseline.
    pub baseline_us: f64,
    /// That of now.
    pub latency_us: Option<f64>,
}
