//! `--from`: the grids of a stack that was checked, as the ground of a plan.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ioalign_core::judge::moves;
use ioalign_core::machine::Machine;
use ioalign_core::{Confidence, GridClaim, GridKind, Kind, LayerId, Origin, Stack, Tier, shell};
use ioalign_repair::planner::PlanRequest;
use ioalign_report::json::read;
use ioalign_report::words::clean;

use crate::args::PlanArgs;
use crate::document;

/// Takes the ground from a document of `check --json`, which may come from anywhere. Every grid keeps its
/// confidence; a typed block stays.
pub fn fill(want: &mut PlanRequest, path: &Path, typed: &PlanArgs) -> Result<()> {
    let stack = document::stack(path)?;
    if let Some(layer) = moves::in_flight(&stack).next() {
        let name = clean(&stack.layer(layer).name);
        bail!(
            "{}: the partitions of {name} are being moved by `ioalign fix`: nothing is planned on it before that has \
             ended; next: `ioalign check {}`",
            path.display(),
            shell::word(&name)
        );
    }
    let none = || {
        let (name, new) = (path.display(), shell::path(path));
        anyhow!("{name}: there is no disk in it; next: `ioalign check --json -o {new}`")
    };
    let ground = ground(&stack).ok_or_else(none)?;
    want.size = want.size.or(stack.layer(ground).size);
    if let Some(sector) = stack.layer(ground).logical_sector
        && typed.logical.is_none()
    {
        want.logical = GridClaim {
            size: sector,
            origin: Origin::Reported,
            confidence: Confidence::Medium,
            source: "the sectors of what was checked".to_owned(),
            ..want.logical.clone()
        };
    }
    let grids = stack
        .grids
        .iter()
        .filter(|grid| grid.layer == ground && grid.trusted());
    for grid in grids {
        let claim = GridClaim {
            kind: GridKind::from(clean(grid.kind.name()).as_str()),
            source: clean(&grid.source),
            ..grid.claim.clone()
        };
        match (grid.tier, &grid.kind) {
            (Tier::Validity, GridKind::LogicalSector) => {
                if typed.logical.is_none() {
                    want.logical = claim.at_phase(0);
                }
            }
            (Tier::Rmw, GridKind::PhysicalBlock) if typed.physical.is_none() => {
                want.physical = claim;
            }
            _ => want.grids.push(claim),
        }
    }
    Ok(())
}

/// The machine that the document is of.
pub fn machine(path: &Path) -> Result<Option<Machine>> {
    Ok(read::machine(&document::text(path)?))
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
