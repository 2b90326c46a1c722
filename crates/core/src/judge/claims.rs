//! The claims on the start of a partition: those of every grid below it, where its data lie.
//!
//! What counts is where the data begin: the extents of a physical volume, the payload of an encrypted volume, the
//! clusters of a file system. A start that brings those onto a grid may itself be off it.

use std::cmp::Reverse;

use super::{StackCase, weight};
use crate::grid::place::solve;
use crate::grid::{Boundaries, Grid, GridClaim, residue};
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::phase::PhaseSet;
use crate::severity::Severity;
use crate::units::Bytes;

/// The good starts of a partition in `below`: on as many grids as can be had together, and by the habit of whole
/// mebibytes where that fits, which every partitioning tool of the last fifteen years keeps. Where the data lie off the
/// grids within the partition, the starts are as far from a mebibyte as makes up for that.
pub(super) fn good(case: &StackCase<'_>, partition: LayerId, below: LayerId) -> Boundaries {
    let [asking, noted] = weighed(case, Some(partition), below);
    let starts = solve(asking).and(noted).starts;
    starts.by_habit(Bytes::MIB.get()).unwrap_or(starts)
}

/// The claims on a start that ask for a move when it is off them, and those that are merely noted then.
pub(super) fn weighed(
    case: &StackCase<'_>,
    partition: Option<LayerId>,
    below: LayerId,
) -> [Vec<GridClaim>; 2] {
    let data = partition.map(|id| data_of(case, id).unwrap_or(id));
    let severity = |grid| weight::severity(case, data.unwrap_or(below), grid);
    let all = all(case, partition, below).into_iter();
    let (asking, noted): (Vec<_>, Vec<_>) =
        all.partition(|(grid, _)| severity(grid) > Severity::Note);
    [asking, noted].map(|claims| claims.into_iter().map(|(_, claim)| claim).collect())
}

/// The claims of all trusted grids in `below` and under it on the start of a partition there. The nearest come first:
/// of two equal claims that contradict each other the solver keeps the nearer one.
fn all<'a>(
    case: &StackCase<'a>,
    partition: Option<LayerId>,
    below: LayerId,
) -> Vec<(&'a Grid, GridClaim)> {
    let mut grids: Vec<_> = case
        .grids_under(below)
        .filter(|grid| grid.trusted())
        .collect();
    grids.sort_by_key(|grid| Reverse(grid.layer));
    let claim = |grid: &'a Grid| {
        let phase = phase(case, partition, below, grid)?;
        Some((grid, grid.claim.clone().at_phase(phase)))
    };
    grids.into_iter().filter_map(claim).collect()
}

/// The starts of a layer in `below` at which its data are on one grid; `None` where that is not one set.
pub(super) fn own(
    case: &StackCase<'_>,
    layer: LayerId,
    below: LayerId,
    grid: &Grid,
) -> Option<Boundaries> {
    Some(Boundaries {
        period: grid.size.get(),
        phase: phase(case, Some(layer), below, grid)?,
    })
}

fn phase(case: &StackCase<'_>, layer: Option<LayerId>, below: LayerId, grid: &Grid) -> Option<u64> {
    let size = grid.size.get();
    let phase = phase_in(case, below, grid)?;
    let ahead = layer.and_then(|layer| ahead_of_data(case, layer, grid));
    Some(residue(phase, ahead.unwrap_or(0), size))
}

/// The first boundary as seen in the address space of `layer`, which lies on the grid's layer.
fn phase_in(case: &StackCase<'_>, layer: LayerId, grid: &Grid) -> Option<u64> {
    if layer == grid.layer {
        return Some(grid.phase.get());
    }
    let offset = single(case.phases_for(layer, grid)?)?;
    // Where an image format puts the whole disk off its file, no start on the disk is to make up for it.
    let is_in_a_file = case.stack.layer(grid.layer).kind == Kind::Image;
    (offset == 0 || !is_in_a_file).then(|| residue(0, offset, grid.size.get()))
}

/// How far into a partition its data begin, as the grid counts.
fn ahead_of_data(case: &StackCase<'_>, layer: LayerId, grid: &Grid) -> Option<u64> {
    let data = data_of(case, layer)?;
    let start = |layer| single(case.phases_for(layer, grid)?);
    Some(residue(start(data)?, start(layer)?, grid.size.get()))
}

/// What lies on a partition alone: its volume or file system. An array of several has no start of its own.
fn data_of(case: &StackCase<'_>, partition: LayerId) -> Option<LayerId> {
    if case.stack.layer(partition).kind != Kind::Partition {
        return None;
    }
    let alone = |id: &LayerId| {
        let below = &case.stack.layer(*id).below;
        below.iter().all(|edge| edge.below == partition)
    };
    case.stack.above(partition).find(alone)
}

fn single(phases: &PhaseSet) -> Option<u64> {
    match phases.phases.as_slice() {
        [only] => Some(only.offset),
        _ => None,
    }
}
