//! Order statistics of small arrays, in place.

use super::real;

/// The median; 0 of nothing. Reorders its argument.
pub fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let odd = values.len() % 2 == 1;
    if middle >= values.len() {
        return 0.0;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, upper)
}

/// The time that `percent` in a hundred do not exceed; 0 of nothing. Reorders its argument.
pub fn percentile_of_times(times: &mut [u64], percent: usize) -> f64 {
    let rank = (times.len() * percent).div_ceil(100).max(1) - 1;
    if rank >= times.len() {
        return 0.0;
    }
    real(*times.select_nth_unstable(rank).1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn medians_are_those_of_sorted_values(times in prop::collection::vec(0u64..1000, 1..40)) {
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let n = sorted.len();
            let expected = f64::midpoint(real(sorted[(n - 1) / 2]), real(sorted[n / 2]));
            let mut reals: Vec<f64> = times.into_iter().map(real).collect();
            prop_assert!((median(&mut reals) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let mut times: Vec<u64> = (1..=400).rev().collect();
        assert_eq!(percentile_of_times(&mut times, 99), 396.0);
        assert_eq!(percentile_of_times(&mut times, 100), 400.0);
        assert_eq!(percentile_of_times(&mut [7], 1), 7.0);
        assert_eq!(percentile_of_times(&mut [], 99), 0.0);
        assert_eq!(median(&mut []), 0.0);
    }
}
