//! What is noted of one arm: the batches of a round, and sums over all rounds.

use super::levels::{Times, times};
use crate::Result;
use crate::stats::{LONG, percentile_of_times, real};

/// Batches of an arm that a 99th percentile is taken of.
const TAIL: usize = 200;
/// One arm, or the duplicate of the baseline.
pub(super) struct Slot {
    /// Its number at the subject.
    pub arm: usize,
    pub times: Vec<u64>,
    tail: Vec<u64>,
    pub all: Times,
    /// Of the last round: the logarithms of its times, in the order of blocks, and their mean.
    pub logs: Vec<f64>,
    /// The same of all rounds of a long one so far.
    pub long: Vec<f64>,
    pub mean: f64,
}

impl Slot {
    /// For rounds of at most so many batches.
    pub(super) fn new(arm: usize, batches: usize) -> Result<Self> {
        Ok(Self {
            arm,
            times: Vec::with_capacity(batches),
            tail: Vec::with_capacity(TAIL),
            all: times()?,
            logs: Vec::with_capacity(batches),
            long: Vec::with_capacity(batches * LONG as usize),
            mean: 0.0,
        })
    }

    /// A round is complete.
    pub(super) fn close(&mut self) {
        let mut sum = 0;
        for time in &self.times {
            sum += time;
            self.all.saturating_record(*time);
            if self.tail.len() < TAIL {
                self.tail.push(*time);
            }
        }
        self.mean = real(sum) / real(self.times.len() as u64);
        self.logs.clear();
        self.logs
            .extend(self.times.iter().map(|time| real(*time).ln()));
        self.long.extend_from_slice(&self.logs);
        self.times.clear();
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
