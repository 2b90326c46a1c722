//! What a simulated array did.
//!
//! Its JSON is `ioalign.simulation/1`.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
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
    /// The parameters of the array, each changed alone: what that does to the first arm.
    #[serde(default)]
    pub effects: Vec<SimulatedEffect>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// What a parameter does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulatedEffect {
    /// Its key in a file.
    pub parameter: String,
    /// Requests a second with twice as much of it, or another choice, over those of the array as it is; `None`:
    /// there is no such array.
    pub iops_ratio: Option<f64>,
    /// Whether anything else than chance: the runs differ by 2 % or more.
    pub matters: bool,
}

/// One start on one array.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulatedArm {
    /// The array, where several are compared; empty: the only one.
    #[serde(default)]
    pub array: String,
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

/// The name and version of the record of a calibration.
pub const CALIBRATION_SCHEMA: &str = "ioalign.calibration/1";

/// What was predicted of a device, and what was measured then.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CalibrationRecord {
    /// [`CALIBRATION_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// The device or file.
    pub target: String,
    /// The machine.
    pub machine: Machine,
    /// The array that is assumed below it.
    pub array: String,
    /// The array in words.
    pub about: String,
    /// What is predicted: the cost of this offset.
    pub offset_bytes: u64,
    /// How far a prediction may be off.
    pub tolerance_ratio: f64,
    /// One kind of I/O each.
    pub rows: Vec<CalibrationRow>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One kind of I/O.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CalibrationRow {
    /// The I/O in words.
    pub load: String,
    /// Requests a second of the aligned I/O, measured before the prediction.
    pub aligned_iops: f64,
    /// Misaligned over aligned, predicted.
    pub predicted_ratio: f64,
    /// Requests a second, predicted.
    pub predicted_iops: f64,
    /// Misaligned over aligned, measured afterwards; `None`: it was not.
    pub measured_ratio: Option<f64>,
    /// Lower end of its interval.
    pub measured_low: Option<f64>,
    /// Upper end.
    pub measured_high: Option<f64>,
    /// Predicted over measured, less 1.
    pub error_ratio: Option<f64>,
    /// Whether that is within the tolerance.
    pub hit: Option<bool>,
}

/// The name and version of the document of published figures.
pub const PUBLISHED_SCHEMA: &str = "ioalign.published/1";

/// Published figures beside those of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PublishedFigures {
    /// [`PUBLISHED_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// Of the places.
    pub seed: u64,
    /// One figure each.
    pub rows: Vec<PublishedFigure>,
    /// The mean distance of the gains of rows with a mechanical model, in percentage points.
    pub mean_error_points: f64,
}

/// One figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PublishedFigure {
    /// The array by its name.
    pub array: String,
    /// What was measured.
    pub what: String,
    /// As it was published, in the unit.
    pub published: f64,
    /// By the model.
    pub simulated: f64,
    /// `%` of a gain, `×` of a ratio.
    pub unit: String,
    /// How far they may be apart, in the unit.
    pub tolerance: f64,
    /// Whether they are no further apart.
    pub hit: bool,
    /// Whether the model has the parts that make the figure.
    pub mechanical: bool,
    /// The document.
    pub source: String,
    /// A remark; may be empty.
    pub note: String,
}

/// The name and version of the document of groups and pools.
pub const PROVISIONING_SCHEMA: &str = "ioalign.provisioning/1";

/// RAID groups against one pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProvisioningDocument {
    /// [`PROVISIONING_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// Of the places.
    pub seed: u64,
    /// One tenant at one load point each.
    pub rows: Vec<ProvisionedTenant>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One tenant, in its own group and in the pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProvisionedTenant {
    /// The array of each group.
    pub array: String,
    /// How many groups.
    pub groups: u32,
    /// How much of them is allocated.
    pub allocated_ratio: f64,
    /// The load point; 0: a load without tiles.
    pub tiles: u32,
    /// Its name.
    pub tenant: String,
    /// In its group; `None`: the disks cannot keep up.
    pub in_group: Option<TenantRate>,
    /// In the pool.
    pub in_pool: Option<TenantRate>,
}

/// What a tenant gets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct TenantRate {
    /// Requests a second.
    pub iops: f64,
    /// Mean latency.
    pub mean_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
}

/// The name and version of the document of placements.
pub const PLACEMENT_SCHEMA: &str = "ioalign.placement/1";

/// Where clusters keep data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlacementDocument {
    /// [`PLACEMENT_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// Of the places.
    pub seed: u64,
    /// Nodes of the cluster.
    pub nodes: u32,
    /// One policy each.
    pub rows: Vec<PlacementFigures>,
}

/// One policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlacementFigures {
    /// Its name.
    pub policy: String,
    /// What it does.
    pub about: String,
    /// Messages between nodes for a read.
    pub hops_per_read: f64,
    /// For a write with its copies.
    pub hops_per_write: f64,
    /// Reads that are served by the node of the machine that reads.
    pub local_ratio: f64,
    /// The same right after the machine has moved to another node.
    pub local_after_move_ratio: f64,
    /// And after it has read as much again as it has data.
    pub local_settled_ratio: f64,
    /// Bytes of the fullest node over the mean.
    pub fullest_ratio: f64,
    /// Bytes that are copied when a node is lost, over those that it held.
    pub rebuilt_ratio: f64,
    /// Nodes that these are read from.
    pub rebuild_sources: u32,
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
