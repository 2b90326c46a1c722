//! Who may be wrong how often: one allowance of error for a run, divided over all that it says.
//!
//! Errors add up at most (Bonferroni), so for any dependence the chance that *any* interval of the run misses
//! its truth at *any* time stays below the allowance. The metrics that decide an answer get most of it,
//! because this costs the others little: widths grow with the root of a logarithm.

use ioalign_core::comparison::Metric;

use super::Boundary;

/// Rounds after which intervals are tightest: between the first look and the longest run.
const TIGHTEST: f64 = 200.0;

/// The allowance of one cell.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Shares {
    cell: f64,
    arms: f64,
    saturate: bool,
}

impl Shares {
    /// The shares of a run with this many cells and this confidence, each comparing this many arms with a
    /// baseline, with or without a second part under full load.
    pub fn new(confidence: f64, cells: u32, arms: u32, saturate: bool) -> Self {
        Self {
            cell: (1.0 - confidence) / f64::from(cells.max(1)),
            arms: f64::from(arms.max(1)),
            saturate,
        }
    }

    const fn weight(self, metric: Metric) -> f64 {
        match (metric, self.saturate) {
            (Metric::LatencyMedian, _) | (Metric::Throughput, true) => 4.0,
            (Metric::LatencyMean | Metric::LatencyP99, _) => 1.0,
            (Metric::CpuPerIo, true) => 2.0,
            (Metric::Throughput | Metric::CpuPerIo, false) => 0.0,
        }
    }

    /// The boundary of one metric of one arm.
    pub fn metric(self, metric: Metric) -> Boundary {
        let all = if self.saturate { 12.0 } else { 6.0 };
        let alpha = self.cell / self.arms * self.weight(metric) / all;
        Boundary::tightest_at(TIGHTEST, alpha)
    }

    /// The boundary of a placebo. It has an allowance of its own: a false alarm of it is no false result.
    pub fn placebo(self) -> Boundary {
        let all = if self.saturate { 2.0 } else { 1.0 };
        Boundary::tightest_at(TIGHTEST, self.cell / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: [Metric; 5] = [
        Metric::LatencyMedian,
        Metric::LatencyMean,
        Metric::LatencyP99,
        Metric::Throughput,
        Metric::CpuPerIo,
    ];

    #[test]
    fn shares_add_up_to_the_allowance() {
        for (cells, arms) in [(1, 1), (64, 3)] {
            let shares = Shares::new(0.95, cells, arms, true);
            let cell: f64 = METRICS.iter().map(|m| shares.metric(*m).alpha()).sum();
            let all = cell * f64::from(cells) * f64::from(arms);
            assert!((all - 0.05).abs() < 1e-12, "{all}");
            let latency = Shares::new(0.95, cells, arms, false);
            let cell: f64 = METRICS[..3]
                .iter()
                .map(|m| latency.metric(*m).alpha())
                .sum();
            let all = cell * f64::from(cells) * f64::from(arms);
            assert!((all - 0.05).abs() < 1e-12, "{all}");
        }
    }
}
