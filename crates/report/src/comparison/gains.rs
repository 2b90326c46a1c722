//! The table of least, mean and most: what the better side gives, or how the baseline stands where it is no better.

use ioalign_core::comparison::{Comparison, Points, Spread};

use super::words::{share, signed_share};

/// Rows and wording of the table, the same in every format.
pub struct GainTable {
    /// The arm that it is about.
    pub arm: String,
    /// Every number is a gain; otherwise they are differences with a sign.
    pub is_gain: bool,
    /// Throughput and median latency, where they were measured.
    pub rows: Vec<GainRow>,
}

/// One metric.
pub struct GainRow {
    /// Throughput; else the median latency.
    pub is_throughput: bool,
    /// Least, mean and most; `None`: nothing was decided.
    pub numbers: Option<[String; 3]>,
    /// How much of it was decided.
    pub points: Points,
}

impl GainTable {
    /// The gains of a comparison; without rows if nothing of the kind was measured.
    pub fn new(comparison: &Comparison) -> Self {
        let summary = &comparison.summary;
        let throughput = (
            true,
            summary.throughput_gain_ratio,
            summary.throughput_points,
        );
        let latency = (false, summary.latency_drop_ratio, summary.latency_points);
        let metrics = [throughput, latency];
        let spreads = metrics.iter().filter_map(|(_, spread, _)| *spread);
        // "Less latency: -519 %" is no English, and no gain.
        let is_gain = spreads.into_iter().all(|spread| spread.min > -0.000_05);
        let measured = metrics.into_iter().filter(|(.., points)| points.all() > 0);
        let rows = measured.map(|(is_throughput, spread, points)| GainRow {
            is_throughput,
            numbers: spread.map(|spread| numbers(spread, is_throughput, is_gain)),
            points,
        });
        Self {
            arm: comparison
                .better()
                .map_or_else(String::new, |arm| arm.name.clone()),
            is_gain,
            rows: rows.collect(),
        }
    }
}

fn numbers(spread: Spread, is_throughput: bool, is_gain: bool) -> [String; 3] {
    let Spread { min, mean, max } = spread;
    match (is_gain, is_throughput) {
        (true, _) => [min, mean, max].map(share),
        (false, true) => [min, mean, max].map(signed_share),
        // The saving is the reduction of a latency.
        (false, false) => [-max, -mean, -min].map(signed_share),
    }
}
