//! Starts off a grid that cost nothing: notes, to prevent needless repairs.

use super::{missed, words};
use crate::finding::Finding;
use crate::grid::{Grid, Tier};
use crate::judge::StackCase;
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::phase::PhaseSet;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

/// A partition that is off a grid on which everything above it is nevertheless right.
pub(super) fn repaired(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case.stack.layers() {
        if layer.kind != Kind::Partition {
            continue;
        }
        let mut off = case
            .on_grids(id)
            .filter(|(_, _, phases)| !phases.is_aligned());
        let repaired = off.find(|(index, _, _)| missed::repaired_above(case, id, *index));
        if let Some((index, grid, phases)) = repaired {
            let why = format!(
                "{}, but the layer on it makes up for that: the data are on the grid, nothing is lost",
                words::arithmetic(case, id, grid, phases)
            );
            let mut finding = harmless(rules::START_REPAIRED_ABOVE, why, id, (index, grid, phases));
            finding.confidence = grid.confidence;
            findings.push(finding);
        }
    }
}

/// Partitions without data may start anywhere. A note says so, to prevent a needless repair.
pub(super) fn harmless_roles(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case.stack.layers() {
        let quiet = matches!(layer.role, Role::BiosBoot | Role::Msr | Role::Reserved);
        if layer.kind != Kind::Partition || !quiet {
            continue;
        }
        let off = case
            .on_grids(id)
            .find(|(_, grid, phases)| grid.tier == Tier::Rmw && !phases.is_aligned());
        if let Some((index, grid, phases)) = off {
            let why = format!(
                "{}, which does not matter: {}",
                words::arithmetic(case, id, grid, phases),
                layer.role.describe()
            );
            findings.push(harmless(
                rules::START_HARMLESS,
                why,
                id,
                (index, grid, phases),
            ));
        }
    }
}

fn harmless(
    rule: &'static str,
    why: String,
    layer: LayerId,
    (index, grid, phases): (usize, &Grid, &PhaseSet),
) -> Finding {
    let mut finding = Finding::new(rule, Severity::Note, why).at(layer);
    finding.grid = Some(index);
    finding.unit = Some(grid.size);
    finding.offset = phases.dominant_offset().map(Bytes::new);
    finding
}
