//! The search: distances of reads until one geometry explains them, or until none can.

use super::distances::{exploring, telling};
use super::family::StripeFamily;
use super::fit::{Fit, FitLeader};
use super::outcome::ProbeStage;
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
const FITTED: u32 = 240;
/// Samples of a distance in a round.
const EACH: usize = 6;

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

/// A probability from the logarithm of odds, never quite certain.
pub(super) fn certainty(odds: f64) -> f64 {
    const MOST: f64 = 0.9999;
    (1.0 / (1.0 + (-odds).exp())).min(MOST)
}
