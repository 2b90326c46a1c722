//! What is asked of a cell.

use super::{Cell, Estimate, Level, Metric, Verdict};

impl Cell {
    /// An arm in absolute numbers, where it was measured.
    pub fn level(&self, arm: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.arm == arm)
    }

    /// What is known of a metric of an arm.
    pub fn estimate(&self, arm: &str, metric: Metric) -> Option<&Estimate> {
        let same = |one: &&Estimate| one.arm == arm && one.metric == metric;
        self.estimates.iter().find(same)
    }

    /// The verdict of an arm: that of the median, else of the throughput, else of the first metric.
    pub fn verdict(&self, arm: &str) -> Option<Verdict> {
        let found = self
            .estimate(arm, Metric::LatencyMedian)
            .or_else(|| self.estimate(arm, Metric::Throughput))
            .or_else(|| self.estimates.iter().find(|one| one.arm == arm))?;
        Some(if self.placebo.moved {
            Verdict::Invalid
        } else {
            found.verdict
        })
    }

    /// I/Os in flight of all workers.
    pub fn in_flight(&self) -> u64 {
        u64::from(self.queue_depth) * u64::from(self.workers.max(1))
    }
}
