//! The search: distances of reads until one geometry explains them, or until none can.

use super::family::{MOST_UNIT, StripeFamily, StripeHypothesis};
use super::fit::{Fit, FitLeader};
use super::outcome::ProbeStage;
use super::pairs::multiple;
use super::sampler::{ProbeHalt, Sampler};
use super::scale::RatioScale;

/// Odds against no structure, as a logarithm, from which on a geometry is looked for. The best of some thousand hypotheses
/// reaches 10 by chance.
pub(super) const GATE: f64 = 22.0;
/// The odds that an effect has to give in the mean, so that it passes the gate 99 times of 100: odds are half the square of a number whose
/// standard deviation is 1, (√(2 × 22) + 2.33)² / 2.
const SEEN: f64 = 40.0;
/// An effect below this is no geometry.
pub(super) const LEAST_EFFECT: f64 = 0.1;
/// Odds against all other geometries at which the search ends.
const SURE: f64 = 10.0;
/// Rounds in which structure may show.
const EXPLORED: u32 = 8;
/// Rounds in which one geometry has to win.
const FITTED: u32 = 60;
/// Samples of a distance in a round.
const EACH: usize = 6;
/// Random distances of a round that explores.
const RANDOM: usize = 24;
/// Multiples of the base that are tried: the numbers of columns.
const MULTIPLES: u64 = 32;
/// Distances that tell rivals apart, in a round.
const TELLING: usize = 8;

/// A search, as far as it is.
pub(super) struct StripeSearch<'f> {
    pub(super) scale: RatioScale,
    pub(super) fit: Fit<'f>,
}

/// What a search came to.
pub(super) enum SearchEnd {
    /// No structure.
    Nothing,
    /// Structure that no single geometry explains.
    Unclear,
    /// A geometry that is too large to be checked on this device.
    TooLarge(FitLeader),
    /// The best geometry.
    Leader(FitLeader),
}

impl<'f> StripeSearch<'f> {
    /// A first look.
    pub(super) fn begin(
        sampler: &mut Sampler<'_>,
        family: &'f StripeFamily,
    ) -> Result<Self, ProbeHalt> {
        sampler.stage = ProbeStage::Search;
        let distances = exploring(sampler);
        let first = sampler.pairs(&distances, EACH)?;
        let mut search = Self {
            scale: RatioScale::of(&first),
            fit: Fit::new(family),
        };
        search.learn(&distances, &first);
        Ok(search)
    }

    /// Measures until one geometry is sure.
    pub(super) fn go_on(&mut self, sampler: &mut Sampler<'_>) -> Result<SearchEnd, ProbeHalt> {
        sampler.stage = ProbeStage::Search;
        for _ in 1..EXPLORED {
            if self.visible().is_some() {
                break;
            }
            let distances = exploring(sampler);
            self.measure(sampler, &distances)?;
        }
        sampler.stage = ProbeStage::Fit;
        for _ in 0..FITTED {
            let Some(leader) = self.visible() else {
                return Ok(SearchEnd::Nothing);
            };
            if leader.odds >= SURE {
                return Ok(match leader.geometry.fits {
                    true => SearchEnd::Leader(leader),
                    false => SearchEnd::TooLarge(leader),
                });
            }
            let distances = telling(sampler, &self.fit, &leader);
            self.measure(sampler, &distances)?;
        }
        Ok(SearchEnd::Unclear)
    }

    fn measure(&mut self, sampler: &mut Sampler<'_>, distances: &[u64]) -> Result<(), ProbeHalt> {
        let block = sampler.pairs(distances, EACH)?;
        self.learn(distances, &block);
        Ok(())
    }

    /// The smallest effect that it would have seen, 99 times of 100.
    pub(super) fn limit(&self) -> f64 {
        self.fit.visible(SEEN).max(LEAST_EFFECT)
    }

    pub(super) fn learn(&mut self, distances: &[u64], block: &[Vec<f64>]) {
        for (distance, ratios) in distances.iter().zip(block) {
            self.fit.add(*distance, ratios, &self.scale);
        }
    }

    /// The best geometry, if there is structure at all.
    fn visible(&self) -> Option<FitLeader> {
        let leader = self.fit.leader()?;
        (leader.gain >= GATE && leader.effect >= LEAST_EFFECT).then_some(leader)
    }
}

