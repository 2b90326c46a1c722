//! The guard: an e-process on ranks, which needs no moments, no large samples and no independence.
//!
//! In a round the baseline, its duplicate and an arm are measured in random order. If the arm makes no difference, it
//! is as likely the slowest of the three as the fastest, for any noise, drift and history. A gambler who bets on one
//! of the two at fair odds can turn 1 into 20 only with a chance of 1 in 20, for any length of play (Ville, 1939).
//! The bets follow the Krichevsky-Trofimov mixture, which learns the direction of the arm.

use std::cmp::Ordering;

use super::real;

/// The gambler's capital and the outcomes so far.
#[derive(Copy, Clone, Debug, Default)]
pub struct Guard {
    above: u64,
    below: u64,
    log_wealth: f64,
    most: f64,
}

impl Guard {
    /// Counts one round; one that is neither above nor below is no bet.
    pub fn see(&mut self, side: Ordering) {
        let bets = self.above + self.below;
        let seen = match side {
            Ordering::Greater => &mut self.above,
            Ordering::Less => &mut self.below,
            Ordering::Equal => return,
        };
        let expected = (real(*seen) + 0.5) / (real(bets) + 1.0);
        *seen += 1;
        self.log_wealth += (2.0 * expected).ln();
        self.most = self.most.max(self.log_wealth);
    }

    /// Whether it is certain, at error `alpha` over all times, that the arm is not like the baseline.
    pub fn differs(&self, alpha: f64) -> bool {
        self.most >= -alpha.ln()
    }

    /// The end at which the arm was more often.
    pub fn leaning(&self) -> Ordering {
        self.above.cmp(&self.below)
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::Random;

    use super::*;
    use crate::stats::Contrast;

    fn rank(arm: f64, baseline: f64, duplicate: f64) -> Ordering {
        Contrast::of(arm, baseline, duplicate).rank()
    }

    fn wealth(sides: &[Ordering]) -> f64 {
        let mut guard = Guard::default();
        sides.iter().for_each(|side| guard.see(*side));
        guard.log_wealth.exp()
    }

    /// The mixture in closed form: 2^n B(above + 1/2, below + 1/2) / B(1/2, 1/2).
    #[test]
    fn it_is_the_mixture_of_krichevsky_and_trofimov() {
        use Ordering::{Equal, Greater, Less};
        assert!((wealth(&[Greater]) - 1.0).abs() < 1e-12);
        // B(5/2, 1/2)/B(1/2, 1/2) = 3/8, times 4.
        assert!((wealth(&[Greater, Equal, Greater]) - 1.5).abs() < 1e-12);
        // B(3/2, 3/2)/B(1/2, 1/2) = 1/8, times 4.
        assert!((wealth(&[Greater, Less]) - 0.5).abs() < 1e-12);
        // Ten of ten: 2^10 C(20, 10)/4^10.
        assert!((wealth(&[Less; 10]) - 184_756.0 / 1024.0).abs() < 1e-6);
    }

    #[test]
    fn what_was_won_first_is_a_fair_game_at_every_sequence() {
        // Over all sequences of 12 fair rounds the mean wealth is 1: it is an e-value.
        let all = 0u32..1 << 12;
        let sum: f64 = all
            .map(|bits| {
                let sides: Vec<_> = (0..12)
                    .map(|at| (bits >> at & 1).cmp(&(!bits >> at & 1)))
                    .collect();
                wealth(&sides)
            })
            .sum();
        assert!((sum / 4096.0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ranks_of_skewed_noise_are_fair() {
        // Pareto: against the mean of two baselines an arm would be below far more often.
        let mut random = Random::new(3);
        let mut draw = || 1.0 / (1.0 + real(random.below(1 << 30))).sqrt();
        let mut guard = Guard::default();
        for _ in 0..30_000 {
            let (arm, baseline, duplicate) = (draw(), draw(), draw());
            guard.see(rank(arm, baseline, duplicate));
        }
        let lean = real(guard.above) - real(guard.below);
        assert!(lean.abs() < 4.0 * 20_000f64.sqrt(), "{lean}");
        assert!(!guard.differs(0.05));
    }

    #[test]
    fn a_difference_is_certain_after_a_few_rounds() {
        let mut guard = Guard::default();
        (0..7).for_each(|_| guard.see(rank(3.0, 2.0, 1.0)));
        assert!(guard.differs(0.05) && guard.leaning() == Ordering::Greater);
        assert_eq!(rank(1.0, 2.0, 1.0), Ordering::Equal);
    }
}
