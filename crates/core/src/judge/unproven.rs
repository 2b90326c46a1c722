//! Starts that are right or wrong by a unit that nothing proves: a disk of which only the sector is known.

use super::{StackCase, starts};
use crate::finding::Finding;
use crate::grid::Grid;
use crate::layer_id::LayerId;
use crate::phase::PhaseSet;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for leaf in case.data_leaves() {
        findings.extend(open_question(case, leaf));
    }
}

/// The finding for data that lie off an open unit; a place that is on and off it has the finding of its rounded start.
fn open_question(case: &StackCase<'_>, leaf: LayerId) -> Option<Finding> {
    let off = |(index, grid): &(usize, &Grid)| {
        let phases = case.phases_on(leaf, *index);
        grid.is_open()
            && phases.is_some_and(|phases| !phases.is_aligned())
            && !starts::costs_nothing(case, leaf, *index)
    };
    let (index, grid) = case.grids_below(leaf).find(off)?;
    let offset = case
        .phases_on(leaf, index)
        .and_then(PhaseSet::dominant_offset);
    let lie = match offset {
        Some(bytes) => format!("{} past a {} boundary", Bytes::new(bytes), grid.size),
        None => format!("off the {} boundaries", grid.size),
    };
    let why = format!(
        "Data of {} lie {lie} of {}, which is right for blocks of 512 B and wrong for blocks of {}: {}",
        case.name(leaf),
        case.name(grid.layer),
        grid.size,
        grid.distrust.as_deref().unwrap_or_default()
    );
    let mut finding = Finding::new(rules::BLOCK_SIZE_UNPROVEN, Severity::Unknown, why).at(leaf);
    finding.grid = Some(index);
    finding.unit = Some(grid.size);
    finding.offset = offset.map(Bytes::new);
    Some(
        finding
            .step("name the disk: lsblk -o NAME,MODEL,ROTA,TRAN,PHY-SEC, smartctl -i, hdparm -I"),
    )
}
