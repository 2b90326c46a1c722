//! Device limits that are not credible, reported so that they are not used elsewhere either.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::{Grid, GridKind};
use crate::layer::Layer;
use crate::rules;
use crate::severity::Severity;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let bogus = case.stack.grids.iter().enumerate();
    for (index, grid) in bogus.filter(|(_, grid)| grid.is_bogus()) {
        let layer = case.stack.layer(grid.layer);
        let Some(why) = grid.distrust.as_deref().filter(|_| !said_already(layer)) else {
            continue;
        };
        match contradicted(case, grid) {
            Some(other) if other.kind == GridKind::OptimalIo => {}
            Some(_) => {
                let why = format!("{why}, and that is not believed either");
                findings.push(finding(case, index, grid, &why));
            }
            None => findings.push(finding(case, index, grid, why)),
        }
    }
}

/// If the kernel marks a device as misaligned (−1), all its limits lose their phase: one cause,
/// which that finding names.
fn said_already(layer: &Layer) -> bool {
    layer
        .remarks
        .iter()
        .any(|remark| remark.rule == rules::KERNEL_MISALIGNED_STACK)
}

/// The other half of a pair that cannot both be true, a stripe unit above the stripe's width: one
/// cause, said at the width.
fn contradicted<'a>(case: &'a StackCase<'_>, grid: &Grid) -> Option<&'a Grid> {
    let pair = |optimal: &Grid, minimum: &Grid| {
        (&optimal.kind, &minimum.kind) == (&GridKind::OptimalIo, &GridKind::StripeUnit)
            && optimal.size < minimum.size
    };
    case.stack
        .grids
        .iter()
        .filter(|other| other.layer == grid.layer && other.is_bogus())
        .find(|other| pair(other, grid) || pair(grid, other))
}

fn finding(case: &StackCase<'_>, index: usize, grid: &Grid, why: &str) -> Finding {
    let what = hint(&grid.kind);
    let why = format!(
        "{} reports {what} of {} B ({}), which is not believed: {why}",
        case.subject(grid.layer),
        grid.size.get(),
        grid.source,
    );
    let mut finding = Finding::new(rules::BOGUS_HINT, Severity::Note, why).at(grid.layer);
    finding.grid = Some(index);
    finding.unit = Some(grid.size);
    finding.steps = remedy(&grid.kind);
    finding
}

fn hint(kind: &GridKind) -> String {
    match kind {
        GridKind::OptimalIo => "an optimal I/O size".to_owned(),
        GridKind::StripeUnit => "a minimum I/O size".to_owned(),
        other => format!("a {}", other.name().replace('-', " ")),
    }
}

/// libfdisk, LVM and cryptsetup filter bad I/O sizes, parted and the makers of file systems do not.
fn remedy(kind: &GridKind) -> Vec<String> {
    let line = match kind {
        GridKind::OptimalIo | GridKind::StripeUnit => {
            "tools may believe it: give parted starts in sectors (-a none, unit s) and make XFS with \
             -d noalign (a stripe made from such a hint can make the kernel refuse the mount)"
        }
        GridKind::PhysicalBlock => {
            "name the unit by hand where a tool asks for it (zpool create -o ashift=12)"
        }
        _ => return Vec::new(),
    };
    vec![line.to_owned()]
}
