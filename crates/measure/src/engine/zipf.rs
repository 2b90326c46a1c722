//! Numbers by Zipf's law: rank k with a chance of 1 / k^θ.
//!
//! Rejection-inversion after Hörmann and Derflinger (1996): exact, without tables, for any number of ranks.

use ioalign_core::Random;
use ioalign_core::units::gcd;

/// Draws ranks and spreads them, so that often used places are not neighbours.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    count: u64,
    theta: f64,
    low: f64,
    high: f64,
    spread: u64,
}

impl Zipf {
    /// A distribution over `count` places; `theta` 0 is uniform.
    pub(super) fn new(count: u64, theta: f64) -> Self {
        let theta = theta.max(0.0);
        let mut zipf = Self {
            count,
            theta,
            low: 0.0,
            high: 0.0,
            spread: spread(count),
        };
        zipf.low = zipf.area(1.5) - 1.0;
        zipf.high = zipf.area(real(count) + 0.5);
        zipf
    }

    /// A place.
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let rank = self.rank(random);
        let far = u128::from(rank) * u128::from(self.spread) % u128::from(self.count.max(1));
        u64::try_from(far).unwrap_or(0)
    }

    /// A rank from 0, the most frequent.
    fn rank(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.high + unit(random) * (self.low - self.high);
            let at = self.place(area);
            let rank = at.round().clamp(1.0, real(self.count));
            // Under the bar of this rank, and not only under the curve over it.
            if area >= self.area(rank + 0.5) - rank.powf(-self.theta) {
                return whole(rank)
                    .saturating_sub(1)
                    .min(self.count.saturating_sub(1));
            }
        }
    }

    /// The integral of x^-θ.
    fn area(&self, x: f64) -> f64 {
        let log = x.ln();
        exp_minus_one_over((1.0 - self.theta) * log) * log
    }

    /// The inverse of [`Zipf::area`].
    fn place(&self, area: f64) -> f64 {
        let t = ((1.0 - self.theta) * area).max(-1.0);
        (log_plus_one_over(t) * area).exp()
    }
}

/// `(e^x - 1) / x`, also near 0.
fn exp_minus_one_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.exp_m1() / x
    } else {
        1.0 + x / 2.0
    }
}

/// `ln(1 + x) / x`, also near 0.
fn log_plus_one_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.ln_1p() / x
    } else {
        1.0 - x / 2.0
    }
}

/// A number with no divisor in common with the count: multiplying by it moves every rank elsewhere.
fn spread(count: u64) -> u64 {
    // About the golden section of the count.
    let start = (u128::from(count) * 618_033_989 / 1_000_000_000).max(1);
    let start = u64::try_from(start).unwrap_or(1);
    (start..).find(|n| gcd(*n, count) == 1).unwrap_or(1)
}

/// Evenly in [0, 1): 52 bits under the exponent of 1.
fn unit(random: &mut Random) -> f64 {
    f64::from_bits(0x3ff << 52 | random.next() >> 12) - 1.0
}

#[allow(clippy::cast_precision_loss)] // a bound of random numbers
const fn real(number: u64) -> f64 {
    number as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a rank from 1
const fn whole(rank: f64) -> u64 {
    rank as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of the first ranks against the definition.
    #[test]
    fn ranks_are_as_frequent_as_the_law_says() {
        for theta in [0.0, 0.5, 0.99, 1.0, 1.2] {
            let zipf = Zipf::new(1000, theta);
            let mut random = Random::new(7);
            let mut counts = [0_u32; 1000];
            for _ in 0..200_000 {
                counts[usize::try_from(zipf.rank(&mut random)).unwrap()] += 1;
            }
            let whole: f64 = (1..=1000).map(|k| f64::from(k).powf(-theta)).sum();
            for rank in [1_u32, 2, 10] {
                let share = f64::from(rank).powf(-theta) / whole;
                let expected = 200_000.0 * share;
                let got = f64::from(counts[rank as usize - 1]);
                let far = (got - expected).abs() / expected.sqrt();
                assert!(
                    far < 5.0,
                    "theta {theta} rank {rank}: {got} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn every_rank_has_its_own_place() {
        for count in [1_u64, 2, 3, 10, 64, 1000] {
            let by = spread(count);
            let mut places: Vec<_> = (0..count).map(|rank| rank * by % count).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..count), "{count}");
        }
    }
}
