//! The check of a geometry with distances and places that no earlier step has seen.

use super::distances::{base, rivalling};
use super::family::StripeHypothesis;
use super::fit::{Fit, FitLeader};
use super::outcome::ProbeStage;
use super::pairs::multiple;
use super::sampler::{ProbeHalt, Sampler};
use super::scale::{RatioScale, moments};
use super::search::{LEAST_EFFECT, StripeSearch};

/// Odds against all other geometries that the check has to give by itself.
const CONFIRMED: f64 = 4.0;
/// Standard errors between pairs that should meet and pairs that should not.
const APART: f64 = 6.0;
/// How far the pairs of a kind may be from where they should be, in parts of the way between those two, besides three standard errors.
const OFF: f64 = 0.15;
/// Rounds of the check.
const ROUNDS: u32 = 12;
/// Distances of a kind in a round.
const OF_A_KIND: usize = 6;
/// Distances that tell the geometry from those that came close.
const RIVALS: usize = 16;
/// Samples of a distance.
const EACH: usize = 6;

/// What pairs of a distance should do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum PairKind {
    /// All meet.
    Together,
    /// Half of them meet.
    Half,
    /// They lie on neighbouring chunks.
    Beside,
    /// They meet as little as possible.
    Apart,
    /// Distances at which rivals differ.
    Rival,
}

/// What the check came to.
#[derive(Default)]
pub(super) struct CheckEnd {
    /// All that was measured.
    pub(super) seen: Vec<(Vec<u64>, Vec<Vec<f64>>)>,
    /// Odds of the geometry against the others, as a logarithm; `None`: not confirmed.
    pub(super) odds: Option<f64>,
    /// Ratios of pairs that meet, and of pairs that do not.
    pub(super) together: Vec<f64>,
    pub(super) apart: Vec<f64>,
    half: Vec<f64>,
    beside: Vec<f64>,
}

/// Checks the leader of a search.
pub(super) fn confirm(
    sampler: &mut Sampler<'_>,
    found: &FitLeader,
    search: &StripeSearch<'_>,
) -> Result<CheckEnd, ProbeHalt> {
    sampler.stage = ProbeStage::Confirm;
    let (scale, searched) = (&search.scale, &search.fit);
    let mut fit = Fit::new(searched.family);
    let mut end = CheckEnd::default();
    for _ in 0..ROUNDS {
        let held_out = held_out(sampler, &found.geometry, searched);
        let distances: Vec<u64> = held_out.iter().map(|one| one.1).collect();
        let block = sampler.pairs(&distances, EACH)?;
        for ((kind, distance), ratios) in held_out.iter().zip(&block) {
            fit.add(*distance, ratios, scale);
            match kind {
                PairKind::Together => end.together.extend(ratios),
                PairKind::Half => end.half.extend(ratios),
                PairKind::Beside => end.beside.extend(ratios),
                PairKind::Apart => end.apart.extend(ratios),
                PairKind::Rival => {}
            }
        }
        end.seen.push((distances, block));
        end.odds = end.odds(&fit, found, scale);
        if end.odds.is_some() || contradicts(&fit, found) {
            break;
        }
    }
    Ok(end)
}

/// Whether another geometry is as clear as this one had to be.
fn contradicts(fit: &Fit<'_>, found: &FitLeader) -> bool {
    let best = fit.leader();
    best.is_some_and(|best| best.odds >= CONFIRMED && !best.geometry.is_grid_of(&found.geometry))
}

impl CheckEnd {
    fn odds(&self, fit: &Fit<'_>, found: &FitLeader, scale: &RatioScale) -> Option<f64> {
        let best = fit.leader()?;
        let (together, high_error) = mean(&self.together, scale);
        let (apart, low_error) = mean(&self.apart, scale);
        let error = high_error.hypot(low_error).max(1e-6);
        let is_clear = (together - apart) / error >= APART
            && together / apart >= 1.0 + LEAST_EFFECT
            && best.effect >= LEAST_EFFECT;
        // Whatever the others are like, this one has to be right by itself.
        let share = |chunks: u64| {
            let one = &found.geometry;
            fit.family.share(one, chunks * one.unit)
        };
        let (half, beside) = (f64::midpoint(1.0, share(1)), share(1));
        let is_at = |ratios: &[f64], share: f64| {
            let (mean, error) = mean(ratios, scale);
            let way = together - apart;
            let part = (mean - apart) / way;
            (part - share).abs() <= OFF + 3.0 * error / way
        };
        let is_right = is_at(&self.half, half) && is_at(&self.beside, beside);
        let is_best = best.geometry.is_grid_of(&found.geometry) && best.odds >= CONFIRMED;
        (is_clear && is_right && is_best).then_some(best.odds)
    }
}

/// A mean and its standard error.
fn mean(ratios: &[f64], scale: &RatioScale) -> (f64, f64) {
    let (n, mean, variance) = moments(ratios, scale);
    (mean, (variance / n.max(1.0)).sqrt())
}

/// Distances of all kinds.
fn held_out(
    sampler: &mut Sampler<'_>,
    one: &StripeHypothesis,
    searched: &Fit<'_>,
) -> Vec<(PairKind, u64)> {
    let size = sampler.device.size_bytes();
    let sector = sampler.device.sector_bytes();
    let (family, unit) = (searched.family, one.unit);
    let turn = family.turn(one);
    let (least, most) = (base(size), size / 2 - turn);
    let random = &mut sampler.random;
    let half = unit / 2 / sector * sector;
    let mut all = Vec::new();
    for number in 0..OF_A_KIND {
        let far = multiple(random, turn, least, most);
        let (after, before) = match number % 2 {
            0 => (far + half, far + unit),
            _ => (far + turn - half, far + turn - unit),
        };
        all.push((PairKind::Together, far));
        all.push((PairKind::Half, after));
        all.push((PairKind::Beside, before));
        let tries: Vec<u64> = (0..16)
            .map(|_| far + random.below(turn / unit) * unit)
            .collect();
        let share = |distance: &u64| family.share(one, *distance);
        let least = tries.iter().min_by(|a, b| share(a).total_cmp(&share(b)));
        all.extend(least.map(|distance| (PairKind::Apart, *distance)));
    }
    let rivals = rivalling(sampler, searched, RIVALS);
    all.extend(
        rivals
            .into_iter()
            .map(|distance| (PairKind::Rival, distance)),
    );
    all
}
