//! An interval for the mean of several runs.

/// Student's t for 95 %, by degrees of freedom from 1 on.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The 95 % interval for the mean of independent runs; `None` of fewer than two.
// The number of runs is small.
#[allow(clippy::cast_precision_loss)]
pub fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let t = T
        .get(values.len().checked_sub(2)?)
        .copied()
        .unwrap_or(2.042);
    let mean = values.iter().sum::<f64>() / n;
    let square = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>();
    let half = t * (square / (n - 1.0) / n).sqrt();
    Some((mean - half, mean + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_textbook() {
        let (low, high) = interval(&[1.0, 2.0, 3.0]).unwrap();
        assert!(
            (low + 0.484).abs() < 0.001 && (high - 4.484).abs() < 0.001,
            "{low} {high}"
        );
        assert_eq!(interval(&[1.0]), None);
    }
}
