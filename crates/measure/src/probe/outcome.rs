//! The answer of a probe.

use std::time::Duration;

/// What a grid was seen by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ProbedKind {
    /// Reads that wait for each other on one disk: the stripe unit.
    Stripe,
    /// Writes that cost less if they cover whole units.
    RmwUnit,
}

/// A grid that was found.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ProbedGrid {
    /// How it was seen.
    pub kind: ProbedKind,
    /// Distance of its boundaries.
    pub unit_bytes: u64,
    /// The first of them.
    pub phase_bytes: u64,
    /// Disks, or groups of disks, that take turns; 1 for a unit of writes.
    pub columns: u64,
    /// The probability that all of it is right.
    pub confidence_ratio: f64,
    /// By how much I/O that meets on one disk, or covers a unit in part, takes longer: 1 is twice as long.
    pub effect_ratio: f64,
}

/// What another copy or a parity would show.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Redundancy {
    /// Neither.
    Unseen,
    /// Reads of one column are served by more disks than its writes.
    Mirror,
    /// Writes of different columns wait for each other.
    Parity,
}

/// What the probe does now.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ProbeStage {
    /// Distances at which reads wait for each other.
    Search,
    /// Which unit and how many columns explain them.
    Fit,
    /// The same with distances that were not used before.
    Confirm,
    /// The first boundary.
    Phase,
    /// Writes of growing size at all phases.
    Writes,
    /// Copies and parity.
    Redundancy,
}

/// How far a probe is.
#[derive(Copy, Clone, Debug)]
pub struct ProbeProgress {
    /// What it does.
    pub stage: ProbeStage,
    /// Reads so far.
    pub reads: u64,
    /// Writes so far.
    pub writes: u64,
    /// The most time that is left.
    pub left: Duration,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct ProbeOutcome {
    /// What was found.
    pub grids: Vec<ProbedGrid>,
    /// Whether copies or parity were seen; `None`: not asked, or not known.
    pub redundancy: Option<Redundancy>,
    /// The smallest effect that could have been seen, as [`ProbedGrid::effect_ratio`].
    pub detection_limit: f64,
    /// The same of writes; `None`: there were none.
    pub write_detection_limit: Option<f64>,
    /// Reads sent.
    pub reads: u64,
    /// Writes sent.
    pub writes: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Why it ended early; `None`: it did not.
    pub partial: Option<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Something was seen, and no geometry that explains it was confirmed.
    pub unclear: bool,
}
