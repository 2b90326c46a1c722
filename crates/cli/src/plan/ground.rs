//! `--from`: the grids of a stack that was checked, as the ground of a plan.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use ioalign_core::{GridSpec, Kind, LayerId, Stack, Tier};
use ioalign_repair::planner::Want;

/// Bytes of a document that are read at most.
const MOST: u64 = 1 << 30;

/// Takes the ground from a document of `check --json`.
pub fn fill(want: &mut Want, path: &Path) -> Result<()> {
    let name = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("{name}: cannot open it"))?;
    if size.len() > MOST {
        return Err(anyhow!("{name}: larger than a gibibyte"));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read it"))?;
    let stack = ioalign_report::json::read::stack(&text).map_err(|why| anyhow!("{name}: {why}"))?;
    let ground = ground(&stack).ok_or_else(|| anyhow!("{name}: there is no disk in it"))?;
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
                kind: grid.kind.clone(),
                tier: grid.tier,
                source: grid.source.clone(),
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
