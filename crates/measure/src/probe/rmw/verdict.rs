//! Whether the writes of one arm are faster than those of all others.

use crate::probe::search::LEAST_EFFECT;
use crate::stats::{median, real};

/// Standard errors of ranks between the whole unit and all others.
const APART: f64 = 5.0;

/// By how much the first arm is faster than each other one, and by how many standard errors; `None`: it is not.
pub(super) fn verdict(arms: &[Vec<f64>]) -> Option<(f64, f64)> {
    let (first, others) = arms.split_first()?;
    let apart = others.iter().map(|other| ranks_apart(first, other));
    let apart = apart.fold(f64::INFINITY, f64::min);
    let effect = effect(arms)?;
    (effect >= LEAST_EFFECT && apart >= APART).then_some((effect, apart))
}

/// The least of the effects of all others.
fn effect(arms: &[Vec<f64>]) -> Option<f64> {
    let (first, others) = arms.split_first()?;
    let fast = median(&mut first.clone());
    let slower = others
        .iter()
        .map(|other| median(&mut other.clone()) / fast - 1.0);
    Some(slower.fold(f64::INFINITY, f64::min))
}

/// Whether more writes may make it clear.
pub(super) fn is_faster(arms: &[Vec<f64>]) -> bool {
    effect(arms).is_some_and(|effect| effect >= LEAST_EFFECT / 2.0)
}

/// How many standard errors the ranks of two samples are apart (Mann and Whitney): positive if the first is faster.
fn ranks_apart(first: &[f64], other: &[f64]) -> f64 {
    let (n, m) = (real(first.len() as u64), real(other.len() as u64));
    let wins = first
        .iter()
        .flat_map(|one| other.iter().map(move |two| one < two));
    let wins = real(wins.filter(|won| *won).count() as u64);
    (wins - n * m / 2.0) / (n * m * (n + m + 1.0) / 12.0).sqrt().max(1e-9)
}

/// Half of the range in which half of all times lie, over their median: what a phase would have to differ by.
pub(super) fn spread(usual: &mut [f64]) -> f64 {
    usual.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| {
        usual
            .get(usual.len() * percent / 100)
            .copied()
            .unwrap_or(0.0)
    };
    (at(75) - at(25)) / 2.0 / at(50).max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_unit_beats_each_of_the_others() {
        let slow: Vec<f64> = (0..32).map(|number| 2.0 + real(number) / 100.0).collect();
        let fast: Vec<f64> = slow.iter().map(|time| time / 2.0).collect();
        let (effect, apart) = verdict(&[fast.clone(), slow.clone(), slow.clone()]).unwrap();
        assert!(effect > 0.9 && apart > 6.0);
        // Half a unit that costs less than a whole one is no read-modify-write.
        assert_eq!(verdict(&[slow.clone(), slow, fast]), None);
    }
}
