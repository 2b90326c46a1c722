//! How ratios are counted: cut off at both ends, and in bins.

use crate::stats::real;

/// Bins of ratios.
pub(super) const BINS: usize = 7;
/// In means, ratios beyond this many times the lower quartile are cut off: a pair that waits takes about twice as long.
const CUT: f64 = 2.2;
/// The edges of bins by the first block's ratios, in hundredths; one more is in the widest gap.
const EDGES: [usize; BINS - 2] = [30, 55, 75, 88, 96];

/// The scale of one search, by its first block.
#[derive(Clone, Debug)]
pub(super) struct RatioScale {
    high: f64,
    edges: Vec<f64>,
}

impl RatioScale {
    /// By a first block.
    pub(super) fn of(block: &[Vec<f64>]) -> Self {
        let mut all: Vec<f64> = block.iter().flatten().copied().collect();
        all.sort_unstable_by(f64::total_cmp);
        let at = |percent: usize| all.get(all.len() * percent / 100).copied().unwrap_or(1.0);
        let mut edges: Vec<f64> = EDGES.map(at).to_vec();
        edges.push(widest_gap(&all));
        edges.sort_unstable_by(f64::total_cmp);
        Self {
            high: at(25) * CUT,
            edges,
        }
    }

    pub(super) const fn cut(&self, ratio: f64) -> f64 {
        ratio.min(self.high)
    }

    /// The bin of a ratio.
    pub(super) fn bin(&self, ratio: f64) -> usize {
        self.edges.partition_point(|edge| *edge < ratio)
    }
}

/// The middle of the widest gap, in relation to its place, in the slower half: between pairs that wait and pairs that do not.
fn widest_gap(sorted: &[f64]) -> f64 {
    let slower = sorted.get(sorted.len() / 2..sorted.len() * 995 / 1000);
    let gaps = slower
        .unwrap_or_default()
        .windows(2)
        .filter_map(|pair| match pair {
            [low, high] => Some((high / low.max(1e-9), f64::midpoint(*low, *high))),
            _ => None,
        });
    let widest = gaps.max_by(|a, b| a.0.total_cmp(&b.0));
    widest.map_or(1.5, |(_, middle)| middle)
}

/// Count, mean and variance of ratios that are cut off.
pub(super) fn moments(ratios: &[f64], scale: &RatioScale) -> (f64, f64, f64) {
    let n = real(ratios.len() as u64);
    let cut = || ratios.iter().map(|ratio| scale.cut(*ratio));
    let mean = cut().sum::<f64>() / n.max(1.0);
    let squares: f64 = cut().map(|ratio| (ratio - mean) * (ratio - mean)).sum();
    (n, mean, squares / (n - 1.0).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_are_parted() {
        let block = vec![vec![1.0, 1.01, 1.02, 1.03, 1.0, 1.01, 2.0, 2.01, 1.02, 1.0]; 30];
        let scale = RatioScale::of(&block);
        assert_ne!(scale.bin(1.03), scale.bin(2.0));
        assert_eq!(scale.bin(1.9), scale.bin(2.0));
        assert!(scale.cut(50.0) < 2.3 && scale.bin(50.0) < BINS);
    }
}
