//! Where a layer's start lies on a grid: a set of offsets with weights.

use std::collections::BTreeMap;

use crate::units::ratio;

/// One offset past a boundary, and the share of the layer that has it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Phase {
    /// Bytes past the boundary at or before.
    pub offset: u64,
    /// Share of the layer's bytes, 0 to 1.
    pub weight: f64,
}

/// All offsets of a layer on one grid, largest share first. Empty: not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseSet {
    /// The offsets; weights add up to 1.
    pub phases: Vec<Phase>,
}

impl PhaseSet {
    /// From bytes counted by offset.
    pub fn from_counts(counts: &BTreeMap<u64, u64>) -> Self {
        let total = counts.values().fold(0_u64, |sum, n| sum.saturating_add(*n));
        let mut phases: Vec<_> = counts
            .iter()
            .filter(|(_, n)| **n > 0)
            .map(|(offset, n)| Phase {
                offset: *offset,
                weight: ratio(*n, total),
            })
            .collect();
        phases.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.offset.cmp(&b.offset)));
        Self { phases }
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        !self.phases.is_empty()
    }

    /// Whether every known part is on the grid.
    pub fn is_aligned(&self) -> bool {
        self.is_known() && self.phases.iter().all(|phase| phase.offset == 0)
    }

    /// The share that is off the grid.
    pub fn off_grid(&self) -> f64 {
        self.phases
            .iter()
            .filter(|phase| phase.offset != 0)
            .map(|phase| phase.weight)
            .sum()
    }

    /// The most frequent offset that is not zero.
    pub fn dominant_offset(&self) -> Option<u64> {
        self.phases
            .iter()
            .find(|phase| phase.offset != 0)
            .map(|phase| phase.offset)
    }
}
