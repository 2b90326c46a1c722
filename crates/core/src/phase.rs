//! The place of a layer's start on a grid below it: a set of offsets with weights.
//!
//! A start is not one number: an LV of 4 MiB extents on a 192 KiB stripe has three, a dynamic VHD
//! eight. The set is found by walking every piece of every map between layer and grid, modulo the
//! grid's size; if a map repeats, one period represents all.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::Range;

use crate::grid::{Grid, residue};
use crate::layer_id::LayerId;
use crate::map::{Map, Run, Runs};
use crate::reach;
use crate::stack::Stack;
use crate::units::{Bytes, gcd, ratio};

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

/// The phases of the addresses of `layer` on `grid`; empty if no map leads there.
pub fn phases(stack: &Stack, layer: LayerId, grid: &Grid) -> PhaseSet {
    let mut reached: Vec<bool> = Vec::new();
    for (id, above) in stack.layers().take(layer.0 + 1) {
        let leads_there = reach::followed(above).any(|below| reached[below.0]);
        reached.push(id == grid.layer || leads_there);
    }
    phases_along(stack, layer, grid, &|id| reached.get(id.0) == Some(&true))
}

/// The same, where it is known already from which layers the grid's layer can be reached.
pub(crate) fn phases_along(
    stack: &Stack,
    layer: LayerId,
    grid: &Grid,
    reaches: &dyn Fn(LayerId) -> bool,
) -> PhaseSet {
    let mut walk = PhaseWalk {
        stack,
        target: grid.layer,
        size: grid.size.get(),
        phase: grid.phase.get(),
        reaches,
        counts: BTreeMap::new(),
        pieces_left: MOST_PIECES,
    };
    let size = stack
        .layer(layer)
        .size
        .map_or(UNKNOWN_SIZE, Bytes::get)
        .max(1);
    // Without a piece left it settles for what it has.
    let _ = walk.descend(layer, 0, size, 0);
    PhaseSet::from_counts(&walk.counts)
}

/// Stands for the length of a layer whose size is not known; only proportions matter.
const UNKNOWN_SIZE: u64 = 1 << 60;
/// Pieces looked at before the walk settles for what it has: bounds time on hostile maps.
const MOST_PIECES: u64 = 1 << 20;

struct PhaseWalk<'a> {
    stack: &'a Stack,
    target: LayerId,
    size: u64,
    phase: u64,
    /// Whether the grid's layer is this one, or can be reached from it.
    reaches: &'a dyn Fn(LayerId) -> bool,
    counts: BTreeMap<u64, u64>,
    pieces_left: u64,
}

