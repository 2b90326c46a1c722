//! The judgement: every data layer against every grid below it, and the rules that need more.
//!
//! Only layers that carry data are judged, at the top of their stack: a partition that LVM
//! repairs is no defect, and a BIOS boot partition at sector 34 is none either.

mod blocks;
mod case;
mod claims;
mod database;
mod demand;
mod discards;
mod ends;
mod geometry;
mod hints;
mod images;
pub mod lint;
pub mod moves;
mod remarks;
mod room;
mod rounded;
mod sectors;
mod starts;
mod suggest;
mod thin;
mod unproven;
mod unread;
mod weight;

use crate::finding::Finding;
use crate::layer::Kind;
use crate::layer::detail::MappedDevice;
use crate::layer_id::LayerId;
use crate::phase::PhaseSet;
use crate::rules;
use crate::severity::{Severity, verdict};
use crate::stack::Stack;
use crate::units::SectorSize;
use case::StackCase;
pub use demand::StartDemands;
use lint::Lint;
pub use starts::Missed;

/// Questions of the operator besides the plain verdict.
#[derive(Copy, Clone, Debug, Default)]
pub struct JudgeOptions {
    /// Would it work on a disk with this logical sector?
    pub target_logical: Option<SectorSize>,
    /// The purpose of the image.
    pub lint: Lint,
}

/// The offsets of one layer on one grid below it.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerPhases {
    /// The layer.
    pub layer: LayerId,
    /// Index into [`Stack::grids`].
    pub grid: usize,
    /// The phases of its addresses.
    pub phases: PhaseSet,
}

/// All that is to be said about a stack.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Worst severity that concerns data.
    pub verdict: Severity,
    /// Every layer on every grid below it, where a map leads there.
    pub phases: Vec<LayerPhases>,
    /// Every layer with data that is off a grid, by layer, then by grid.
    pub missed: Vec<Missed>,
    /// Worst first.
    pub findings: Vec<Finding>,
}

/// Judges a stack.
pub fn judge(stack: &Stack, options: &JudgeOptions) -> Judgement {
    let case = StackCase::new(stack);
    let mut findings = Vec::new();
    remarks::collect(&case, &mut findings);
    nothing_recognised(&case, &mut findings);
    let missed = starts::all(&case);
    starts::judge(&case, &missed, &mut findings);
    discards::judge(&case, &mut findings);
    rounded::judge(&case, &mut findings);
    unproven::judge(&case, &mut findings);
    blocks::judge(&case, &mut findings);
    ends::judge(&case, &mut findings);
    geometry::judge(&case, &mut findings);
    thin::judge(&case, &mut findings);
    sectors::judge(&case, options, &mut findings);
    images::judge(&case, options, &mut findings);
    database::judge(&case, &mut findings);
    hints::judge(&case, &mut findings);
    unread::judge(&case, &mut findings);
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.layer.cmp(&b.layer)));
    let verdict = verdict(findings.iter().map(|finding| finding.severity));
    Judgement {
        verdict,
        phases: case.phases,
        missed,
        findings,
    }
}

/// What layers with data are off, without the findings.
pub fn missed(stack: &Stack) -> Vec<Missed> {
    starts::all(&StackCase::new(stack))
}

/// A multipath map, which is a disk, where nothing but maps lies on its paths.
fn is_bare_map(case: &StackCase<'_>, id: LayerId) -> bool {
    let is_map = |id: LayerId| {
        let mapped = case.stack.layer(id).mapped.as_ref();
        mapped.is_some_and(MappedDevice::is_multipath)
    };
    let alone = |edge: &crate::layer::Edge| case.stack.above(edge.below).all(is_map);
    is_map(id) && case.stack.layer(id).below.iter().all(alone)
}

/// A bottom with nothing on it that is known: never `ok` by silence. Beside others that are judged, one that was
/// read to see that is a note: every host has a spare disk.
fn nothing_recognised(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let judged = unread::anything_judged(case);
    for (id, layer) in case.stack.layers() {
        let bottom = layer.below.is_empty() || layer.kind == Kind::Disk || is_bare_map(case, id);
        let other_reason = layer.table_is_empty
            || moves::is_in_flight(layer)
            || unread::reason(layer).is_some()
            || layer
                .remarks
                .iter()
                .any(|one| one.rule == rules::TEXT_NOT_RECOGNISED);
        if bottom && case.stack.is_leaf(id) && !other_reason {
            let why = format!(
                "Nothing is recognised on {}: no partition table, volume or file system, so \
                 nothing can be said about its alignment",
                layer.name
            );
            let severity = if judged && layer.searched {
                Severity::Note
            } else {
                Severity::Unknown
            };
            findings.push(Finding::new(rules::NOTHING_RECOGNISED, severity, why).at(id));
        }
    }
}
