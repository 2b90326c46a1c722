//! The sentences about starts off a grid.

use super::Missed;
use crate::grid::{Grid, GridKind, Origin, Tier};
use crate::judge::StackCase;
use crate::layer_id::LayerId;
use crate::phase::PhaseSet;
use crate::units::Bytes;

/// The sentence of a finding.
pub(super) fn why(case: &StackCase<'_>, missed: &Missed) -> String {
    let grid = &case.stack.grids[missed.grid];
    let phases = case.phases_on(missed.guilty, missed.grid);
    let mut text = arithmetic(case, missed.guilty, grid, phases.unwrap_or(&missed.phases));
    if grid.tier == Tier::Validity {
        text.push_str(if grid.kind == GridKind::Zone {
            ": such a zone can only be written from its start"
        } else {
            ": I/O that is not in whole sectors fails"
        });
    }
    if missed.guilty != missed.layer {
        text.push_str(&format!("; {} inherits it", case.name(missed.layer)));
    }
    text
}

/// `partition sda1 starts at sector 63 = 32256 B: 3584 B past a 4 KiB boundary (physical-block)`
pub(super) fn arithmetic(
    case: &StackCase<'_>,
    layer: LayerId,
    grid: &Grid,
    phases: &PhaseSet,
) -> String {
    let below = case.stack.layer(grid.layer).name.as_str();
    let unit = format!(
        "{} boundary of {below} ({}, {})",
        grid.size, grid.kind, grid.source
    );
    match phases.phases.as_slice() {
        [only] => {
            let start = start_text(case, layer);
            format!(
                "{} starts{start} {} past a {unit}",
                case.subject(layer),
                Bytes::new(only.offset)
            )
        }
        several => {
            let offsets = match several.iter().filter(|phase| phase.offset != 0).count() {
                1 => "one offset".to_owned(),
                n => format!("{n} different offsets"),
            };
            format!(
                "{:.0} % of {} lies off every {unit}, at {offsets}",
                100.0 * phases.off_grid(),
                case.name(layer)
            )
        }
    }
}

fn start_text(case: &StackCase<'_>, layer: LayerId) -> String {
    let layer = case.stack.layer(layer);
    let bytes = layer.below.first().and_then(|edge| edge.map.start());
    match (layer.start_sectors, bytes) {
        (Some(sectors), _) => format!(
            " at sector {} = {} B,",
            sectors.count(),
            sectors.bytes().get()
        ),
        (None, Some(bytes)) => format!(" at byte {},", bytes.get()),
        (None, None) => String::new(),
    }
}

/// The other grids that are missed as well: each size and kind once, however many disks have it.
pub(super) fn also_off<'a>(
    case: &StackCase<'_>,
    first: &Missed,
    missed: impl Iterator<Item = &'a Missed>,
) -> String {
    let grids = &case.stack.grids;
    let place = |one: &Missed| (grids[one.grid].size, &grids[one.grid].kind);
    let mut named = vec![place(first)];
    let mut others = Vec::new();
    for one in missed.filter(|one| grids[one.grid].origin != Origin::Assumed) {
        let offset = one.phases.dominant_offset();
        let Some(offset) = offset.filter(|_| !named.contains(&place(one))) else {
            continue;
        };
        let (size, kind) = place(one);
        named.push((size, kind));
        others.push(format!("{size} ({kind}) by {}", Bytes::new(offset)));
    }
    match others.is_empty() {
        true => String::new(),
        false => format!("; also off {}", others.join(", ")),
    }
}
