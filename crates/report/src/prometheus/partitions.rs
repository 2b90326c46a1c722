//! Partitions on the grids below them.

use ioalign_core::units::ratio;
use ioalign_core::{Grid, GridKind, Kind, LayerId, PhaseSet, Severity};

use super::families::{ALIGNED, OFFSET};
use super::series::Metrics;
use crate::devices;
use crate::model::Target;
use crate::starts::blamed;

/// The offsets and the verdict of every partition that carries data.
pub fn add(target: &Target, metrics: &mut Metrics) {
    for (id, layer) in target.stack.layers() {
        if layer.kind != Kind::Partition || !layer.role.carries_data() {
            continue;
        }
        let mut judged = false;
        for one in target.phases_of(id) {
            let grid = target.stack.grids.get(one.grid);
            if let Some(grid) = grid.filter(|grid| grid.trusted()) {
                judged |= offset(target, id, grid, &one.phases, metrics);
            }
        }
        if judged {
            let value = if defective(target, id) { 0.0 } else { 1.0 };
            let device = devices::device(&target.stack, id);
            let labels = [("device", device.as_str()), ("target", &target.name)];
            metrics.set(&ALIGNED, &labels, value, f64::min);
        }
    }
}

/// The worst offset on grids of one unit: the members of an array all have a physical block.
fn offset(
    target: &Target,
    id: LayerId,
    grid: &Grid,
    phases: &PhaseSet,
    metrics: &mut Metrics,
) -> bool {
    let worst = phases.phases.iter().map(|phase| phase.offset).max();
    let Some(worst) = worst else { return false };
    let device = devices::device(&target.stack, id);
    let labels = [
        ("device", device.as_str()),
        ("target", &target.name),
        ("unit", unit(&grid.kind)),
    ];
    metrics.set(&OFFSET, &labels, ratio(worst, 1), f64::max);
    true
}

/// A fact, independent of policies: waived findings are defects too.
fn defective(target: &Target, id: LayerId) -> bool {
    let mut findings = target.findings.iter();
    findings.any(|finding| {
        finding.severity >= Severity::Suboptimal
            && (finding.layer == Some(id) || blamed(finding) == Some(id))
    })
}

/// A short word for the kinds of grid that dashboards ask for; any other kind is its own word.
fn unit(kind: &GridKind) -> &str {
    match kind {
        GridKind::PhysicalBlock | GridKind::HostBlock => "physical",
        GridKind::LogicalSector => "logical",
        GridKind::IndirectionUnit | GridKind::PreferredWrite => "indirection",
        GridKind::FullStripe => "stripe",
        GridKind::RaidChunk | GridKind::StripeUnit => "chunk",
        GridKind::OptimalIo => "optimal",
        other => other.name(),
    }
}
