//! What an experiment on a real kernel gave.
//!
//! Its JSON is `ioalign.lab/1`.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::units::ratio;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.lab/1";

/// One run of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabDocument {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// Its name.
    pub experiment: String,
    /// What it is about.
    pub about: String,
    /// The publication that it repeats; empty: none.
    #[serde(default)]
    pub paper: String,
    /// The machine that it ran on; the guest is another one.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// The kernel of the guest.
    pub kernel: String,
    /// `virtual`: the time of the guest alone, skipped where it is idle; `real`.
    pub timing: String,
    /// `tcg` or `kvm`.
    pub accelerator: String,
    /// Whether it is the small size.
    pub quick: bool,
    /// What `check` said of each arm.
    pub checks: Vec<LabCheck>,
    /// One load on one arm with one seed each.
    pub cells: Vec<LabCell>,
    /// Aligned over misaligned.
    pub summary: Vec<LabSummary>,
    /// Over all cells that cross boundaries by prediction, by their I/Os: the share of I/Os that touch a cell more than
    /// they must. `None`: there are none.
    pub predicted_straddle_ratio: Option<f64>,
    /// The same as it was counted in the kernel.
    pub watched_straddle_ratio: Option<f64>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// What `check` said of an arm before the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabCheck {
    /// The arm.
    pub arm: String,
    /// `ok`, `misaligned`, …
    pub verdict: String,
    /// What it has to be.
    pub expected_verdict: String,
    /// The rules of its findings.
    pub rules: Vec<String>,
    /// The rule that has to be among them.
    pub expected_rule: Option<String>,
    /// Whether both are so.
    pub holds: bool,
}

/// One load on one arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabCell {
    /// The arm.
    pub arm: String,
    /// The load.
    pub workload: String,
    /// Of its places.
    pub seed: u64,
    /// Size of an I/O of the load, where all have one.
    pub io_bytes: Option<u64>,
    /// `read` or `write`.
    pub op: String,
    /// Requests of the load a second.
    pub iops: f64,
    /// Bytes of the load a second; `None`: the load does not say.
    pub bytes_per_s: Option<f64>,
    /// From sending to completion, as the load says.
    pub latency_mean_us: Option<f64>,
    /// The 99th percentile.
    pub latency_p99_us: Option<f64>,
    /// I/Os that `watch` saw on the device, reads and writes.
    pub ios: u64,
    /// Events that `watch` lost.
    pub dropped: u64,
    /// By `check`: the share of I/Os that touch a cell more than they must; `None`: it does not say.
    pub predicted_straddle_ratio: Option<f64>,
    /// By `watch`.
    pub watched_straddle_ratio: Option<f64>,
    /// Each disk, as the kernel counted.
    pub disks: Vec<LabDisk>,
    /// I/Os of disks for each that `watch` saw.
    pub disk_ios_per_io: f64,
    /// The same of the model with the I/Os that `watch` recorded; `None`: the experiment has no model.
    pub simulated_disk_ios_per_io: Option<f64>,
    /// Requests a second of the model.
    pub simulated_iops: Option<f64>,
}

/// I/Os of one disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabDisk {
    /// Its name.
    pub name: String,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

/// Two arms under one load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabSummary {
    /// The load.
    pub workload: String,
    /// The arm that is compared with.
    pub misaligned: String,
    /// The other one.
    pub aligned: String,
    /// Throughput of the aligned arm over that of the misaligned one: the mean over seeds.
    pub gain_ratio: f64,
    /// Lower end of the 95 % interval; `None`: one seed.
    pub gain_low: Option<f64>,
    /// Upper end.
    pub gain_high: Option<f64>,
    /// The same ratio in the publication; `None`: it has none.
    pub published_ratio: Option<f64>,
    /// Where that stands.
    pub source: String,
}

/// A count may be off its prediction by this much.
const SHARE: f64 = 0.01;
/// Standard deviations that chance may make of few random places.
const CHANCE: f64 = 3.0;
/// What the model may differ in I/Os of writes.
const WRITES: f64 = 0.02;
/// Reads are exact but for what the kernel merges.
const READS: f64 = 0.001;

impl LabDocument {
    /// Whether prediction and count agree over the whole run; `None`: one of them is missing.
    pub fn straddles_agree(&self) -> Option<bool> {
        let (predicted, watched) = (self.predicted_straddle_ratio?, self.watched_straddle_ratio?);
        let crossing = self
            .cells
            .iter()
            .filter(|cell| cell.predicted_straddle_ratio > Some(0.0));
        let ios = crossing.map(|cell| cell.ios).sum::<u64>().max(1);
        let chance = (predicted * (1.0 - predicted) / ratio(ios, 1)).sqrt() * CHANCE;
        Some((predicted - watched).abs() <= SHARE.max(chance))
    }

    /// Whether all that was predicted is so: checks, counts and models.
    pub fn holds(&self) -> bool {
        let checks = self.checks.iter().all(|check| check.holds);
        let models = self
            .cells
            .iter()
            .all(|cell| cell.model_agrees() != Some(false));
        checks && models && self.straddles_agree() != Some(false)
    }
}

impl LabCell {
    /// Whether the model's I/Os of disks are those of the kernel; `None`: there is no model.
    pub fn model_agrees(&self) -> Option<bool> {
        let simulated = self.simulated_disk_ios_per_io?;
        let within = if self.op == "read" { READS } else { WRITES };
        Some((simulated / self.disk_ios_per_io - 1.0).abs() <= within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(watched: f64, ios: u64) -> LabDocument {
        LabDocument {
            predicted_straddle_ratio: Some(0.25),
            watched_straddle_ratio: Some(watched),
            cells: vec![LabCell {
                predicted_straddle_ratio: Some(0.25),
                ios,
                ..LabCell::default()
            }],
            ..LabDocument::default()
        }
    }

    #[test]
    fn a_count_agrees_within_a_point_or_by_chance() {
        assert_eq!(counted(0.241, 1_000_000).straddles_agree(), Some(true));
        assert_eq!(counted(0.27, 1_000_000).straddles_agree(), Some(false));
        assert_eq!(counted(0.27, 1000).straddles_agree(), Some(true));
        assert_eq!(counted(0.0, 1000).straddles_agree(), Some(false));
        assert_eq!(LabDocument::default().straddles_agree(), None);
        assert!(LabDocument::default().holds());
        assert!(!counted(0.0, 1000).holds());
    }

    #[test]
    fn reads_of_a_model_are_exact_and_writes_nearly() {
        let cell = |op: &str, simulated: f64| LabCell {
            op: op.to_owned(),
            disk_ios_per_io: 2.0,
            simulated_disk_ios_per_io: Some(simulated),
            ..LabCell::default()
        };
        assert_eq!(cell("read", 2.0).model_agrees(), Some(true));
        assert_eq!(cell("read", 2.01).model_agrees(), Some(false));
        assert_eq!(cell("write", 2.01).model_agrees(), Some(true));
        assert_eq!(cell("write", 2.1).model_agrees(), Some(false));
        assert_eq!(LabCell::default().model_agrees(), None);
    }
}
