//! The tests that others use, to see how they do on the same data.

use ioalign_measure::stats::{median as middle, real};

/// The quantile of Student's t for 95 % on both sides; within 1 % from 8 degrees of freedom on.
pub fn quantile(freedom: f64) -> f64 {
    1.96 + 2.72 / freedom
}

/// Count, mean and variance.
pub fn moments(values: &[f64]) -> (f64, f64, f64) {
    let n = real(values.len() as u64);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (n, mean, squares / (n - 1.0))
}

/// Welch's test: whether two sets of numbers have different means.
pub fn welch(a: &[f64], b: &[f64]) -> bool {
    let ((n, mean_a, var_a), (m, mean_b, var_b)) = (moments(a), moments(b));
    let (a, b) = (var_a / n, var_b / m);
    let freedom = (a + b).powi(2) / (a * a / (n - 1.0) + b * b / (m - 1.0));
    (mean_a - mean_b).abs() > quantile(freedom) * (a + b).sqrt()
}

/// Student's test on differences, at every look from the tenth on: whether it ever says that there is one.
pub fn student_peeking(differences: &[f64]) -> bool {
    let (mut sum, mut squares, mut n) = (0.0, 0.0, 0.0);
    differences.iter().any(|value| {
        (sum, squares, n) = (sum + value, squares + value * value, n + 1.0);
        let variance = (squares - sum * sum / n) / (n - 1.0);
        n >= 10.0 && sum.abs() / n > quantile(n - 1.0) * (variance / n).sqrt()
    })
}

/// The times of an arm in a round.
pub fn times(round: &[(usize, u64)], arm: usize) -> Vec<u64> {
    let of_arm = round.iter().filter(|(of, _)| *of == arm);
    of_arm.map(|(_, time)| *time).collect()
}

/// The log-ratio of arm 1 to arm 0 in every round, by a summary of the times of a round.
pub fn log_ratios(rounds: &[Vec<(usize, u64)>], of: fn(&mut [u64]) -> f64) -> Vec<f64> {
    let whole = rounds.iter().filter(|round| round.len() >= 3);
    whole
        .map(|round| {
            let side = |arm| of(&mut times(round, arm)).ln();
            side(1) - side(0)
        })
        .collect()
}

pub fn mean(times: &mut [u64]) -> f64 {
    real(times.iter().sum()) / real(times.len() as u64)
}

pub fn median(times: &mut [u64]) -> f64 {
    let mut times: Vec<f64> = times.iter().copied().map(real).collect();
    middle(&mut times)
}
