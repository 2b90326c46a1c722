//! `--from`: the grids of a stack that was checked, as the ground of a plan.

use std::path::Path;

use anyhow::{Result, anyhow};
use ioalign_core::{GridSpec, Kind, LayerId, Stack, Tier};
use ioalign_repair::planner::Want;
use ioalign_report::words::clean;

use crate::document;

/// Takes the ground from a document of `check --json`, whose words are those of whoever wrote it.
pub fn fill(want: &mut Want, path: &Path) -> Result<()> {
    let stack = document::stack(path)?;
    let none = || anyhow!("{}: there is no disk in it", path.display());
    let ground = ground(&stack).ok_or_else(none)?;
    want.size = want.size.or(stack.layer(ground).size);
    let grids = stack
        .grids
        .iter()
        .filter(|grid| grid.layer == ground && grid.trusted());
    for grid in grids {
        match (grid.tier, grid.kind.as_str()) {
            (Tier::Validity, "logical-sector") => want.logical = grid.size,
            (Tier::Rmw, "physical-block") => {
                (want.physical, want.physical_phase) = (grid.size, grid.phase);
            }
            _ => want.grids.push(GridSpec {
                size: grid.size,
                phase: grid.phase,
                kind: clean(&grid.kind),
                tier: grid.tier,
                source: clean(&grid.source),
            }),
        }
    }
    Ok(())
}

/// The address space that holds the first partition; without one the lowest disk or array.
fn ground(stack: &Stack) -> Option<LayerId> {
    let partition = stack
        .layers()
        .find(|(_, layer)| layer.kind == Kind::Partition);
    let below = partition.and_then(|(_, layer)| layer.below.first().map(|edge| edge.below));
    let bottom = || {
        let mut layers = stack.layers();
        layers
            .find(|(_, layer)| matches!(layer.kind, Kind::Disk | Kind::Md))
            .map(|(id, _)| id)
    };
    below.or_else(bottom)
}
