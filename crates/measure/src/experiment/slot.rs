//! The numbers of one arm: the batches of a round, and sums over all rounds.

use super::ClosedBatch;
use super::levels::{BatchTimes, times};
use crate::Result;
use crate::stats::{LONG, percentile_of_times, real};

/// Batches of an arm that a 99th percentile is taken of.
const TAIL: usize = 200;
/// One arm, or the duplicate of the baseline.
pub(super) struct ArmSlot {
    /// Its number at the subject.
    pub arm: usize,
    pub batches: Vec<ClosedBatch>,
    tail: Vec<u64>,
    /// All times, and all usual ones.
    pub all: BatchTimes,
    pub usual: BatchTimes,
    /// For the last round: the logarithms of its usual times, in the order of blocks, and the mean of its
    /// times.
    pub logs: Vec<f64>,
    /// The same of all rounds of a long one so far.
    pub long: Vec<f64>,
    pub mean: f64,
}

impl ArmSlot {
    /// For rounds with at most this many batches.
    pub(super) fn new(arm: usize, batches: usize) -> Result<Self> {
        Ok(Self {
            arm,
            batches: Vec::with_capacity(batches),
            tail: Vec::with_capacity(TAIL),
            all: times()?,
            usual: times()?,
            logs: Vec::with_capacity(batches),
            long: Vec::with_capacity(batches * LONG as usize),
            mean: 0.0,
        })
    }

    /// A round is complete.
    pub(super) fn close(&mut self) {
        let mut sum = 0;
        for batch in &self.batches {
            sum += batch.elapsed_ns;
            self.all.saturating_record(batch.elapsed_ns);
            self.usual.saturating_record(batch.usual_ns);
            if self.tail.len() < TAIL {
                self.tail.push(batch.elapsed_ns);
            }
        }
        self.mean = real(sum) / real(self.batches.len() as u64);
        self.logs.clear();
        let usual = self.batches.iter().map(|batch| real(batch.usual_ns).ln());
        self.logs.extend(usual);
        self.long.extend_from_slice(&self.logs);
        self.batches.clear();
    }

    /// The 99th percentile of the last batches, where there are enough.
    pub(super) fn tail(&mut self) -> Option<f64> {
        if self.tail.len() < TAIL {
            return None;
        }
        let p99 = percentile_of_times(&mut self.tail, 99);
        self.tail.clear();
        Some(p99)
    }
}
