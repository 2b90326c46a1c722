//! What it means that a layer is off a grid: answered once, and read by findings, marks, headlines and `fix`.

use crate::grid::Tier;
use crate::judge::{StackCase, weight};
use crate::layer::Kind;
use crate::layer::detail::FileSystemFormat;
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::phase::PhaseSet;
use crate::severity::Severity;

/// A grid that a layer with data is off.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    /// The layer.
    pub layer: LayerId,
    /// Index into [`crate::Stack::grids`].
    pub grid: usize,
    /// Where its data lie.
    pub phases: PhaseSet,
    /// The lowest layer from which on, upwards, everything is off the grid.
    pub guilty: LayerId,
    /// How bad that is: a note where the layers above make up for it.
    pub severity: Severity,
}

/// Every layer with data that is off a grid, by layer, then by grid. On a disk whose partitions are being moved
/// nothing is a fact.
pub(in crate::judge) fn all(case: &StackCase<'_>) -> Vec<Missed> {
    let judged = case.phases.iter().filter(|entry| {
        let carries_data = case.stack.layer(entry.layer).role.carries_data();
        let is_off = !entry.phases.is_aligned();
        let trusted = case.stack.grids[entry.grid].trusted();
        is_off && carries_data && trusted && !case.is_in_flight(entry.layer)
    });
    let missed = judged.map(|entry| Missed {
        layer: entry.layer,
        grid: entry.grid,
        phases: entry.phases.clone(),
        guilty: guilty(case, entry.layer, entry.grid),
        severity: if repaired_above(case, entry.layer, entry.grid)
            || costs_nothing(case, entry.layer, entry.grid)
        {
            Severity::Note
        } else {
            weight::severity(case, entry.layer, &case.stack.grids[entry.grid])
        },
    });
    missed.collect()
}

/// Whether everything that holds data on a layer is on a grid nevertheless. What an image format puts off its file
/// stays off for all that is still to be written.
pub(super) fn repaired_above(case: &StackCase<'_>, layer: LayerId, grid: usize) -> bool {
    if case.stack.layer(layer).kind == Kind::Disk {
        return false;
    }
    let right = |leaf: &LayerId| {
        let phases = case.phases_on(*leaf, grid);
        phases.is_some_and(PhaseSet::is_aligned)
    };
    let leaves = case.leaves_on(layer);
    !leaves.is_empty() && leaves.iter().all(right)
}

/// A placeholder smaller than the unit cannot fill one wherever it lies. The files of a FAT with small clusters
/// start on any cluster, so that the start of its first one changes nothing.
pub(in crate::judge) fn costs_nothing(case: &StackCase<'_>, id: LayerId, grid: usize) -> bool {
    let (layer, unit) = (case.stack.layer(id), &case.stack.grids[grid]);
    if unit.tier != Tier::Rmw {
        return false;
    }
    let placeholder =
        layer.kind == Kind::Partition && layer.size.is_some_and(|size| size < unit.size);
    let format = layer.filesystem_format();
    let small =
        format == Some(FileSystemFormat::Fat) && layer.block.is_some_and(|block| block < unit.size);
    // Written once, from the first byte to the last.
    let optical = format == Some(FileSystemFormat::Iso9660);
    placeholder || optical || (small && guilty(case, id, grid) == id)
}

/// The lowest layer from which on, upwards, everything is off the grid.
fn guilty(case: &StackCase<'_>, leaf: LayerId, grid: usize) -> LayerId {
    let mut suspect = leaf;
    loop {
        let worst_below = case
            .stack
            .layer(suspect)
            .below
            .iter()
            .map(|edge| edge.below)
            .find(|below| {
                case.phases_on(*below, grid)
                    .is_some_and(|phases| !phases.is_aligned())
            });
        match worst_below {
            Some(below) => suspect = below,
            None => return suspect,
        }
    }
}

/// A thin volume off a stripe on which its pool is right: the chunk size is the cause, and that is
/// said once of the pool and not of each volume.
pub(super) fn chunk_is_to_blame(case: &StackCase<'_>, missed: &Missed) -> bool {
    let guilty = case.stack.layer(missed.guilty);
    case.stack.grids[missed.grid].tier == Tier::Preference
        && guilty.below.iter().any(|edge| {
            let pool = case.stack.layer(edge.below).kind == Kind::ThinPool;
            pool && matches!(edge.map, Map::Scattered { .. })
        })
}
