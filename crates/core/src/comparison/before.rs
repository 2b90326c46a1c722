//! A run against an earlier one: the same cells, before and after something was changed.

use serde::{Deserialize, Serialize};

use super::{ArmLevel, Cell, Comparison, EstimateVerdict, Metric};

/// Name of the way in which runs of different times are compared: it is none.
const METHOD: &str = "levels of two times: no evidence of a difference";

/// Changes since an earlier, saved run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// The document with that run.
    pub document: String,
    /// When it was made.
    pub time: String,
    /// Its load average, to be compared with that of this run.
    pub load_average: Option<f64>,
    /// The start of its baseline on the disk at the bottom.
    pub start_bytes: Option<u64>,
    /// The layout of then is an arm of this run, and its estimates say what has changed. Otherwise nothing
    /// does: the changes below are levels of two times.
    pub interleaved: bool,
    /// The measurements of both runs.
    pub changes: Vec<Change>,
}

/// One metric of one arm in two runs: two levels, between which the machine may have changed as well.
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
    /// After over before: plain arithmetic.
    pub ratio: f64,
    /// Always `None`: no interval covers what the machine did between the runs.
    pub ratio_low: Option<f64>,
    /// Always `None`.
    pub ratio_high: Option<f64>,
    /// That there is no method.
    pub method: String,
    /// Always undecided.
    pub verdict: EstimateVerdict,
}

impl Change {
    /// Measurements of two runs with the same cells and arms.
    pub fn between(before: &Comparison, after: &Comparison) -> Vec<Self> {
        let mut changes = Vec::new();
        for (index, now) in after.cells.iter().enumerate() {
            let Some(then) = before.cells.iter().find(|then| then.is_like(now)) else {
                continue;
            };
            for (old, new) in arms(then, now) {
                let metrics = [Metric::LatencyMedian, Metric::Throughput];
                changes.extend(metrics.into_iter().filter_map(|metric| {
                    let (before, after) = (old.of(metric)?, new.of(metric)?);
                    Some(Self {
                        cell: index,
                        metric,
                        arm: new.arm.clone(),
                        before,
                        after,
                        ratio: after / before,
                        method: METHOD.to_owned(),
                        ..Self::default()
                    })
                }));
            }
        }
        changes
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

fn arms<'a>(then: &'a Cell, now: &'a Cell) -> impl Iterator<Item = (&'a ArmLevel, &'a ArmLevel)> {
    now.levels.iter().filter_map(|new| {
        let old = then.level(&new.arm)?;
        Some((old, new))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Estimate, Placebo};

    fn run(p50: f64, iops: f64) -> Comparison {
        let level = ArmLevel {
            arm: "aligned".to_owned(),
            latency_p50_us: Some(p50),
            iops: Some(iops),
            ..ArmLevel::default()
        };
        let placebo = Placebo {
            ratio: Some(1.0),
            ratio_low: Some(0.999),
            ratio_high: Some(1.001),
            moved: false,
        };
        let estimate = |metric| Estimate {
            metric,
            ratio: Some(1.0),
            ratio_low: Some(0.999),
            ratio_high: Some(1.001),
            verdict: EstimateVerdict::NoDifference,
            ..Estimate::default()
        };
        let cell = Cell {
            levels: vec![level],
            estimates: [Metric::LatencyMedian, Metric::Throughput]
                .map(estimate)
                .to_vec(),
            placebo,
            ..Cell::default()
        };
        Comparison {
            cells: vec![cell],
            ..Comparison::default()
        }
    }

    /// A device that did not change, on a machine that was busy in the first run: 117 and 32.8 µs.
    #[test]
    fn levels_of_two_times_give_no_word_and_no_interval() {
        let (then, mut now) = (run(117.0, 7600.0), run(32.8, 30_000.0));
        let changes = Change::between(&then, &now);
        assert_eq!(changes.len(), 2);
        for change in &changes {
            assert_eq!(change.verdict, EstimateVerdict::Undecided);
            assert_eq!((change.ratio_low, change.ratio_high), (None, None));
        }
        now.before = Some(Before {
            changes,
            ..Before::default()
        });
        assert!(!now.differs());
    }

    /// Only the old layout as an arm of this run says what has changed.
    #[test]
    fn the_replay_alone_decides() {
        let mut now = run(10.0, 1000.0);
        now.cells[0].estimates[0].verdict = EstimateVerdict::Slower;
        assert!(now.differs());
        now.before = Some(Before::default());
        assert!(!now.differs(), "its arms are no layouts of then and now");
        now.before = Some(Before {
            interleaved: true,
            ..Before::default()
        });
        assert!(now.differs());
    }

    #[test]
    fn another_arm_or_cell_is_not_compared() {
        let (mut before, after) = (run(1.0, 1.0), run(1.0, 1.0));
        assert_eq!(Change::between(&before, &after).len(), 2);
        before.cells[0].block_bytes = 4096;
        assert!(Change::between(&before, &after).is_empty());
    }
}
