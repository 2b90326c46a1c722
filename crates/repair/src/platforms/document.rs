//! A plan with the commands of a platform, as plain data.

use ioalign_core::grid::place::GivenUp;
use ioalign_core::plan_document::{
    GivenUpGrid, MissedGrid, PlanDocument, PlannedBlockBelow, PlannedExtended, PlannedGrid,
    PlannedLayer, PlannedLvm, ProofLine, SCHEMA,
};
use ioalign_core::{GridClaim, rules};

use super::{DiskNames, Platform, steps};
use crate::planner::{DiskPlan, Filesystem, Proof, Seat};

/// All that is shown of a plan.
pub fn document(plan: &DiskPlan, platform: Platform, names: &DiskNames) -> PlanDocument {
    let given_up = plan.solution.given_up.iter();
    PlanDocument {
        schema: SCHEMA,
        machine: None,
        platform: platform.name(),
        period_bytes: plan.solution.period(),
        phase_bytes: plan.solution.phase(),
        layers: plan.seats.iter().map(layer).collect(),
        grids: plan.solution.kept.iter().map(grid).collect(),
        given_up: given_up.map(|lost| given_up_grid(plan, lost)).collect(),
        block_below_unit: block_below(plan),
        extended: plan.extended.map(|extended| PlannedExtended {
            start_bytes: extended.start,
            size_bytes: extended.size,
        }),
        lvm: plan.lvm.map(|lvm| PlannedLvm {
            data_alignment_bytes: lvm.alignment,
            data_alignment_offset_bytes: lvm.alignment_offset,
            extent_bytes: lvm.extent,
            chunk_bytes: lvm.chunk,
        }),
        proof: plan
            .proof
            .iter()
            .filter_map(|line| proof(plan, line))
            .collect(),
        commands: steps(plan, platform, names),
        sector_bytes: plan.want.logical.size,
        missed: missed(plan),
        placeholders: match names.are_placeholders {
            true => names.disks.clone(),
            false => Vec::new(),
        },
    }
}

fn layer(seat: &Seat) -> PlannedLayer {
    PlannedLayer {
        kind: seat.kind,
        name: seat.name.clone(),
        start_bytes: seat.start,
        offset_bytes: seat.offset,
        size_bytes: seat.size,
    }
}

fn grid(claim: &GridClaim) -> PlannedGrid {
    PlannedGrid {
        kind: claim.kind.clone(),
        size_bytes: claim.size,
        phase_bytes: claim.phase,
        tier: claim.tier,
        origin: claim.origin,
        confidence: claim.confidence,
        source: claim.source.clone(),
    }
}

fn given_up_grid(plan: &DiskPlan, lost: &GivenUp) -> GivenUpGrid {
    let against = lost.against.and_then(|index| plan.solution.kept.get(index));
    GivenUpGrid {
        grid: grid(&lost.claim),
        against: against.map(|grid| grid.kind.clone()),
        too_far: lost.too_far,
        against_bytes: against.map_or_else(Default::default, |grid| grid.size),
    }
}

fn block_below(plan: &DiskPlan) -> Option<PlannedBlockBelow> {
    let below = plan.block_below_unit()?;
    Some(PlannedBlockBelow {
        rule: rules::BLOCK_BELOW_RMW_UNIT,
        block_bytes: below.block,
        unit_bytes: below.unit,
        grid: below.kind,
        is_xfs: plan.want.filesystem == Some(Filesystem::Xfs),
    })
}

fn proof(plan: &DiskPlan, line: &Proof) -> Option<ProofLine> {
    let seat = plan.seats.get(line.seat)?;
    Some(ProofLine {
        layer: format!("{}:{}", seat.kind.name(), seat.name),
        start_bytes: seat.start,
        end_bytes: line.end.then_some(line.at),
        grid: line.grid.kind.clone(),
        size_bytes: line.grid.size,
        phase_bytes: line.grid.phase,
        remainder_bytes: line.remainder,
        name: seat.name.clone(),
    })
}

fn missed(plan: &DiskPlan) -> Option<MissedGrid> {
    let missed = plan.missed();
    let seat = plan.seats.get(missed.first()?.seat)?;
    let worst = missed.iter().min_by_key(|line| line.grid.tier)?;
    Some(MissedGrid {
        layer: seat.name.clone(),
        start: seat.start,
        remainder: worst.remainder,
        kind: worst.grid.kind.clone(),
        size: worst.grid.size,
    })
}
