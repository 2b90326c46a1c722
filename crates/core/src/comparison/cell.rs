//! The I/O of a cell.

use super::{ArmLevel, Cell, Estimate, EstimateVerdict, Metric};

impl Cell {
    /// An arm in absolute numbers, where it was measured.
    pub fn level(&self, arm: &str) -> Option<&ArmLevel> {
        self.levels.iter().find(|level| level.arm == arm)
    }

    /// The estimates of one metric of an arm.
    pub fn estimate(&self, arm: &str, metric: Metric) -> Option<&Estimate> {
        let same = |one: &&Estimate| one.arm == arm && one.metric == metric;
        self.estimates.iter().find(same)
    }

    /// The verdict of an arm: a difference in the median, else in the throughput; no difference if one of them says so
    /// and the other does not contradict. If neither was measured, the verdict of the first metric.
    pub fn verdict(&self, arm: &str) -> Option<EstimateVerdict> {
        let of = |metric| Some(self.estimate(arm, metric)?.verdict);
        let deciding = [of(Metric::LatencyMedian), of(Metric::Throughput)];
        let known = || deciding.into_iter().flatten();
        let is = |wanted: &[EstimateVerdict]| known().find(|one| wanted.contains(one));
        let found = is(&[EstimateVerdict::Slower, EstimateVerdict::Faster])
            .or_else(|| is(&[EstimateVerdict::NoDifference]))
            .or_else(|| known().next());
        let first = || Some(self.estimates.iter().find(|one| one.arm == arm)?.verdict);
        let found = found.or_else(first)?;
        Some(if self.placebo.moved {
            EstimateVerdict::Invalid
        } else {
            found
        })
    }

    /// I/Os in flight of all workers.
    pub fn in_flight(&self) -> u64 {
        u64::from(self.queue_depth) * u64::from(self.workers.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(verdicts: &[(Metric, EstimateVerdict)]) -> Cell {
        let estimate = |(metric, verdict): &(Metric, EstimateVerdict)| Estimate {
            metric: *metric,
            verdict: *verdict,
            ..Estimate::default()
        };
        Cell {
            estimates: verdicts.iter().map(estimate).collect(),
            ..Cell::default()
        }
    }

    #[test]
    fn the_verdict_is_that_of_what_was_decided() {
        use EstimateVerdict::{NoDifference, Slower, Undecided};
        use Metric::{LatencyMean, LatencyMedian, Throughput};
        for (known, expected) in [
            (vec![], None),
            (vec![(LatencyMean, Slower)], Some(Slower)),
            (
                vec![(LatencyMedian, Undecided), (LatencyMean, Slower)],
                Some(Undecided),
            ),
            (
                vec![(LatencyMedian, Undecided), (Throughput, Slower)],
                Some(Slower),
            ),
            (
                vec![(LatencyMedian, NoDifference), (Throughput, Undecided)],
                Some(NoDifference),
            ),
            (
                vec![(LatencyMedian, NoDifference), (Throughput, Slower)],
                Some(Slower),
            ),
        ] {
            assert_eq!(cell(&known).verdict(""), expected, "{known:?}");
        }
        let mut moved = cell(&[(LatencyMedian, Slower)]);
        moved.placebo.moved = true;
        assert_eq!(moved.verdict(""), Some(EstimateVerdict::Invalid));
    }
}
