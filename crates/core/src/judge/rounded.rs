//! Starts that are known only roughly: where the candidates disagree, nothing is claimed.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::{Origin, Tier};
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

/// The sentence for a layer whose candidates disagree on a grid that matters, or of which only the sector of a
/// disk without a name is known: who has 512-byte blocks is believed by model.
fn undecided(case: &StackCase<'_>, id: LayerId, low: u64, high: u64) -> Option<String> {
    let mut grids = case
        .grids_below(id)
        .filter(|(_, grid)| grid.trusted())
        .filter(|(_, grid)| grid.tier <= Tier::Rmw || grid.origin != Origin::Assumed);
    let open = grids.find(|(index, _)| case.phases_on(id, *index).is_none());
    let Some((_, grid)) = open else {
        return nameless(case, id).then(|| {
            format!(
                "The start of {} is printed rounded: it lies from byte {low} to {high}, and neither the model nor \
                 larger blocks of its disk are stated, so nothing can be said",
                case.name(id)
            )
        });
    };
    Some(format!(
        "The start of {} is printed rounded: it lies from byte {low} to {high}, on and off the {} \
         grid ({}), so nothing can be said",
        case.name(id),
        grid.size,
        grid.kind
    ))
}

/// Whether nothing but the sector is known of the disk below.
fn nameless(case: &StackCase<'_>, id: LayerId) -> bool {
    let blocks = case
        .grids_below(id)
        .any(|(_, grid)| grid.trusted() && grid.tier == Tier::Rmw);
    let named = |bottom: &LayerId| {
        let layer = case.stack.layer(*bottom);
        layer.facts.contains_key("model") || layer.kind != Kind::Disk
    };
    !blocks && !case.bottoms(id).iter().any(named)
}
