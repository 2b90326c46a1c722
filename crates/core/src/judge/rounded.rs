//! Starts that are known only roughly: where the candidates disagree, nothing is claimed.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::{Grid, Origin, Tier};
use crate::layer::{Kind, Layer};
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
        if let Some(why) = why_unplaced(layer) {
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

/// Why nobody knows where a layer lies on the one below: of a partition any reason, of others a missing text.
fn why_unplaced(layer: &Layer) -> Option<&str> {
    let mut reasons = layer.below.iter().filter_map(|edge| match &edge.map {
        Map::Opaque(why) => Some(why.as_str()),
        _ => None,
    });
    let why = reasons.next()?;
    match layer.kind {
        Kind::Partition => (layer.below.len() == 1).then_some(why),
        Kind::LvmLv | Kind::Md | Kind::Crypt => why.contains("missing").then_some(why),
        _ => None,
    }
}

/// The sentence for a layer whose candidates disagree on a grid that matters, or on one that may be the disk's.
fn undecided(case: &StackCase<'_>, id: LayerId, low: u64, high: u64) -> Option<String> {
    let matters = |grid: &Grid| grid.tier <= Tier::Rmw || grid.origin != Origin::Assumed;
    let mut grids = case
        .grids_below(id)
        .filter(|(_, grid)| grid.is_open() || (grid.trusted() && matters(grid)));
    let (_, grid) = grids.find(|(index, _)| case.phases_on(id, *index).is_none())?;
    let open = grid.distrust.as_ref().map(|why| format!("; {why}"));
    Some(format!(
        "The start of {} is printed rounded: it lies from byte {low} to {high}, on and off the {} \
         grid ({}), so nothing can be said{}",
        case.name(id),
        grid.size,
        grid.kind,
        open.unwrap_or_default()
    ))
}