/// Multiples of a base that most units divide, which meet at the number of columns; and random distances, for all other units.
///
/// All are far: reads near each other may be served by one movement, or by a cache.
fn exploring(sampler: &mut Sampler<'_>) -> Vec<u64> {
    let base = base(sampler.device.size_bytes());
    let half = sampler.device.size_bytes() / 2;
    let mut distances: Vec<u64> = (1..=MULTIPLES).map(|number| number * base).collect();
    let random = &mut sampler.random;
    distances.extend((0..RANDOM).map(|_| multiple(random, 4096, base, half)));
    distances
}

/// 12 MiB, which all units of 2^k and 3 × 2^k up to 4 MiB divide; less on a small device.
pub(super) const fn base(size: u64) -> u64 {
    let mut base = 12 << 20;
    while base * MULTIPLES * 2 > size && base > 12 << 10 {
        base /= 2;
    }
    base
}

/// Distances about which the likeliest geometries disagree, and some about which they do not: the line needs both ends.
fn telling(sampler: &mut Sampler<'_>, fit: &Fit<'_>, leader: &FitLeader) -> Vec<u64> {
    let (least, most) = (
        base(sampler.device.size_bytes()),
        sampler.device.size_bytes() / 2,
    );
    let mut chosen = rivalling(sampler, fit, TELLING);
    let turn = fit.family.turn(&leader.geometry);
    for _ in 0..2 {
        if leader.geometry.fits {
            chosen.push(multiple(&mut sampler.random, turn, least, most));
        }
        chosen.push(multiple(&mut sampler.random, 4096, least, most));
    }
    chosen
}

/// The distances that tell the likeliest geometries apart: near the edges of their units.
pub(super) fn rivalling(sampler: &mut Sampler<'_>, fit: &Fit<'_>, count: usize) -> Vec<u64> {
    let (least, most) = (
        base(sampler.device.size_bytes()),
        sampler.device.size_bytes() / 2,
    );
    let sector = sampler.device.sector_bytes();
    let likely = likely(fit);
    let random = &mut sampler.random;
    let all: Vec<_> = likely.iter().map(|(one, _)| *one).take(12).collect();
    let mut pool: Vec<(f64, u64)> = Vec::new();
    for one in &all {
        let turn = fit.family.turn(one);
        for other in &all {
            let far = multiple(random, turn, least + MOST_UNIT, most - MOST_UNIT);
            let edge = if random.below(2) == 0 {
                other.unit
            } else {
                other.unit / 2
            };
            let chunk = random.below(turn / one.unit) * one.unit;
            for distance in [far + edge, far - edge, far + chunk, far + chunk + edge / 2] {
                let distance = distance / sector * sector;
                if distance > 2 * most - least {
                    continue;
                }
                pool.push((disagreement(fit, &likely, distance), distance));
            }
        }
    }
    pool.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut chosen: Vec<u64> = Vec::new();
    for (_, distance) in &pool {
        if chosen.len() < count && !chosen.contains(distance) {
            chosen.push(*distance);
        }
    }
    chosen
}

/// The likeliest hypotheses with weights: a fourth root, so that rivals that are nearly out are still told apart.
fn likely(fit: &Fit<'_>) -> Vec<(StripeHypothesis, f64)> {
    let all = fit.likeliest();
    let best = all.first().map_or(0.0, |one| one.1);
    let weight = |gain: f64| ((gain - best) / 4.0).exp();
    let sum: f64 = all.iter().map(|one| weight(one.1)).sum();
    all.iter()
        .map(|(one, gain)| (*one, weight(*gain) / sum))
        .collect()
}

/// The variance of what they expect, over what a pair there varies by itself: it lies on one disk or not.
fn disagreement(fit: &Fit<'_>, likely: &[(StripeHypothesis, f64)], distance: u64) -> f64 {
    let shares = likely
        .iter()
        .map(|(one, weight)| (fit.family.share(one, distance), *weight));
    let (mean, square) = shares.fold((0.0, 0.0), |(mean, square), (share, weight)| {
        (mean + weight * share, square + weight * share * share)
    });
    (square - mean * mean) / (0.1 + mean * (1.0 - mean))
}

/// A probability from the logarithm of odds, never quite certain.
pub(super) fn certainty(odds: f64) -> f64 {
    const MOST: f64 = 0.9999;
    (1.0 / (1.0 + (-odds).exp())).min(MOST)
}
