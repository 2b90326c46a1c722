//! The table of a matrix: the least, the mean and the greatest that alignment gives.

use serde::{Deserialize, Serialize};

use super::{Cell, Estimate, EstimateVerdict, Metric};

/// The better side against the other, over all that was decided: the baseline, or after a change what is now.
///
/// An estimate that is undecided is no result: its number may be anything in its interval, and the greatest
/// of many such numbers is what noise made it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparisonSummary {
    /// How much more throughput alignment gives: 0.12 is 12 %.
    pub throughput_gain_ratio: Option<Spread>,
    /// How much latency alignment saves, by medians.
    pub latency_drop_ratio: Option<Spread>,
    /// How many of the throughputs have a result.
    #[serde(default)]
    pub throughput_points: Points,
    /// How many of the medians have one.
    #[serde(default)]
    pub latency_points: Points,
}

/// How many of some estimates have a result.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// Slower, faster or no different.
    pub decided: u64,
    /// Time ran out before.
    pub undecided: u64,
    /// The placebo moved.
    pub invalid: u64,
}

impl Points {
    /// All of them.
    pub const fn all(&self) -> u64 {
        self.decided + self.undecided + self.invalid
    }

    fn of<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> Self {
        let mut points = Self::default();
        for one in estimates {
            match one.verdict {
                EstimateVerdict::Undecided => points.undecided += 1,
                EstimateVerdict::Invalid => points.invalid += 1,
                EstimateVerdict::Slower
                | EstimateVerdict::Faster
                | EstimateVerdict::NoDifference => points.decided += 1,
            }
        }
        points
    }
}

impl ComparisonSummary {
    /// The gain of the baseline over the other arms.
    pub fn of(cells: &[Cell]) -> Self {
        Self::by(cells, f64::recip)
    }

    /// The gain of the other arms over the baseline, which is the old layout.
    pub fn of_change(cells: &[Cell]) -> Self {
        Self::by(cells, |ratio| ratio)
    }

    /// `better` makes the ratio of an arm to the baseline that of the better side to the worse.
    fn by(cells: &[Cell], better: fn(f64) -> f64) -> Self {
        let of = |metric| ratios(cells, metric).map(better);
        let points = |metric| Points::of(estimates(cells, metric));
        Self {
            throughput_gain_ratio: Spread::of(of(Metric::Throughput).map(|ratio| ratio - 1.0)),
            latency_drop_ratio: Spread::of(of(Metric::LatencyMedian).map(|ratio| 1.0 - ratio)),
            throughput_points: points(Metric::Throughput),
            latency_points: points(Metric::LatencyMedian),
        }
    }
}

fn estimates(cells: &[Cell], metric: Metric) -> impl Iterator<Item = &Estimate> {
    let all = cells.iter().flat_map(|cell| &cell.estimates);
    all.filter(move |one| one.metric == metric)
}

fn ratios(cells: &[Cell], metric: Metric) -> impl Iterator<Item = f64> {
    estimates(cells, metric)
        .filter(|one| {
            !matches!(
                one.verdict,
                EstimateVerdict::Undecided | EstimateVerdict::Invalid
            )
        })
        .filter_map(|one| one.ratio)
        .filter(|ratio| *ratio > 0.0)
}

/// Least, mean and most of several numbers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// Their mean.
    pub mean: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// `None` of nothing.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut count, mut sum) = (0.0, 0.0);
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            count += 1.0;
            sum += value;
            min = f64::min(min, value);
            max = f64::max(max, value);
        }
        (count > 0.0).then(|| Self {
            min,
            mean: sum / count,
            max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(metric: Metric, ratio: f64, verdict: EstimateVerdict) -> Cell {
        let estimate = Estimate {
            metric,
            ratio: Some(ratio),
            verdict,
            ..Estimate::default()
        };
        Cell {
            estimates: vec![estimate],
            ..Cell::default()
        }
    }

    #[test]
    fn what_alignment_gives_is_seen_from_the_misaligned_side() {
        // 211 and 129 MiB/s; 15 and 30 µs.
        let cells = [
            cell(Metric::Throughput, 129.0 / 211.0, EstimateVerdict::Slower),
            cell(Metric::Throughput, 1.0, EstimateVerdict::NoDifference),
            cell(Metric::LatencyMedian, 2.0, EstimateVerdict::Slower),
            cell(Metric::LatencyMedian, 50.0, EstimateVerdict::Invalid),
            cell(Metric::LatencyMedian, 9.0, EstimateVerdict::Undecided),
        ];
        let summary = ComparisonSummary::of(&cells);
        let gain = summary.throughput_gain_ratio.unwrap();
        assert!((gain.max - (211.0 / 129.0 - 1.0)).abs() < 1e-9, "{gain:?}");
        assert!(gain.min.abs() < 1e-9, "{gain:?}");
        assert!((gain.mean - gain.max / 2.0).abs() < 1e-9, "{gain:?}");
        let drop = summary.latency_drop_ratio.unwrap();
        assert!((drop.max - 0.5).abs() < 1e-9, "{drop:?}");
        let points = summary.latency_points;
        assert_eq!((points.decided, points.all()), (1, 3));
        assert_eq!(summary.throughput_points.decided, 2);
        assert_eq!(ComparisonSummary::of(&[]), ComparisonSummary::default());
    }

    #[test]
    fn what_a_change_gives_is_seen_from_what_is_now() {
        // From 129 to 211 MiB/s, from 30 to 15 µs.
        let cells = [
            cell(Metric::Throughput, 211.0 / 129.0, EstimateVerdict::Faster),
            cell(Metric::LatencyMedian, 0.5, EstimateVerdict::Faster),
        ];
        let summary = ComparisonSummary::of_change(&cells);
        let gain = summary.throughput_gain_ratio.unwrap();
        assert!((gain.mean - (211.0 / 129.0 - 1.0)).abs() < 1e-9, "{gain:?}");
        let drop = summary.latency_drop_ratio.unwrap();
        assert!((drop.mean - 0.5).abs() < 1e-9, "{drop:?}");
    }
}
