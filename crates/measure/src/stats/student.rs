//! Quantiles of Student's t distribution, for a handful of sessions.
//!
//! The distribution function is that of an incomplete beta function (Abramowitz and Stegun 26.7.1), by its continued fraction
//! (26.5.8) in the form of Lentz.

/// The value that Student's t with `freedom` degrees stays below with probability `p`, of 1/2 and more.
pub fn quantile(p: f64, freedom: u32) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while below(high, freedom) < p && high < 1e12 {
        high *= 2.0;
    }
    // To the last bit that matters: each step halves what is left.
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if below(middle, freedom) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The probability to stay below `t`, which is not negative.
fn below(t: f64, freedom: u32) -> f64 {
    let v = f64::from(freedom);
    1.0 - 0.5 * incomplete_beta(v / t.mul_add(t, v), v / 2.0, 0.5)
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    front.exp() / a / fraction(x, a, b)
}

/// 1 + d₁ x/(1 + d₂ x/(1 + …)).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..500_u32 {
        let m = f64::from(step / 2);
        let k = if step.is_multiple_of(2) {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = (1.0_f64 + k * d).recip();
        c = 1.0 + k / c;
        let change: f64 = c * d;
        value *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// Of a positive multiple of 1/2, by its recurrence from Γ(1/2) or Γ(1).
fn ln_gamma(value: f64) -> f64 {
    let (mut at, mut sum) = (value, 0.0);
    while at > 1.0 {
        at -= 1.0;
        sum += at.ln();
    }
    if at < 0.75 {
        sum + std::f64::consts::PI.ln() / 2.0
    } else {
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
    #[test]
    fn the_published_values_come_out() {
        for (p, freedom, expected) in [
            (0.95, 1, 6.314),
            (0.975, 4, 2.776),
            (0.95, 9, 1.833),
            (0.99, 9, 2.821),
            (0.975, 30, 2.042),
            (0.999, 19, 3.579),
        ] {
            let found = quantile(p, freedom);
            assert!((found - expected).abs() < 6e-4, "{p} {freedom}: {found}");
        }
    }

    #[test]
    fn a_median_is_zero() {
        assert!(quantile(0.5, 7).abs() < 1e-9);
    }
}
