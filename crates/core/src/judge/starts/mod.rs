//! Starts off a grid: the classic misalignment, with the first guilty layer.

mod merge;
mod missed;
mod quiet;
mod words;

use std::cmp::Reverse;

use super::{StackCase, suggest};
use crate::cost;
use crate::finding::Finding;
use crate::grid::{Grid, Origin, Tier};
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

pub(super) use merge::same_cause;
pub use missed::Missed;
pub(super) use missed::{all, costs_nothing};

pub(super) fn judge(case: &StackCase<'_>, missed: &[Missed], findings: &mut Vec<Finding>) {
    let first = findings.len();
    for leaf in case.data_leaves() {
        judge_layer(case, missed, leaf, findings);
    }
    judge_containers(case, missed, findings, first);
    let mut own = findings.split_off(first);
    same_cause(case, &mut own);
    findings.append(&mut own);
    quiet::repaired(case, findings);
    quiet::harmless_roles(case, findings);
}

/// One finding for each cause: the worst; the smallest missed grid represents the others, which the same
/// move repairs.
fn judge_layer(
    case: &StackCase<'_>,
    missed: &[Missed],
    layer: LayerId,
    findings: &mut Vec<Finding>,
) {
    let grid = |one: &Missed| &case.stack.grids[one.grid];
    let first = missed.partition_point(|one| one.layer < layer);
    let own = missed[first..].iter().take_while(|one| one.layer == layer);
    let mut missed: Vec<_> = own
        .filter(|one| !missed::chunk_is_to_blame(case, one))
        .collect();
    missed.sort_by_key(|one| {
        let grid = grid(one);
        (Reverse(one.severity), grid.tier, grid.size, grid.layer)
    });
    // If the geometry below is known, the lengths that are assumed elsewhere are not used.
    let geometry_known = case
        .on_grids(layer)
        .any(|(_, grid, _)| grid.tier == Tier::Preference && grid.origin != Origin::Assumed);
    let mut said: Vec<&Missed> = Vec::new();
    for one in &missed {
        let worse_said = said.iter().any(|said| said.severity > Severity::Note);
        let same_said = said.iter().any(|said| said.guilty == one.guilty);
        let assumed_note = grid(one).origin == Origin::Assumed && one.severity == Severity::Note;
        if same_said || (assumed_note && (worse_said || geometry_known)) {
            continue;
        }
        said.push(one);
        let mut finding = finding(case, one, grid(one));
        let same = missed.iter().filter(|other| other.guilty == one.guilty);
        finding
            .why
            .push_str(&words::also_off(case, one, same.copied()));
        findings.push(finding);
    }
}

/// An image format that puts guest data off the grid of its file, where no partition has shown it:
/// they may all lie in holes as yet.
fn judge_containers(
    case: &StackCase<'_>,
    missed: &[Missed],
    findings: &mut Vec<Finding>,
    first: usize,
) {
    for (id, layer) in case.stack.layers() {
        let container = layer.kind == Kind::Disk && !layer.below.is_empty();
        let said = findings[first..]
            .iter()
            .any(|finding| finding.guilty == Some(id));
        if container && !said {
            judge_layer(case, missed, id, findings);
        }
    }
}

fn finding(case: &StackCase<'_>, missed: &Missed, grid: &Grid) -> Finding {
    let rule = match (grid.tier, missed.severity) {
        (Tier::Validity, _) => rules::START_INVALID,
        (Tier::Rmw, _) => rules::START_MISALIGNED,
        (Tier::Preference, Severity::Note) if grid.origin == Origin::Assumed => {
            rules::START_OFF_ASSUMED_GRID
        }
        (Tier::Preference, Severity::Note) => rules::START_OFF_CONVENIENT_GRID,
        (Tier::Preference, _) => rules::START_SUBOPTIMAL,
    };
    let guilty = missed.guilty;
    let why = words::why(case, missed);
    let mut finding = Finding::new(rule, missed.severity, why).at(missed.layer);
    finding.guilty = Some(guilty);
    finding.grid = Some(missed.grid);
    finding.unit = Some(grid.size);
    finding.offset = missed.phases.dominant_offset().map(Bytes::new);
    finding.confidence = grid.confidence;
    finding.cost = cost::table(grid.size, &missed.phases);
    finding.suggest = suggest::start(case, guilty, grid);
    if missed.severity > Severity::Note {
        (finding.fixable_in_place, finding.steps) =
            suggest::remedy(case, guilty, grid, &finding.suggest);
    }
    finding
}
