//! A run against an earlier one: the same cells, before and after something was changed.

use serde::{Deserialize, Serialize};

use super::{Cell, Comparison, Estimate, Level, Metric, Verdict};

/// Name of the way in which runs of different times are compared.
const METHOD: &str = "levels of two runs, each as exact as its estimates and its placebo";

/// What has changed since a run that was kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// The document with that run.
    pub document: String,
    /// When it was made.
    pub time: String,
    /// Its load average, to be compared with that of this run.
    pub load_average: Option<f64>,
    /// Where its baseline began on the disk at the bottom.
    pub start_bytes: Option<u64>,
    /// The layout of then is an arm of this run: what differs is told by its estimates, and the
    /// changes below are numbers of different times.
    pub interleaved: bool,
    /// What was measured then and now.
    pub changes: Vec<Change>,
}

/// One metric of one arm in two runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Index into [`Comparison::cells`].
    pub cell: usize,
    /// Which metric.
    pub metric: Metric,
    /// Which arm.
    pub arm: String,
    /// Then: µs of latencies, I/Os a second of throughput.
    pub before: f64,
    /// Now.
    pub after: f64,
    /// After over before.
    pub ratio: f64,
    /// Lower end of the interval; `None`: one of the runs does not say how exact it is.
    pub ratio_low: Option<f64>,
    /// Upper end.
    pub ratio_high: Option<f64>,
    /// How the interval was made.
    pub method: String,
    /// What follows for the arm: slower or faster than it was.
    pub verdict: Verdict,
}

impl Change {
    /// What differs between two runs with the same cells and arms. `rope` is the ratio that does not matter.
    pub fn between(before: &Comparison, after: &Comparison, rope: f64) -> Vec<Self> {
        let mut changes = Vec::new();
        for (index, now) in after.cells.iter().enumerate() {
            let Some(then) = before.cells.iter().find(|then| then.is_like(now)) else {
                continue;
            };
            for (old, new) in arms(then, now) {
                let metrics = [Metric::LatencyMedian, Metric::Throughput];
                changes.extend(metrics.into_iter().filter_map(|metric| {
                    let (before, after) = (old.of(metric)?, new.of(metric)?);
                    let change = Self::of(metric, before, after, [then, now], rope);
                    Some(Self {
                        cell: index,
                        arm: new.arm.clone(),
                        ..change
                    })
                }));
            }
        }
        changes
    }

    fn of(metric: Metric, before: f64, after: f64, cells: [&Cell; 2], rope: f64) -> Self {
        let ratio = after / before;
        let halves = cells.map(|cell| half(cell, metric));
        let half = match halves {
            [Some(a), Some(b)] => Some(a.hypot(b)),
            _ => None,
        };
        let ends = half.map(|half| (ratio * (-half).exp(), ratio * half.exp()));
        let moved = cells.iter().any(|cell| cell.placebo.moved);
        Self {
            metric,
            before,
            after,
            ratio,
            ratio_low: ends.map(|ends| ends.0),
            ratio_high: ends.map(|ends| ends.1),
            method: METHOD.to_owned(),
            verdict: verdict(metric, ends, rope, moved),
            ..Self::default()
        }
    }
}

impl Cell {
    /// Whether the same I/O was sent.
    pub fn is_like(&self, other: &Self) -> bool {
        let key = |cell: &Self| {
            let sizes = (cell.block_bytes, cell.queue_depth, cell.workers);
            (sizes, cell.op.clone(), cell.pattern.clone())
        };
        key(self) == key(other)
    }
}

fn arms<'a>(then: &'a Cell, now: &'a Cell) -> impl Iterator<Item = (&'a Level, &'a Level)> {
    now.levels.iter().filter_map(|new| {
        let old = then.level(&new.arm)?;
        Some((old, new))
    })
}

/// How exact one level is, as half an interval of its logarithm: the widest of what the run says of a
/// ratio of two such levels.
fn half(cell: &Cell, metric: Metric) -> Option<f64> {
    let of_placebo = match metric {
        Metric::LatencyMedian => width(cell.placebo.ratio_low, cell.placebo.ratio_high),
        _ => None,
    };
    let same = |estimate: &&Estimate| estimate.metric == metric;
    let estimates = cell.estimates.iter().filter(same);
    let widths = estimates.filter_map(|one| width(one.ratio_low, one.ratio_high));
    widths.chain(of_placebo).reduce(f64::max)
}

fn width(low: Option<f64>, high: Option<f64>) -> Option<f64> {
    let (low, high) = (low.filter(|low| *low > 0.0)?, high?);
    Some((high / low).ln() / 2.0)
}

fn verdict(metric: Metric, ends: Option<(f64, f64)>, rope: f64, moved: bool) -> Verdict {
    let Some((low, high)) = ends else {
        return Verdict::Undecided;
    };
    match (low > 1.0 + rope, high < 1.0 - rope) {
        _ if moved => Verdict::Invalid,
        (true, _) if metric.more_is_better() => Verdict::Faster,
        (_, true) if metric.more_is_better() => Verdict::Slower,
        (true, _) => Verdict::Slower,
        (_, true) => Verdict::Faster,
        _ if low >= 1.0 - rope && high <= 1.0 + rope => Verdict::NoDifference,
        _ => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Placebo;

    fn run(p50: f64, iops: f64, half: f64) -> Comparison {
        let level = Level {
            arm: "aligned".to_owned(),
            latency_p50_us: Some(p50),
            iops: Some(iops),
            ..Level::default()
        };
        let placebo = Placebo {
            ratio: Some(1.0),
            ratio_low: Some((-half).exp()),
            ratio_high: Some(half.exp()),
            moved: false,
        };
        let cell = Cell {
            levels: vec![level],
            placebo,
            ..Cell::default()
        };
        Comparison {
            cells: vec![cell],
            ..Comparison::default()
        }
    }

    #[test]
    fn a_gain_has_the_uncertainty_of_both_runs() {
        // 3.9 and 3.3 ms, 15,900 and 20,200 IOPS.
        let (before, after) = (run(3900.0, 15_900.0, 0.03), run(3300.0, 20_200.0, 0.04));
        let changes = Change::between(&before, &after, 0.005);
        let [latency, throughput] = changes.as_slice() else {
            panic!("{changes:?}")
        };
        assert!((latency.ratio - 3300.0 / 3900.0).abs() < 1e-9);
        let half = (latency.ratio_high.unwrap() / latency.ratio_low.unwrap()).ln() / 2.0;
        assert!((half - 0.05).abs() < 1e-9, "{half}");
        assert_eq!(latency.verdict, Verdict::Faster);
        // Nothing is known of how exact the throughput is.
        assert_eq!(throughput.verdict, Verdict::Undecided);
        assert!(throughput.ratio_low.is_none());
    }

    #[test]
    fn another_arm_or_cell_is_not_compared() {
        let (mut before, after) = (run(1.0, 1.0, 0.01), run(1.0, 1.0, 0.01));
        assert_eq!(Change::between(&before, &after, 0.02).len(), 2);
        assert_eq!(
            Change::between(&before, &after, 0.02)[0].verdict,
            Verdict::NoDifference
        );
        before.cells[0].block_bytes = 4096;
        assert!(Change::between(&before, &after, 0.02).is_empty());
    }
}
