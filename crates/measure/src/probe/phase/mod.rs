//! The phase: where the first boundary lies.
//!
//! Two reads of a sector, half a unit and any number of turns apart, lie on one disk unless a boundary lies between them.
//! Each candidate for the phase expects one or the other; a pair is either slow or not, and is misjudged with a probability that the check of
//! the geometry has measured. Pairs are sent where the candidates are of two minds, until one of them is left; then
//! pairs around its own boundaries have to agree.

mod bets;
mod slow;

use super::confirm::CheckEnd;
use super::outcome::ProbeStage;
use super::pairs::multiple;
use super::sampler::{ProbeHalt, Sampler, reads};
use bets::PhaseBets;
use slow::SlowPair;

/// Odds of a candidate against all others, as a logarithm, at which it is checked.
const SURE: f64 = 9.0;
/// Odds against each neighbour that the check has to give by itself.
const CONFIRMED: f64 = 7.0;
/// Rounds, and pairs of each kind in a check.
const MOST_ROUNDS: u32 = 1500;
const CHECKED: usize = 12;

/// The geometry whose phase is wanted.
#[derive(Copy, Clone, Debug)]
pub(super) struct PhaseQuestion {
    /// Bytes of a unit.
    pub(super) unit: u64,
    /// Bytes after which everything repeats.
    pub(super) turn: u64,
}

/// A phase, and how sure it is.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct FoundPhase {
    pub(super) bytes: u64,
    pub(super) odds: f64,
}

/// Finds the phase; `None`: no candidate wins.
pub(super) fn phase(
    sampler: &mut Sampler<'_>,
    asked: &PhaseQuestion,
    check: &CheckEnd,
) -> Result<Option<FoundPhase>, ProbeHalt> {
    sampler.stage = ProbeStage::Phase;
    let slow = SlowPair::new(check);
    let step = sampler.device.sector_bytes();
    let mut bets = PhaseBets::new(asked.unit, step);
    for _ in 0..MOST_ROUNDS {
        let (best, odds) = bets.best();
        if odds < SURE {
            let starts = bets.telling(&mut sampler.random);
            let block = half_units_apart(sampler, asked, &starts, 1)?;
            bets.learn(&starts, &block, &slow);
            continue;
        }
        let starts = bets.edges(best);
        let block = half_units_apart(sampler, asked, &starts, CHECKED)?;
        let mut alone = PhaseBets::new(asked.unit, step);
        alone.learn(&starts, &block, &slow);
        if alone.beats_neighbours(best) >= CONFIRMED {
            return Ok(Some(FoundPhase {
                bytes: best,
                odds: odds.min(alone.beats_neighbours(best)),
            }));
        }
        bets.learn(&starts, &block, &slow);
    }
    Ok(None)
}

/// Pairs that begin at these places within a unit, half a unit apart, in any two turns.
fn half_units_apart(
    sampler: &mut Sampler<'_>,
    asked: &PhaseQuestion,
    starts: &[u64],
    each: usize,
) -> Result<Vec<Vec<f64>>, ProbeHalt> {
    let (sector, group) = (sampler.device.sector_bytes(), sampler.group);
    let half = PhaseBets::new(asked.unit, sector).half;
    let last = sampler
        .device
        .size_bytes()
        .saturating_sub(2 * asked.unit + asked.turn);
    sampler.block(starts.len(), each, &mut |arm, random, batch| {
        let start = starts.get(arm).copied().unwrap_or(0);
        let chunk = random.below(asked.turn / asked.unit) * asked.unit;
        for at in [start, start + half] {
            let turn = multiple(random, asked.turn, 0, last - asked.turn);
            reads(turn + chunk + at, sector, group, batch);
        }
    })
}
