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
    /// Gains over many loads, as the publication has them; `None`: it has none.
    #[serde(default)]
    pub published: Option<LabSpread>,
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
    /// `read`, `write` or `discard`.
    pub op: String,
    /// `random` or `sequential`; `None`: the experiment does not say.
    #[serde(default)]
    pub pattern: Option<String>,
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
    /// What iostat says of a device below the load; `None`: it is not asked.
    #[serde(default)]
    pub iostat: Option<LabIostat>,
    /// What a disk let go of what was discarded; `None`: nothing was.
    #[serde(default)]
    pub discard: Option<LabDiscard>,
}

/// A device as iostat has it, and as `watch` saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabIostat {
    /// Its name.
    pub device: String,
    /// The columns of iostat: time of requests in `/sys/block/*/stat` by their number.
    pub r_await_us: Option<f64>,
    /// The same of writes.
    pub w_await_us: Option<f64>,
    /// From issue to completion, as `watch` measured.
    pub read_us: Option<f64>,
    /// The same of writes.
    pub write_us: Option<f64>,
    /// Small reads.
    pub small_reads: u64,
    /// Large writes beside them.
    pub large_writes: u64,
    /// Whether `watch` names read-modify-write.
    pub read_modify_write: bool,
}

/// Bytes that were discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabDiscard {
    /// All of them.
    pub bytes: u64,
    /// Those that the disk does not hold any more.
    pub released_bytes: u64,
    /// By `check`: the share that lies in whole units of the disk; `None`: it does not say.
    pub predicted_ratio: Option<f64>,
}

impl LabDiscard {
    /// The share that was released.
    pub fn ratio(&self) -> f64 {
        ratio(self.released_bytes, self.bytes.max(1))
    }
}

/// Least, mean and most over many loads, as shares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabSpread {
    /// Throughput gained.
    pub throughput: [f64; 3],
    /// Latency saved.
    pub latency: [f64; 3],
    /// Where they stand.
    pub source: String,
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
    /// Mean latency of the aligned arm over that of the misaligned one; `None`: a load does not say.
    #[serde(default)]
    pub latency_ratio: Option<f64>,
    /// The same ratio in the publication; `None`: it has none.
    pub published_ratio: Option<f64>,
    /// Where that stands.
    pub source: String,
}

/// A count may be off its prediction by this much.
const SHARE: f64 = 0.01;
/// Standard deviations that chance may make of few random places.
const CHANCE: f64 = 3.0;
/// What the model may differ in I/Os where there are writes.
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
        let discards = self
            .cells
            .iter()
            .all(|cell| cell.discard_agrees() != Some(false));
        checks && models && discards && self.straddles_agree() != Some(false)
    }
}

impl LabCell {
    /// Whether the model's I/Os of disks are those of the kernel; `None`: there is no model.
    pub fn model_agrees(&self) -> Option<bool> {
        let simulated = self.simulated_disk_ios_per_io?;
        let reads_alone = self.op == "read" && self.disks.iter().all(|disk| disk.writes == 0);
        let within = if reads_alone { READS } else { WRITES };
        Some((simulated / self.disk_ios_per_io - 1.0).abs() <= within)
    }

    /// Whether the disk released as much as was predicted; `None`: there is no prediction.
    pub fn discard_agrees(&self) -> Option<bool> {
        let discard = self.discard?;
        Some((discard.predicted_ratio? - discard.ratio()).abs() <= SHARE)
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
        let mut mixed = cell("read", 2.01);
        mixed.disks = vec![LabDisk {
            writes: 1,
            ..LabDisk::default()
        }];
        assert_eq!(mixed.model_agrees(), Some(true));
        assert_eq!(cell("write", 2.1).model_agrees(), Some(false));
        assert_eq!(LabCell::default().model_agrees(), None);
    }

    #[test]
    fn what_a_disk_keeps_against_the_prediction_differs() {
        let cell = |released_bytes: u64, predicted_ratio: Option<f64>| LabCell {
            discard: Some(LabDiscard {
                bytes: 1000,
                released_bytes,
                predicted_ratio,
            }),
            ..LabCell::default()
        };
        assert_eq!(cell(940, Some(0.9375)).discard_agrees(), Some(true));
        assert_eq!(cell(0, Some(0.9375)).discard_agrees(), Some(false));
        assert_eq!(cell(0, None).discard_agrees(), None);
        let document = LabDocument {
            cells: vec![cell(0, Some(1.0))],
            ..LabDocument::default()
        };
        assert!(!document.holds());
    }
}
