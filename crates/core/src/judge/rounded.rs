//! Starts that are known only roughly: where the candidates disagree, nothing is claimed.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::Origin;
use crate::layer::{Edge, Kind};
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::rules;
use crate::severity::Severity;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case
        .stack
        .layers()
        .filter(|(_, layer)| layer.role.carries_data())
    {
        if layer.kind == Kind::Partition
            && let [
                Edge {
                    map: Map::Opaque(why),
                    ..
                },
            ] = layer.below.as_slice()
        {
            let why = format!("{} cannot be judged: {why}", case.subject(id));
            findings.push(Finding::new(rules::START_UNKNOWN, Severity::Unknown, why).at(id));
        }
        for edge in &layer.below {
            if let Map::Within { low, high, .. } = edge.map
                && let Some(why) = undecided(case, id, low.get(), high.get())
            {
                findings.push(
                    Finding::new(rules::START_NOT_EXACT, Severity::Unknown, why)
                        .at(id)
                        .step("print it in sectors: parted DISK unit s print, fdisk -l, sfdisk -d"),
                );
            }
        }
    }
}

/// The sentence for a layer whose candidates disagree on a grid that matters.
fn undecided(case: &StackCase<'_>, id: LayerId, low: u64, high: u64) -> Option<String> {
    let (_, grid) = case
        .grids_below(id)
        .filter(|(_, grid)| grid.trusted())
        .filter(|(_, grid)| grid.tier <= crate::Tier::Rmw || grid.origin != Origin::Assumed)
        .find(|(index, _)| case.phases_on(id, *index).is_none())?;
    Some(format!(
        "The start of {} is printed rounded: it lies from byte {low} to {high}, on and off the {} \
         grid ({}), so nothing can be said",
        case.name(id),
        grid.size,
        grid.kind
    ))
}
