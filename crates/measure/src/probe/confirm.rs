//! The check of a geometry with distances and places that no earlier step has seen.

use super::fit::{Fit, FitLeader};
use super::outcome::ProbeStage;
use super::pairs::multiple;
use super::sampler::{ProbeHalt, Sampler};
use super::scale::{RatioScale, moments};
use super::search::{LEAST_EFFECT, StripeSearch, base, rivalling};

/// Odds against all other geometries that the check has to give by itself.
const CONFIRMED: f64 = 4.0;
/// Standard errors between pairs that should meet and pairs that should not.
const APART: f64 = 6.0;
/// Rounds of the check.
const ROUNDS: u32 = 12;
/// Distances of a kind in a round.
const OF_A_KIND: usize = 6;
/// Distances that tell the geometry from those that came close.
const RIVALS: usize = 16;
/// Samples of a distance.
const EACH: usize = 6;

/// What the check came to.
pub(super) struct CheckEnd {
    /// All that was measured.
    pub(super) seen: Vec<(Vec<u64>, Vec<Vec<f64>>)>,
    /// Odds of the geometry against the others, as a logarithm; `None`: not confirmed.
    pub(super) odds: Option<f64>,
    /// Ratios of pairs that meet, and of pairs that do not.
    pub(super) together: Vec<f64>,
    pub(super) apart: Vec<f64>,
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
    let mut end = CheckEnd {
        seen: Vec::new(),
        odds: None,
        together: Vec::new(),
        apart: Vec::new(),
    };
    for _ in 0..ROUNDS {
        let distances = held_out(sampler, found, searched);
        let block = sampler.pairs(&distances, EACH)?;
        for (distance, ratios) in distances.iter().zip(&block) {
            fit.add(*distance, ratios, scale);
            let share = searched.family.share(&found.geometry, *distance);
            if share >= 1.0 {
                end.together.extend(ratios);
            } else if share <= 0.0 {
                end.apart.extend(ratios);
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
        let (n, together, spread) = moments(&self.together, scale);
        let (m, apart, noise) = moments(&self.apart, scale);
        let error = (spread / n.max(1.0) + noise / m.max(1.0)).sqrt().max(1e-6);
        let is_clear = (together - apart) / error >= APART
            && together / apart >= 1.0 + LEAST_EFFECT
            && best.effect >= LEAST_EFFECT;
        (is_clear && best.geometry.is_grid_of(&found.geometry) && best.odds >= CONFIRMED)
            .then_some(best.odds)
    }
}

/// Pairs that meet, pairs that do not, pairs half of which meet, and any.
fn held_out(sampler: &mut Sampler<'_>, found: &FitLeader, searched: &Fit<'_>) -> Vec<u64> {
    let size = sampler.device.size_bytes();
    let (least, most) = (base(size), size / 2);
    let family = searched.family;
    let unit = found.geometry.unit;
    let turn = unit * family.period(&found.geometry);
    let random = &mut sampler.random;
    let mut distances = Vec::new();
    for _ in 0..OF_A_KIND {
        let far = multiple(random, turn, least, most - turn);
        distances.push(far);
        distances.push(far + turn - unit / 2 / 512 * 512);
        distances.push(far + unit / 2 / 512 * 512);
        distances.push(multiple(random, 512, least, most));
        // One that meets nowhere; where there is none, one that meets least.
        let chunks = turn / unit;
        let tries: Vec<u64> = (0..16).map(|_| far + random.below(chunks) * unit).collect();
        let share = |distance: &u64| family.share(&found.geometry, *distance);
        let least = tries.iter().min_by(|a, b| share(a).total_cmp(&share(b)));
        distances.extend(least);
    }
    distances.extend(rivalling(sampler, searched, RIVALS));
    distances
}
