//! The phase: where the first boundary lies.
//!
//! Two reads of a sector, half a unit and any number of turns apart, lie on one disk unless a boundary lies between them.
//! Each candidate for the phase expects one or the other; a pair is either slow or not, and is misjudged with a probability that the check of
//! the geometry has measured. Pairs are sent where the candidates are of two minds, until one of them is left; then
//! pairs around its own boundaries have to agree.

use ioalign_core::Random;

use super::confirm::CheckEnd;
use super::outcome::ProbeStage;
use super::pairs::multiple;
use super::sampler::{ProbeHalt, Sampler, reads};
use crate::stats::real;

/// The least probability of a misjudged pair.
const LEAST_ERROR: f64 = 0.02;
/// Odds of a candidate against all others, as a logarithm, at which it is checked.
const SURE: f64 = 9.0;
/// Odds against each neighbour that the check has to give by itself.
const CONFIRMED: f64 = 7.0;
/// Pairs of a round.
const ROUND: usize = 8;
/// Rounds, and pairs of each kind in a check.
const MOST_ROUNDS: u32 = 1500;
const CHECKED: usize = 12;
/// Places that are tried for the next pair.
const TRIED: usize = 48;

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

/// From which ratio on a pair counts as slow, and how often that is wrong.
#[derive(Copy, Clone, Debug)]
struct SlowPair {
    from: f64,
    /// Of pairs apart, and of pairs together.
    wrong: (f64, f64),
}

impl SlowPair {
    /// The threshold with the fewest errors.
    fn new(check: &CheckEnd) -> Self {
        let beyond = |all: &[f64], from: f64| {
            let count = all.iter().filter(|ratio| **ratio >= from).count();
            (real(count as u64) + 0.5) / (real(all.len() as u64) + 1.0)
        };
        let at = |from: f64| Self {
            from,
            wrong: (
                beyond(&check.apart, from).max(LEAST_ERROR),
                (1.0 - beyond(&check.together, from)).max(LEAST_ERROR),
            ),
        };
        let mut all: Vec<f64> = check.apart.iter().chain(&check.together).copied().collect();
        all.sort_unstable_by(f64::total_cmp);
        let middles = all.windows(2).map(|pair| pair.iter().sum::<f64>() / 2.0);
        let errors = |one: &Self| one.wrong.0 + one.wrong.1;
        let best = middles
            .map(at)
            .min_by(|a, b| errors(a).total_cmp(&errors(b)));
        best.unwrap_or_else(|| at(1.5))
    }

    /// What a pair says for "together" against "apart".
    fn says(&self, ratio: f64) -> f64 {
        let (apart, together) = self.wrong;
        if ratio >= self.from {
            ((1.0 - together) / apart).ln()
        } else {
            (together / (1.0 - apart)).ln()
        }
    }
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

/// What each candidate is worth: logarithms, up to a constant.
struct PhaseBets {
    unit: u64,
    step: u64,
    half: u64,
    worth: Vec<f64>,
}

impl PhaseBets {
    fn new(unit: u64, step: u64) -> Self {
        let count = usize::try_from(unit / step).unwrap_or(1);
        Self {
            unit,
            step,
            half: unit / 2 / step * step,
            worth: vec![0.0; count.max(1)],
        }
    }

    /// Whether a pair from `start` lies within one unit if the phase is that of a candidate.
    fn is_together(&self, candidate: u64, start: u64) -> bool {
        (start + self.unit - candidate) % self.unit + self.half < self.unit
    }

    fn learn(&mut self, starts: &[u64], block: &[Vec<f64>], slow: &SlowPair) {
        for (start, ratios) in starts.iter().zip(block) {
            let says: f64 = ratios.iter().map(|ratio| slow.says(*ratio)).sum();
            // Only the difference between candidates counts.
            for index in 0..self.worth.len() {
                if self.is_together(index as u64 * self.step, *start)
                    && let Some(worth) = self.worth.get_mut(index)
                {
                    *worth += says;
                }
            }
        }
    }

