//! How much it matters that a layer is off a grid.

use super::StackCase;
use crate::grid::{Grid, GridKind, Origin, Tier};
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::severity::Severity;

/// How bad it is, or would be, that a layer is off a grid.
pub(super) fn severity(case: &StackCase<'_>, leaf: LayerId, grid: &Grid) -> Severity {
    let plain = match (grid.tier, grid.origin) {
        (Tier::Validity, _) => Severity::Broken,
        (Tier::Rmw, _) => Severity::Misaligned,
        (Tier::Preference, Origin::Assumed) => Severity::Note,
        (Tier::Preference, _) if costs_little(case, grid) => Severity::Note,
        (Tier::Preference, _) => Severity::Suboptimal,
    };
    let layer = case.stack.layer(leaf);
    let swap = layer.role == Role::Swap || layer.kind == Kind::Swap;
    // Swap can be created again without losing data, and is idle on a healthy machine.
    if swap && grid.tier != Tier::Validity {
        plain.lowered()
    } else {
        plain
    }
}

/// A full stripe matters where a part of one costs parity reads; an optimal I/O size where it is the
/// width of a stripe. Elsewhere both only name a convenient length.
pub(super) fn costs_little(case: &StackCase<'_>, grid: &Grid) -> bool {
    if grid.origin == Origin::Declared {
        return false;
    }
    match grid.kind {
        GridKind::FullStripe => !case.has_parity(grid.layer),
        GridKind::OptimalIo => !case
            .grids_beside(grid)
            .any(|(_, other)| other.trusted() && other.kind == GridKind::StripeUnit),
        _ => false,
    }
}
