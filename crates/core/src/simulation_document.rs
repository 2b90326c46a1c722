//! What a simulated array did.
//!
//! Its JSON is `ioalign.simulation/1`.

use serde::{Deserialize, Serialize};

use crate::profile::Latency;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.simulation/1";

/// One array under one workload, from several starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulationDocument {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// The array as it was asked for.
    pub array: String,
    /// The array in words, with its disks.
    pub about: String,
    /// The workload as it was asked for.
    pub workload: String,
    /// Of the places.
    pub seed: u64,
    /// Requests before those that count.
    pub warm_up_ios: u64,
    /// A start each, in the order given; of a job with several steps, all starts of a step together.
    pub arms: Vec<SimulatedArm>,
    /// That of the first arm.
    pub closed_form: SimulatedClosedForm,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulatedArm {
    /// Where the partition starts.
    pub start_bytes: u64,
    /// The step of the job.
    pub step: String,
    /// Requests that count.
    pub ios: u64,
    /// Requests a second.
    pub iops: f64,
    /// Lower end of the interval; `None`: one run.
    pub iops_low: Option<f64>,
    /// Upper end.
    pub iops_high: Option<f64>,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// From sending to completion.
    pub latency_us: Latency,
    /// Each disk.
    pub disks: Vec<SimulatedDisk>,
    /// I/Os of disks for each request.
    pub disk_ios_per_io: f64,
    /// Requests a second over those of the first start of the step.
    pub iops_ratio: Option<f64>,
    /// The same by a formula.
    pub closed_form: SimulatedClosedForm,
}

/// I/Os of one disk.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedDisk {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

/// What a formula says.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulatedClosedForm {
    /// I/Os of disks for each request; `None`: there is no formula for it.
    pub disk_ios_per_io: Option<f64>,
}

/// An array that is known by name.
#[derive(Clone, Debug, Serialize)]
pub struct ArrayPreset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Where its parameters come from.
    pub source: &'static str,
    /// All parameters, as in a file.
    pub toml: &'static str,
}
