//! The boundary of the asymptotic confidence sequence: how far a running mean strays, at any time at all.
//!
//! Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic confidence
//! sequences" (Annals of Statistics 52, 2024; arXiv 2103.06476), theorem 2.2: the conjugate-mixture boundary of
//! Robbins (1970) with an estimated deviation.

use super::real;

/// Half the width of the sequence, in standard deviations of one observation.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Boundary {
    rho2: f64,
    alpha: f64,
}

impl Boundary {
    /// With total error `alpha` and the tuning parameter ρ².
    pub const fn new(rho2: f64, alpha: f64) -> Self {
        Self { rho2, alpha }
    }

    /// With total error `alpha`, tightest after about this many observations.
    pub fn tightest_at(count: f64, alpha: f64) -> Self {
        let l = -2.0 * alpha.ln();
        Self::new((l + l.ln() + 1.0) / count, alpha)
    }

    /// The same boundary for means of `size` observations each.
    #[must_use]
    pub fn of_means(self, size: u32) -> Self {
        Self::new(self.rho2 * f64::from(size), self.alpha)
    }

    /// The same for one of several that share the error.
    #[must_use]
    pub fn shared_by(self, many: u32) -> Self {
        Self::new(self.rho2, self.alpha / f64::from(many))
    }

    /// The error that it allows, over all times.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The width after this many observations; infinite before the first.
    pub fn radius(&self, count: u64) -> f64 {
        let t = real(count);
        let grown = t.mul_add(self.rho2, 1.0);
        (2.0 * grown / (t * t * self.rho2) * (grown.sqrt() / self.alpha).ln()).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() < within, "{value} {expected}");
    }

    /// The unit tests of `confseq` (`TestTwoSidedNormalMixture`, values of a reference in R): with ρ = 12.60056
    /// the boundary of a sum of 100 is 30.35209. Its ρ is our 1/ρ².
    #[test]
    fn the_published_values_come_out() {
        let boundary = Boundary::new(1.0 / 12.600_56, 0.05);
        near(boundary.radius(100) * 100.0, 30.352_09, 1e-4);
    }

    /// `std_conjmix_margin` of the R package `drconfseq`: sqrt((t ρ² + 1)/(t² ρ²) ln((t ρ² + 1)/α²)), worked out by
    /// by Python
    #[test]
    fn it_is_the_margin_of_the_authors() {
        near(Boundary::new(0.1, 0.05).radius(10), 1.156_253_6, 1e-6);
        near(Boundary::new(0.1, 0.05).radius(1000), 0.103_501_9, 1e-6);
        near(Boundary::new(0.1, 0.001).radius(50), 0.612_024_9, 1e-6);
    }

    #[test]
    fn it_is_tightest_where_asked() {
        let at = |count: f64| Boundary::tightest_at(count, 0.05).radius(200);
        assert!(at(200.0) < at(100.0) && at(200.0) < at(400.0));
        // Against the exact optimum of confseq for 100: 1/12.60056.
        let ours = Boundary::tightest_at(100.0, 0.05).radius(100);
        assert!(ours < 1.01 * Boundary::new(1.0 / 12.600_56, 0.05).radius(100));
    }

    #[test]
    fn means_of_independent_observations_have_the_same_interval() {
        let fine = Boundary::tightest_at(200.0, 0.05);
        near(
            fine.of_means(4).radius(100) / 4f64.sqrt(),
            fine.radius(400),
            1e-12,
        );
    }

    #[test]
    fn nothing_is_known_before_the_first() {
        assert!(Boundary::tightest_at(200.0, 0.05).radius(0).is_infinite());
    }
}
