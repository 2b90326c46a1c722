//! An experiment: batches of several arms in random order, until it is clear how they differ.
//!
//! Two parts. *Micro-rounds* of closed batches compare latency: each measures every arm, and a duplicate of the
//! baseline, several times in a new random order. *Blocks* with a full queue compare throughput and processor
//! time. Both end when [`stats`](crate::stats) is certain, or at the time limit. Reasons and limits:
//! `docs/measure-method.md`.

mod blocks;
mod clock;
mod design;
mod estimates;
mod eta;
mod levels;
mod notes;
mod order;
mod outcome;
mod rounds;
mod run;
mod slot;

use std::time::Duration;

use crate::Result;

pub(crate) use order::ShuffledOrder;

pub use design::Design;
pub use outcome::{ExperimentOutcome, ExperimentPart, ExperimentSnapshot};
pub use run::run;

/// The subject of an experiment: a device with its arms, or a model of one with a known truth.
///
/// Arms are numbered from 0, the baseline. The experiment itself adds the duplicate of the baseline.
pub trait ExperimentSubject {
    /// How many arms there are, the baseline among them, the duplicate not.
    fn arms(&self) -> usize;

    /// The number by which the duplicate of the baseline is asked for. By default it is the baseline itself; a
    /// subject whose arms have places, cursors or buffers of their own gives the duplicate its own as well,
    /// under a number past its arms: only then can the placebo show what they do to each other.
    fn duplicate(&self) -> usize {
        0
    }

    /// The time that has passed, from any start: a model has a clock of its own, which its batches move.
    fn now(&self) -> Duration {
        clock::now()
    }

    /// A new round begins, outside of all timing: every arm gets new places by the same law, and what
    /// may be cached is thrown out where that was asked for.
    fn begin_round(&mut self) -> Result<()>;

    /// One closed batch of an arm: all its I/Os are sent, and all are waited for.
    fn batch(&mut self, arm: usize) -> Result<ClosedBatch>;

    /// Keeps the queue of one arm full for about this time.
    fn saturate(&mut self, arm: usize, time: Duration) -> Result<FullQueueTime>;
}

/// A closed batch.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedBatch {
    /// From the first I/O sent to the last one completed; of a run of several batches of a walk, their mean.
    pub elapsed_ns: u64,
    /// The same of what is usual: of a run of several the median, which does not know of what a few of them waited for.
    pub usual_ns: u64,
    /// How many I/Os.
    pub ios: u32,
}

/// A time with a full queue.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct FullQueueTime {
    /// Wall-clock time.
    pub elapsed_ns: u64,
    /// I/Os completed in it.
    pub ios: u64,
    /// User and system time of the engine's threads.
    pub cpu_ns: u64,
}
