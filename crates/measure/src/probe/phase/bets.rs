//! What each possible first boundary is worth.

use ioalign_core::Random;

use super::slow::SlowPair;
use crate::stats::real;

/// Pairs of a round.
const ROUND: usize = 8;
/// Places that are tried for the next pair.
const TRIED: usize = 48;

/// What each candidate is worth: logarithms, up to a constant.
pub(super) struct PhaseBets {
    unit: u64,
    step: u64,
    pub(super) half: u64,
    worth: Vec<f64>,
}

impl PhaseBets {
    pub(super) fn new(unit: u64, step: u64) -> Self {
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

    pub(super) fn learn(&mut self, starts: &[u64], block: &[Vec<f64>], slow: &SlowPair) {
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
    pub(super) fn best(&self) -> (u64, f64) {
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
    pub(super) fn telling(&self, random: &mut Random) -> Vec<u64> {
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
    pub(super) fn edges(&self, candidate: u64) -> Vec<u64> {
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
    pub(super) fn beats_neighbours(&self, candidate: u64) -> f64 {
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