/// Each step answers `None` when there are no pieces left, and so ends the walk.
impl PhaseWalk<'_> {
    fn spend_piece(&mut self) -> Option<()> {
        self.pieces_left = self.pieces_left.checked_sub(1)?;
        Some(())
    }

    /// `[from, from + len)` of `layer`, which is not empty, carries top addresses that lie `shift` lower (modulo size).
    fn descend(&mut self, layer: LayerId, from: u64, len: u64, shift: u64) -> Option<()> {
        self.spend_piece()?;
        if layer == self.target {
            self.add(shift, len);
            return Some(());
        }
        let (stack, reaches) = (self.stack, self.reaches);
        let mut below = stack.layer(layer).below.iter();
        below.try_for_each(|edge| match reaches(edge.below) {
            true => self.follow(edge.below, &edge.map, from, len, shift),
            false => Some(()),
        })
    }

    fn follow(&mut self, below: LayerId, map: &Map, from: u64, len: u64, shift: u64) -> Option<()> {
        match map {
            Map::Shift { start } | Map::Mirror { start } => {
                let shift = self.sum(shift, start.get());
                self.descend(below, from.saturating_add(start.get()), len, shift)
            }
            Map::Linear(runs) => self.linear(below, runs, from, len, shift),
            Map::Striped {
                start,
                chunk,
                data,
                column,
            } => {
                let stripe = Stripe {
                    start: start.get(),
                    chunk: chunk.get(),
                    data: *data,
                };
                self.striped(below, &stripe, *column, from, len, shift)
            }
            Map::Scattered { start, granule } => {
                self.scattered(below, start.get(), granule.get(), len, shift)
            }
            Map::Within { low, high, step } => {
                let (low, high, step) = (low.get(), high.get(), step.get().max(1));
                // Over a whole cell and more the candidates are both on and off the grid.
                let decided = step >= self.size || high.saturating_sub(low) < self.size;
                match usize::try_from(step) {
                    Ok(step) if decided => {
                        self.within(below, (low..=high).step_by(step), from, len, shift)
                    }
                    _ => Some(()),
                }
            }
            Map::Opaque(_) => Some(()),
        }
    }

    /// A start that is one of several: something is known only where all candidates agree, be it
    /// that they are on the grid or that none of them is.
    fn within(
        &mut self,
        below: LayerId,
        mut candidates: impl Iterator<Item = u64>,
        from: u64,
        len: u64,
        shift: u64,
    ) -> Option<()> {
        let known = std::mem::take(&mut self.counts);
        let walked = candidates.try_for_each(|start| {
            let shift = self.sum(shift, start);
            self.descend(below, from.saturating_add(start), len, shift)
        });
        let found = std::mem::replace(&mut self.counts, known);
        walked?;
        let agree = found.len() == 1 || !found.contains_key(&0);
        for (offset, bytes) in found.into_iter().filter(|_| agree) {
            let count = self.counts.entry(offset).or_default();
            *count = count.saturating_add(bytes);
        }
        Some(())
    }

    fn linear(
        &mut self,
        below: LayerId,
        runs: &Runs,
        from: u64,
        len: u64,
        shift: u64,
    ) -> Option<()> {
        let end = from.saturating_add(len);
        for run in runs.iter() {
            // The first and last piece may be cut by the range; those between are whole.
            let (first, last) = overlap(run, from, end);
            self.piece(below, run, first, (from, end), shift)?;
            if last > first {
                self.piece(below, run, last, (from, end), shift)?;
            }
            let mut whole = (first + 1)..last;
            if below == self.target {
                self.regular(run, whole, shift)?;
            } else {
                whole.try_for_each(|i| self.piece(below, run, i, (from, end), shift))?;
            }
        }
        Some(())
    }

    fn piece(
        &mut self,
        below: LayerId,
        run: &Run,
        i: u64,
        range: (u64, u64),
        shift: u64,
    ) -> Option<()> {
        let (here, there) = run.nth(i);
        let start = here.max(range.0);
        let stop = here.saturating_add(run.len).min(range.1);
        let Some(len) = NonZeroU64::new(stop.saturating_sub(start)) else {
            return Some(());
        };
        let shift = self.sum(shift, self.difference(there, here));
        let from = there.saturating_add(start - here);
        self.descend(below, from, len.get(), shift)
    }

    /// Whole pieces that lie directly on the grid's layer: residues repeat with a period.
    fn regular(&mut self, run: &Run, pieces: Range<u64>, shift: u64) -> Option<()> {
        let Some(count) = NonZeroU64::new(pieces.end.saturating_sub(pieces.start)) else {
            return Some(());
        };
        let count = count.get();
        let (here, there) = run.nth(pieces.start);
        let mut shift = self.sum(shift, self.difference(there, here));
        let size = i128::from(self.size);
        let step = (i128::from(run.step_to) - i128::from(run.step_from)).rem_euclid(size);
        let step = u64::try_from(step).unwrap_or(0);
        let period = self.period_of(step);
        for i in 0..period.min(count) {
            self.spend_piece()?;
            let times = count / period + u64::from(i < count % period);
            self.add(shift, run.len.saturating_mul(times));
            shift = self.sum(shift, step);
        }
        Some(())
    }

    /// How many steps lead back to the same offset.
    fn period_of(&self, step: u64) -> u64 {
        self.size.checked_div(gcd(step, self.size)).unwrap_or(1)
    }

    fn striped(
        &mut self,
        below: LayerId,
        stripe: &Stripe,
        column: Option<u64>,
        from: u64,
        len: u64,
        shift: u64,
    ) -> Option<()> {
        let width = stripe.chunk.checked_mul(stripe.data);
        let Some(width) = width.filter(|width| *width > 0) else {
            return Some(());
        };
        if stripe.chunk.is_multiple_of(self.size) {
            // Chunks move by whole cells: the shift is the start, wherever the chunk goes.
            let shift = self.sum(shift, stripe.start);
            let first = stripe.start.saturating_add(from / width * stripe.chunk);
            return self.descend(below, first, (len / stripe.data).max(1), shift);
        }
        // Shifts repeat once (stripe − chunk index) × chunk is a multiple of the cell.
        let period = stripe.data.saturating_mul(self.period_of(stripe.chunk));
        let first = from / stripe.chunk;
        let chunks = (len / stripe.chunk).clamp(1, period);
        let mut indices = first..first.saturating_add(chunks);
        indices.try_for_each(|k| {
            if column.is_some_and(|column| k % stripe.data != column) {
                return Some(());
            }
            let there = stripe.start.saturating_add(k / stripe.data * stripe.chunk);
            let shift = self.sum(shift, self.difference(there, k * stripe.chunk));
            self.descend(below, there, stripe.chunk, shift)
        })
    }

    fn scattered(
        &mut self,
        below: LayerId,
        start: u64,
        granule: u64,
        len: u64,
        shift: u64,
    ) -> Option<()> {
        if granule == 0 {
            return Some(());
        }
        // Any multiple of the granule may be where a granule lies: all residues are equally likely.
        let room = self
            .stack
            .layer(below)
            .size
            .map_or(UNKNOWN_SIZE, Bytes::get);
        let (kinds, room) = (
            self.period_of(granule),
            room.saturating_sub(start).min(len).max(1),
        );
        let mut shift = self.sum(shift, start);
        for _ in 0..kinds {
            self.descend(below, start, (room / kinds).max(1), shift)?;
            shift = self.sum(shift, granule);
        }
        Some(())
    }

    fn add(&mut self, shift: u64, bytes: u64) {
        let count = self
            .counts
            .entry(residue(shift, self.phase, self.size))
            .or_default();
        *count = count.saturating_add(bytes);
    }

    fn sum(&self, a: u64, b: u64) -> u64 {
        let sum = u128::from(a % self.size) + u128::from(b % self.size);
        u64::try_from(sum % u128::from(self.size)).unwrap_or(0)
    }

    fn difference(&self, a: u64, b: u64) -> u64 {
        residue(a, b, self.size)
    }
}

struct Stripe {
    start: u64,
    chunk: u64,
    data: u64,
}

/// The first and last piece of `run` that overlap `[from, end)`.
fn overlap(run: &Run, from: u64, end: u64) -> (u64, u64) {
    let index = |address: u64| {
        let past = address.saturating_sub(run.from);
        past.checked_div(run.step_from)
            .map_or(0, |i| i.min(run.count - 1))
    };
    (index(from), index(end.saturating_sub(1)))
}
