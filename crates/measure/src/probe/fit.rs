//! Which geometries explain what was measured.
//!
//! The mean ratio of pairs at a distance is `a + b · share`: a pair lies on one disk or it does not. So each hypothesis is a straight line
//! through the same points, which is kept as three sums, and thousands of them cost little. The best of them are then
//! compared by their likelihood (`mixture`).

use super::family::{StripeFamily, StripeHypothesis};
use super::mixture::{BinnedPairs, flat, likelihood, scatter};
use super::scale::{BINS, RatioScale, moments};
use crate::stats::real;

/// How many hypotheses are compared by their likelihood.
const SCREENED: usize = 24;

/// The points of one hypothesis.
#[derive(Copy, Clone, Debug, Default)]
struct LineSums {
    f: f64,
    ff: f64,
    fy: f64,
}

/// All hypotheses with what was measured so far.
#[derive(Clone, Debug)]
pub(super) struct Fit<'a> {
    pub(super) family: &'a StripeFamily,
    lines: Vec<LineSums>,
    pairs: Vec<BinnedPairs>,
    count: f64,
    y: f64,
    /// Squares around the mean of each distance.
    within: f64,
}

/// The best hypothesis.
#[derive(Copy, Clone, Debug)]
pub(super) struct FitLeader {
    pub(super) geometry: StripeHypothesis,
    /// Logarithm of its odds against no structure.
    pub(super) gain: f64,
    /// Logarithm of its odds against all other units and columns together.
    pub(super) odds: f64,
    /// By how much a pair on one disk takes longer.
    pub(super) effect: f64,
}

impl<'a> Fit<'a> {
    pub(super) fn new(family: &'a StripeFamily) -> Self {
        Self {
            family,
            lines: vec![LineSums::default(); family.all.len()],
            pairs: Vec::new(),
            count: 0.0,
            y: 0.0,
            within: 0.0,
        }
    }

    /// Adds the pairs of a distance.
    pub(super) fn add(&mut self, distance: u64, ratios: &[f64], scale: &RatioScale) {
        let (n, mean, variance) = moments(ratios, scale);
        self.count += n;
        self.y += n * mean;
        self.within += variance * (n - 1.0);
        let mut bins = [0; BINS];
        for ratio in ratios {
            if let Some(bin) = bins.get_mut(scale.bin(*ratio)) {
                *bin += 1;
            }
        }
        self.pairs.push(BinnedPairs { distance, bins });
        for (line, one) in self.lines.iter_mut().zip(&self.family.all) {
            let f = self.family.share(one, distance);
            line.f += n * f;
            line.ff += n * f * f;
            line.fy += n * f * mean;
        }
    }

    /// Squares that a line explains; 0 where it would fall.
    fn explained(&self, line: &LineSums) -> f64 {
        let spread = self.spread(line);
        let common = line.fy - line.f * self.y / self.count;
        if spread > 0.0 && common > 0.0 {
            common * common / spread
        } else {
            0.0
        }
    }

    /// Squares of the shares around their mean.
    fn spread(&self, line: &LineSums) -> f64 {
        (line.ff - line.f * line.f / self.count).max(0.0)
    }

    /// The variance of a ratio at one distance.
    fn variance(&self) -> f64 {
        let free = self.count - real(self.pairs.len() as u64);
        (self.within / free.max(1.0)).max(1e-4)
    }

    /// The likeliest hypotheses with the logarithm of their odds against no structure, the best first.
    pub(super) fn likeliest(&self) -> Vec<(StripeHypothesis, f64)> {
        let variance = self.variance();
        let lines = self.lines.iter().zip(&self.family.all);
        let mut all: Vec<_> = lines
            .map(|(line, one)| (self.explained(line) / variance / 2.0 + one.prior, one))
            .collect();
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        all.truncate(SCREENED);
        let nothing = flat(&self.pairs);
        let mut excess = 1.0;
        let mut found: Vec<_> = all
            .into_iter()
            .map(|(_, one)| {
                let gain = likelihood(&self.pairs, &self.shares(one)) - nothing;
                (*one, gain + one.prior)
            })
            .collect();
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        if let Some((best, _)) = found.first() {
            let halves = (1..BINS).map(|from| scatter(&self.pairs, &self.shares(best), from));
            excess = halves.sum::<f64>() / real(BINS as u64 - 1);
        }
        // What scatters more than by chance is less evidence.
        found.iter_mut().for_each(|one| one.1 /= excess);
        found
    }

    fn shares(&self, one: &StripeHypothesis) -> Vec<f64> {
        let distances = self.pairs.iter().map(|pair| pair.distance);
        distances
            .map(|distance| self.family.share(one, distance))
            .collect()
    }

    /// The best one.
    pub(super) fn leader(&self) -> Option<FitLeader> {
        let likeliest = self.likeliest();
        let (geometry, gain) = *likeliest.first()?;
        let rivals = likeliest
            .iter()
            .filter(|(one, _)| !one.is_grid_of(&geometry));
        let sum: f64 = rivals.map(|(_, other)| (other - gain).exp()).sum();
        Some(FitLeader {
            geometry,
            gain,
            odds: -sum.max(1e-9).ln(),
            effect: self.effect(&geometry),
        })
    }

    /// By how much a pair on one disk takes longer.
    fn effect(&self, one: &StripeHypothesis) -> f64 {
        let (mut f, mut line) = (0.0, LineSums::default());
        for (sums, other) in self.lines.iter().zip(&self.family.all) {
            if std::ptr::eq(other, one) || other == one {
                (f, line) = (sums.f, *sums);
            }
        }
        let slope = (line.fy - f * self.y / self.count) / self.spread(&line).max(1e-12);
        let low = (self.y - slope * f) / self.count;
        slope / low.max(1e-9)
    }

    /// The effect that would have given these odds to each of the usual geometries.
    pub(super) fn visible(&self, odds: f64) -> f64 {
        let variance = self.variance();
        let pairs = self.lines.iter().zip(&self.family.all);
        let usual = pairs.filter(|(_, one)| one.prior == 0.0 && one.columns <= 12);
        let limits = usual
            .map(|(line, _)| (2.0 * odds * variance / self.spread(line).max(1e-12)).sqrt())
            .fold(0.0, f64::max);
        limits * self.count / self.y.max(1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::Random;

    #[test]
    fn pairs_name_their_geometry() {
        let family = StripeFamily::new(1 << 30);
        let mut all = family.all.iter();
        let truth = *all
            .find(|one| (one.unit, one.columns) == (24576, 5))
            .unwrap();
        let mut random = Random::new(3);
        let mut draw = |distance: u64| -> Vec<f64> {
            let share = family.share(&truth, distance) * 1e9;
            let mut one = || {
                let together = real(random.below(1_000_000_000)) < share;
                let noise = real(random.below(1000)) / 5000.0;
                if together { 1.9 + noise } else { 1.0 + noise }
            };
            (0..6).map(|_| one()).collect()
        };
        let scale = RatioScale::of(&[draw(0), draw(24576), draw(24576)]);
        let mut fit = Fit::new(&family);
        let mut places = Random::new(4);
        for _ in 0..400 {
            let distance = places.below(1 << 19) * 512;
            fit.add(distance, &draw(distance), &scale);
        }
        let leader = fit.leader().unwrap();
        assert_eq!((leader.geometry.unit, leader.geometry.columns), (24576, 5));
        assert!(leader.gain > 100.0 && leader.odds > 10.0, "{leader:?}");
        assert!((0.7..0.9).contains(&leader.effect), "{leader:?}");
        assert!(fit.visible(18.0) < 0.5);
    }
}
