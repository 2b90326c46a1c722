//! How well a geometry explains the ratios of all pairs.
//!
//! A pair lies on one disk with the probability that the geometry gives, or on two. Each case has its own distribution of
//! ratios, which is not known; it is estimated for each geometry together with the fit (expectation and maximisation), as shares of bins. This
//! is exact for any service times, and a pair that happens to lie on two disks is no evidence against a share of a third.

use super::scale::BINS;
use crate::stats::real;

/// Rounds of the estimate.
const ROUNDS: u32 = 16;
/// Pairs of each case in each bin that are taken for seen.
const BEFORE: f64 = 0.5;

/// The pairs of one distance.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct BinnedPairs {
    pub(super) distance: u64,
    pub(super) bins: [u32; BINS],
}

/// Shares of bins.
type BinShares = [f64; BINS];

/// The logarithm of the probability of all pairs; `shares` are those that lie on one disk, by distance.
pub(super) fn likelihood(pairs: &[BinnedPairs], shares: &[f64]) -> f64 {
    let mut cases = [[1.0; BINS]; 2];
    // Each case begins with the distances that it is likely at.
    for (apart, together) in [(1.0, 0.0), (0.0, 1.0)] {
        let slot = usize::from(together > 0.0);
        let weight = |share: f64| apart * (1.0 - share) + together * share;
        if let Some(case) = cases.get_mut(slot) {
            *case = sum(pairs, shares, |share, _| weight(share));
        }
    }
    for _ in 0..ROUNDS {
        let [apart, together] = cases;
        let part = |share: f64, bin: usize| {
            let (one, two) = (share * at(&together, bin), (1.0 - share) * at(&apart, bin));
            one / (one + two).max(1e-300)
        };
        cases = [
            sum(pairs, shares, |share, bin| 1.0 - part(share, bin)),
            sum(pairs, shares, part),
        ];
    }
    let [apart, together] = cases;
    let each = pairs.iter().zip(shares).map(|(pair, share)| {
        let bins = pair
            .bins
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0);
        let logs = bins.map(|(bin, count)| {
            let chance = share * at(&together, bin) + (1.0 - share) * at(&apart, bin);
            f64::from(*count) * chance.max(1e-12).ln()
        });
        logs.sum::<f64>()
    });
    each.sum()
}

/// The same without any structure.
pub(super) fn flat(pairs: &[BinnedPairs]) -> f64 {
    let mut all = [0_u32; BINS];
    for pair in pairs {
        for (sum, count) in all.iter_mut().zip(pair.bins) {
            *sum += count;
        }
    }
    let total = f64::from(all.iter().sum::<u32>()).max(1.0);
    let logs = all.iter().filter(|count| **count > 0);
    logs.map(|count| f64::from(*count) * (f64::from(*count) / total).ln())
        .sum()
}

/// Weighted shares of bins.
fn sum(pairs: &[BinnedPairs], shares: &[f64], weight: impl Fn(f64, usize) -> f64) -> BinShares {
    let mut bins = [BEFORE; BINS];
    for (pair, share) in pairs.iter().zip(shares) {
        for (bin, (sum, count)) in bins.iter_mut().zip(pair.bins).enumerate() {
            if count > 0 {
                *sum += f64::from(count) * weight(*share, bin);
            }
        }
    }
    let total: f64 = bins.iter().sum();
    bins.map(|sum| sum / total)
}

fn at(shares: &BinShares, bin: usize) -> f64 {
    shares.get(bin).copied().unwrap_or(0.0)
}

/// By how much the pairs of each distance scatter around what is expected, in units of what chance gives; 1 is chance.
pub(super) fn scatter(pairs: &[BinnedPairs], shares: &[f64], slow_from: usize) -> f64 {
    let slow = |pair: &BinnedPairs| f64::from(pair.bins.iter().skip(slow_from).sum::<u32>());
    let count = |pair: &BinnedPairs| f64::from(pair.bins.iter().sum::<u32>());
    // A straight line through the shares of slow pairs.
    let (mut n, mut f, mut ff, mut y, mut fy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (pair, share) in pairs.iter().zip(shares) {
        let (many, slow) = (count(pair), slow(pair));
        n += many;
        f += many * share;
        ff += many * share * share;
        y += slow;
        fy += slow * share;
    }
    let spread = (ff - f * f / n).max(1e-9);
    let slope = (fy - f * y / n) / spread;
    let low = (y - slope * f) / n;
    let squares = pairs.iter().zip(shares).map(|(pair, share)| {
        let chance = (low + slope * share).clamp(0.02, 0.98);
        let many = count(pair).max(1.0);
        let off = slow(pair) - many * chance;
        off * off / (many * chance * (1.0 - chance))
    });
    let free = real(pairs.len() as u64) - 2.0;
    (squares.sum::<f64>() / free.max(1.0)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_fit_are_likelier() {
        let pair = |distance, fast, slow| BinnedPairs {
            distance,
            bins: [fast, 0, 0, 0, 0, 0, slow],
        };
        let pairs = [
            pair(0, 0, 20),
            pair(1, 20, 0),
            pair(2, 10, 10),
            pair(3, 20, 0),
        ];
        let right = likelihood(&pairs, &[1.0, 0.0, 0.5, 0.0]);
        let wrong = likelihood(&pairs, &[0.0, 1.0, 0.5, 0.0]);
        assert!(right > flat(&pairs) + 20.0, "{right} {}", flat(&pairs));
        assert!(right > wrong + 10.0);
        assert_eq!(scatter(&pairs, &[1.0, 0.0, 0.5, 0.0], 1), 1.0);
    }
}
