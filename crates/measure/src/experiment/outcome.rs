//! Results of an experiment, at its end and during it.

use std::time::Duration;

use ioalign_core::comparison::{ArmLevel, Estimate, Placebo};

/// The results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperimentOutcome {
    /// The arms in absolute numbers, the baseline first and pooled with its duplicate.
    pub levels: Vec<ArmLevel>,
    /// One a metric and arm that was measured, the baseline left out.
    pub estimates: Vec<Estimate>,
    /// The duplicate against the baseline.
    pub placebo: Placebo,
    /// I/Os that were timed, in both parts.
    pub ios: u64,
    /// Micro-rounds, and rounds of blocks.
    pub rounds: u64,
    /// By the clock of the subject.
    pub elapsed: Duration,
    /// Why it ended before its time; `None`: all was certain, or the time was up.
    pub partial: Option<String>,
}

/// Which part an experiment is in.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ExperimentPart {
    /// Closed batches.
    #[default]
    Latency,
    /// Full queues.
    Saturation,
}

/// How it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperimentSnapshot {
    /// The part that is being measured.
    pub part: ExperimentPart,
    /// Since the start.
    pub elapsed: Duration,
    /// About how much longer it takes, if the estimates stay as they are; at most the time that is left.
    pub eta: Duration,
    /// Micro-rounds, and rounds of blocks.
    pub rounds: u64,
    /// I/Os so far.
    pub ios: u64,
    /// As they are now: every look at them is allowed, they are valid at any time.
    pub estimates: Vec<Estimate>,
    /// As it is now.
    pub placebo: Placebo,
}
