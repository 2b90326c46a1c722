//! Where a partition has to start so that what is in it lies on every grid that check demands.
//!
//! What counts is where the data lie: the extents of a physical volume, the payload of an encrypted
//! volume, the clusters of a file system. A start that brings those onto the grid may itself be off it.

use ioalign_core::grid::{meet, residue};
use ioalign_core::phase::PhaseSet;
use ioalign_core::{Bytes, Confidence, Grid, Kind, LayerId, Origin, Severity, Tier};
use ioalign_repair::layout::Boundaries;
use ioalign_report::Target;

/// Starts further apart than this are not demanded.
const LARGEST_PERIOD: u64 = 1 << 30;

/// The address space of the table, with all that was found in it.
pub struct Ground<'a> {
    /// The target.
    pub target: &'a Target,
    /// The layer.
    pub layer: LayerId,
}

impl Ground<'_> {
    /// The good starts of a partition that starts at `start`: all, where nothing asks for any.
    pub fn of(&self, partition: Option<LayerId>, start: u64) -> Boundaries {
        let data = partition.map(|id| self.data(id));
        let all = self.target.stack.grids.iter().enumerate();
        let mut grids: Vec<_> = all
            .filter(|(index, grid)| self.demands(*index, grid))
            .collect();
        grids.sort_by_key(|(_, grid)| (grid.tier, grid.size));
        let mut both = None;
        for (index, grid) in grids {
            let Some(offset) = self.offset(data, index, grid, start) else {
                continue;
            };
            let size = grid.size.get();
            let own = (size, residue(start, offset, size));
            let met = both.map_or(Some(own), |both| meet(both, own));
            // One that cannot be had with those before it, which matter more, is given up.
            both = met.filter(|(period, _)| *period <= LARGEST_PERIOD).or(both);
        }
        let (period, phase) = both.unwrap_or((1, 0));
        Boundaries { period, phase }
    }

    /// Whether check would complain, or does: about blocks of a disk also where it has to guess them. Here not about
    /// where an image lies in its file.
    fn demands(&self, index: usize, grid: &Grid) -> bool {
        let kind = self.target.stack.layer(grid.layer).kind;
        let known = grid.confidence > Confidence::Low || grid.origin == Origin::Declared;
        let counts = known || grid.tier < Tier::Preference || self.complains(index);
        grid.trusted() && counts && kind != Kind::Image
    }

    fn complains(&self, grid: usize) -> bool {
        let mut findings = self.target.findings.iter();
        findings.any(|one| one.grid == Some(grid) && one.severity > Severity::Note)
    }

    /// How far the data lie past a boundary; `None` where it is not one number.
    fn offset(&self, data: Option<LayerId>, index: usize, grid: &Grid, start: u64) -> Option<u64> {
        let Some(data) = data else {
            let here = grid.layer == self.layer;
            return here.then(|| grid.offset_of(Bytes::new(start)).get());
        };
        if grid.layer != self.layer {
            single(self.phases(self.layer, index)?)?;
        }
        single(self.phases(data, index)?)
    }

    fn phases(&self, layer: LayerId, grid: usize) -> Option<&PhaseSet> {
        let mut all = self.target.phases.iter();
        let found = all.find(|one| one.layer == layer && one.grid == grid);
        found.map(|one| &one.phases)
    }

    /// What lies on a partition: its volume or file system, or itself.
    fn data(&self, partition: LayerId) -> LayerId {
        let stack = &self.target.stack;
        let above = stack.above(partition);
        let mut direct = above.filter(|id| self.is_all_on(*id, partition));
        direct.next().unwrap_or(partition)
    }

    /// Whether a layer lies on this partition alone: an array of several has no start of its own.
    fn is_all_on(&self, layer: LayerId, partition: LayerId) -> bool {
        let below = &self.target.stack.layer(layer).below;
        below.iter().all(|edge| edge.below == partition)
    }
}

fn single(phases: &PhaseSet) -> Option<u64> {
    match phases.phases.as_slice() {
        [only] => Some(only.offset),
        _ => None,
    }
}
