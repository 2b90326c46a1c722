//! Means and variances of several numbers that belong together, one observation at a time.
//!
//! Welford's update (Technometrics 4, 1962): no observation is kept, and no digits are lost where the
//! deviation is small beside the mean.

use std::array::from_fn;

use super::real;

/// Means and products of deviations of `N` numbers.
#[derive(Copy, Clone, Debug)]
pub struct Moments<const N: usize> {
    count: u64,
    mean: [f64; N],
    products: [[f64; N]; N],
}

impl<const N: usize> Default for Moments<N> {
    fn default() -> Self {
        Self {
            count: 0,
            mean: [0.0; N],
            products: [[0.0; N]; N],
        }
    }
}

impl<const N: usize> Moments<N> {
    /// Counts one observation.
    pub fn add(&mut self, values: [f64; N]) {
        self.count += 1;
        let before = minus(values, self.mean);
        for (mean, step) in self.mean.iter_mut().zip(before) {
            *mean += step / real(self.count);
        }
        let after = minus(values, self.mean);
        for (row, before) in self.products.iter_mut().zip(before) {
            for (product, after) in row.iter_mut().zip(after) {
                *product += before * after;
            }
        }
    }

    /// How many were counted.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their means.
    pub const fn mean(&self) -> [f64; N] {
        self.mean
    }

    /// The standard deviation of the sum with these weights; not a number below two observations.
    pub fn deviation(&self, weights: [f64; N]) -> f64 {
        let rows = self.products.iter().map(|row| dot(*row, weights));
        let sum: f64 = rows.zip(weights).map(|(row, weight)| row * weight).sum();
        (sum.max(0.0) / (real(self.count) - 1.0)).sqrt()
    }
}

fn minus<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    let mut differences = a.iter().zip(b).map(|(a, b)| a - b);
    from_fn(|_| differences.next().unwrap_or(0.0))
}

fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_those_of_the_textbook(
            pairs in prop::collection::vec((-1e3..1e3, -1e3..1e3), 2..50),
            weights in (-2.0..2.0, -2.0..2.0),
        ) {
            let mut moments = Moments::<2>::default();
            for &(x, y) in &pairs {
                moments.add([x, y]);
            }
            let n = real(pairs.len() as u64);
            let sums: Vec<f64> = pairs.iter().map(|(x, y)| weights.0 * x + weights.1 * y).collect();
            let mean = sums.iter().sum::<f64>() / n;
            let squares: f64 = sums.iter().map(|sum| (sum - mean) * (sum - mean)).sum();
            let expected = (squares / (n - 1.0)).sqrt();
            let weights = [weights.0, weights.1];
            prop_assert!((dot(moments.mean(), weights) - mean).abs() < 1e-9);
            prop_assert!((moments.deviation(weights) - expected).abs() < 1e-6 * (1.0 + expected));
        }
    }

    #[test]
    fn small_deviations_beside_large_means_survive() {
        let mut moments = Moments::<1>::default();
        for step in [1.0, 2.0, 3.0] {
            moments.add([1e12 + step]);
        }
        assert!((moments.deviation([1.0]) - 1.0).abs() < 1e-6);
    }
}
