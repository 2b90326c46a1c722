//! `ioalign simulate placement`: where the nodes of a cluster keep data.

use anyhow::Result;
use ioalign_core::simulation_document::{PLACEMENT_SCHEMA, PlacementDocument, PlacementFigures};
use ioalign_simulate::placement::{PlacementPolicy, place};

use crate::args::SimulatePlacementArgs;
use crate::exit::{Exit, UsageError};
use crate::look;

/// Runs the verb.
pub fn run(arguments: &SimulatePlacementArgs) -> Result<Exit> {
    let nodes = arguments.nodes;
    if !nodes.is_multiple_of(2) {
        return Err(UsageError("--nodes: an even number, for pairs".to_owned()).into());
    }
    let rows = PlacementPolicy::ALL.map(|policy| {
        let found = place(policy, nodes, arguments.seed);
        PlacementFigures {
            policy: policy.name().to_owned(),
            about: policy.about().to_owned(),
            hops_per_read: found.hops_per_read,
            hops_per_write: found.hops_per_write,
            local_ratio: found.local,
            local_after_move_ratio: found.local_after_move,
            local_settled_ratio: found.local_settled,
            fullest_ratio: found.fullest,
            rebuilt_ratio: found.rebuilt,
            rebuild_sources: found.rebuild_sources,
        }
    });
    let document = PlacementDocument {
        schema: PLACEMENT_SCHEMA.to_owned(),
        tool: crate::check::tool(),
        seed: arguments.seed,
        nodes,
        rows: rows.into(),
    };
    if arguments.look.json {
        look::json(&document)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::simulation::placement(&document, &options))?;
    }
    Ok(Exit::Done)
}
