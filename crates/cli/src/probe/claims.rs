//! What a device says of itself, beside what was found.

use std::path::Path;

use ioalign_core::geometry_document::{ClaimedGrid, GeometryDocument};
use ioalign_core::grid::Origin;
use ioalign_core::{Grid, Tier};

use crate::measure::start;

/// Adds the grids that the device, or the disk below it, reports or has on disk. Those of sectors are no geometry.
pub fn compare(document: &mut GeometryDocument, target: &Path) {
    let Some(place) = start::on_host(target) else {
        return;
    };
    let is_said = |grid: &&Grid| {
        matches!(
            grid.origin,
            Origin::Reported | Origin::OnDisk | Origin::Table
        )
    };
    let grids = place.stack.grids.iter();
    for grid in grids
        .filter(is_said)
        .filter(|grid| grid.tier != Tier::Validity)
    {
        let Some((_, shift)) = place.layers.iter().find(|(layer, _)| *layer == grid.layer) else {
            continue;
        };
        let size = grid.size.get();
        let back = shift % size;
        let claim = grid.claim.clone().at_phase(grid.phase.get() + size - back);
        let found = ClaimedGrid {
            grid: claim.as_argument(),
            source: match &grid.distrust {
                Some(why) => format!("{}; not believed: {why}", grid.source),
                None => grid.source.clone(),
            },
            agrees: document.agrees(&claim),
        };
        document.claims.push(found);
    }
}