    /// The best candidate, and the logarithm of its odds against all others.
    fn best(&self) -> (u64, f64) {
        let best = self
            .worth
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1));
        let (index, most) = best.map_or((0, 0.0), |(index, worth)| (index, *worth));
        let sum: f64 = self.worth.iter().map(|worth| (worth - most).exp()).sum();
        (index as u64 * self.step, -(sum - 1.0).max(1e-9).ln())
    }

    /// Places about which the candidates are of two minds.
    fn telling(&self, random: &mut Random) -> Vec<u64> {
        let most = self.worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = self
            .worth
            .iter()
            .map(|worth| (worth - most).exp())
            .collect();
        let mut sums = vec![0.0];
        for weight in &weights {
            sums.push(sums.last().copied().unwrap_or(0.0) + weight);
        }
        let all = sums.last().copied().unwrap_or(1.0);
        let draw = |random: &mut Random| {
            let drawn = real(random.below(1 << 32)) / real(1 << 32) * all;
            sums.partition_point(|sum| *sum <= drawn).saturating_sub(1) as u64 * self.step
        };
        let mut tried: Vec<(f64, u64)> = (0..TRIED)
            .map(|number| {
                let edge = if number % 2 == 0 {
                    0
                } else {
                    self.unit - self.half
                };
                let start = (draw(random) + edge) % self.unit;
                ((self.share_together(&sums, start) / all - 0.5).abs(), start)
            })
            .collect();
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        tried
            .into_iter()
            .take(ROUND)
            .map(|(_, start)| start)
            .collect()
    }

    /// The weight of the candidates that expect a pair from `start` to lie within a unit: those in
    /// `(start - (unit - half), start]`.
    fn share_together(&self, sums: &[f64], start: u64) -> f64 {
        let count = self.worth.len();
        let index = |byte: u64| usize::try_from(byte / self.step).unwrap_or(0);
        let sum = |at: usize| sums.get(at).copied().unwrap_or(0.0);
        let (end, length) = (index(start) + 1, index(self.unit - self.half));
        if end >= length {
            sum(end) - sum(end - length)
        } else {
            sum(end) + sum(count) - sum(count + end - length)
        }
    }

    /// The last places on one side of a candidate's two edges, and the first on the other.
    fn edges(&self, candidate: u64) -> Vec<u64> {
        let second = candidate + self.unit - self.half;
        [
            candidate,
            candidate + self.unit - self.step,
            second,
            second + self.unit - self.step,
        ]
        .map(|start| start % self.unit)
        .to_vec()
    }

    /// By how much a candidate beats the better of its neighbours.
    fn beats_neighbours(&self, candidate: u64) -> f64 {
        let index = usize::try_from(candidate / self.step).unwrap_or(0);
        let count = self.worth.len();
        let worth = |index: usize| self.worth.get(index % count).copied().unwrap_or(0.0);
        worth(index) - worth(index + 1).max(worth(index + count - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_candidates_expect_is_summed_as_it_is_counted() {
        let mut bets = PhaseBets::new(65536, 512);
        let mut random = Random::new(1);
        for worth in &mut bets.worth {
            *worth = real(random.below(100)) / 50.0;
        }
        let mut sums = vec![0.0];
        for worth in &bets.worth {
            sums.push(sums.last().unwrap() + worth);
        }
        for start in (0..128).map(|index| index * 512) {
            let counted: f64 = (0..128)
                .filter(|index| bets.is_together(index * 512, start))
                .map(|index| bets.worth[usize::try_from(index).unwrap()])
                .sum();
            assert!((bets.share_together(&sums, start) - counted).abs() < 1e-9);
        }
    }

    #[test]
    fn its_own_edges_tell_a_candidate_from_its_neighbours() {
        let bets = PhaseBets::new(24576, 512);
        let expect = |candidate: u64| {
            let edges = bets.edges(1536).into_iter();
            edges
                .map(|start| bets.is_together(candidate, start))
                .collect::<Vec<_>>()
        };
        assert_eq!(expect(1536), [true, false, false, true]);
        assert_eq!(expect(1024), [true, true, false, false]);
        assert_eq!(expect(2048), [false, false, true, true]);
    }
}
