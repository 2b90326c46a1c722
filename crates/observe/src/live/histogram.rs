//! Latencies as the program counts them: a sum, a maximum and the steps of `analyse::latency`.

use ioalign_core::profile::Latency;

use super::layout::{LATENCIES, LATENCY};
use crate::analyse::latency::Histogram;

/// One histogram, summed over the processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps(pub Vec<u64>);

impl Default for Steps {
    fn default() -> Self {
        Self(vec![0; LATENCY])
    }
}

impl Steps {
    /// What was added since `earlier`. The maximum is of the whole watch where it did not grow, so it
    /// is bounded by the highest step that did.
    pub fn since(&self, earlier: &Self) -> Self {
        let less = self
            .0
            .iter()
            .zip(&earlier.0)
            .map(|(now, then)| now - then.min(now));
        let mut all = Self(less.collect());
        all.bound(self.max(), earlier.max());
        all
    }

    /// Those that are not in `part`, which is in this.
    pub fn without(&self, part: &Self) -> Self {
        let mut rest = self.since(part);
        rest.bound(self.max(), part.max());
        rest
    }

    fn bound(&mut self, mine: u64, other: u64) {
        let highest = self.0.iter().skip(2).rposition(|count| *count > 0);
        let top = highest.map_or(0, Histogram::step_end);
        let max = if mine > other { mine } else { top.min(mine) };
        if let Some(slot) = self.0.get_mut(1) {
            *slot = max.min(top);
        }
    }

    /// Nanoseconds of all.
    pub fn sum(&self) -> u64 {
        self.0.first().copied().unwrap_or(0)
    }

    fn max(&self) -> u64 {
        self.0.get(1).copied().unwrap_or(0)
    }

    /// Adds one processor's: sums and counts add, the maximum is the larger.
    pub fn merge<'a>(&mut self, other: impl IntoIterator<Item = &'a u64>) {
        for (at, (mine, more)) in self.0.iter_mut().zip(other).enumerate() {
            *mine = if at == 1 {
                (*mine).max(*more)
            } else {
                *mine + more
            };
        }
    }

    /// How many were counted.
    pub fn ios(&self) -> u64 {
        self.0.iter().skip(2).sum()
    }

    /// What the profile says of it.
    pub fn summary(&self) -> Option<Latency> {
        self.histogram().summary()
    }

    /// As the analysis of traces has it.
    pub fn histogram(&self) -> Histogram {
        let counts = self.0.get(2..2 + LATENCIES).unwrap_or_default();
        Histogram::of(counts, u128::from(self.sum()), self.max())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Steps {
        let mut steps = Steps::default();
        for value in values {
            let mut one = [0; LATENCY];
            one[0] = *value;
            one[1] = *value;
            one[2 + Histogram::step(*value)] = 1;
            steps.merge(&one);
        }
        steps
    }

    #[test]
    fn an_interval_has_a_maximum_of_its_own() {
        let then = of(&[1_000_000]);
        let now = of(&[1_000_000, 2_000, 3_000]);
        let part = now.since(&then).summary().unwrap();
        assert_eq!(part.ios, 2);
        assert!((part.mean - 2.5).abs() < 1e-9);
        assert!(part.max < 3.2, "{part:?}");
        let rest = now.without(&of(&[3_000])).summary().unwrap();
        assert!((rest.max - 1000.0).abs() < 1e-9);
    }
}
