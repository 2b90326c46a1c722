//! Which distances are measured next.

use super::family::{MOST_UNIT, StripeHypothesis};
use super::fit::{Fit, FitLeader};
use super::pairs::multiple;
use super::sampler::Sampler;

/// Random distances of a round that explores.
const RANDOM: usize = 24;
/// Multiples of the base that are tried: the numbers of columns.
const MULTIPLES: u64 = 32;
/// Distances that tell rivals apart, in a round.
const TELLING: usize = 8;

/// Multiples of a base that most units divide, which meet at the number of columns; and random distances, for all other units.
///
/// All are far: reads near each other may be served by one movement, or by a cache.
pub(super) fn exploring(sampler: &mut Sampler<'_>) -> Vec<u64> {
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
pub(super) fn telling(sampler: &mut Sampler<'_>, fit: &Fit<'_>, leader: &FitLeader) -> Vec<u64> {
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

/// The likeliest hypotheses with weights: a fourth root, so that rivals that are nearly out are still compared.
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
