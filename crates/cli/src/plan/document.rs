//! A plan as JSON: `ioalign.plan/1`.

use ioalign_core::{Bytes, Confidence, GridClaim, GridKind, Origin, Tier};
use ioalign_repair::planner::Plan;
use ioalign_repair::planner::filesystems::BLOCK_RULE;
use ioalign_repair::platforms::{Lines, Step};
use serde::Serialize;

/// The document.
#[derive(Debug, Serialize)]
pub struct Document {
    schema: &'static str,
    platform: &'static str,
    period_bytes: u64,
    phase_bytes: u64,
    layers: Vec<Layer>,
    grids: Vec<Grid>,
    given_up: Vec<Lost>,
    block_below_unit: Option<BlockBelow>,
    extended: Option<Extended>,
    lvm: Option<Lvm>,
    proof: Vec<Line>,
    commands: Vec<Commands>,
}

#[derive(Debug, Serialize)]
struct Layer {
    kind: &'static str,
    name: String,
    start_bytes: u64,
    offset_bytes: u64,
    size_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Grid {
    kind: GridKind,
    size_bytes: u64,
    phase_bytes: u64,
    tier: Tier,
    origin: Origin,
    confidence: Confidence,
    source: String,
}

#[derive(Debug, Serialize)]
struct Lost {
    grid: Grid,
    /// The grid that shares no boundary with it.
    against: Option<GridKind>,
    /// The boundaries that all share are too far apart.
    too_far: bool,
}

#[derive(Debug, Serialize)]
struct BlockBelow {
    rule: &'static str,
    block_bytes: u64,
    unit_bytes: u64,
    grid: GridKind,
}

#[derive(Debug, Serialize)]
struct Extended {
    start_bytes: u64,
    size_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Lvm {
    data_alignment_bytes: u64,
    data_alignment_offset_bytes: u64,
    extent_bytes: u64,
    chunk_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Line {
    layer: String,
    start_bytes: u64,
    /// The place in the output of the line about the end of a partition.
    end_bytes: Option<u64>,
    grid: GridKind,
    size_bytes: u64,
    phase_bytes: u64,
    remainder_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Commands {
    title: String,
    kind: &'static str,
    lines: Vec<String>,
    destroys_data: bool,
    fixed: Vec<String>,
    notes: Vec<String>,
}

/// The document of a plan.
pub fn of(plan: &Plan, steps: &[Step], platform: &'static str) -> Document {
    Document {
        schema: "ioalign.plan/1",
        platform,
        period_bytes: plan.solution.period().get(),
        phase_bytes: plan.solution.phase().get(),
        layers: plan.seats.iter().map(layer).collect(),
        grids: plan.solution.kept.iter().map(grid).collect(),
        given_up: lost(plan),
        block_below_unit: plan.block_below_unit().map(|below| BlockBelow {
            rule: BLOCK_RULE,
            block_bytes: below.block.get(),
            unit_bytes: below.unit.get(),
            grid: below.kind,
        }),
        extended: plan.extended.map(|extended| Extended {
            start_bytes: extended.start.get(),
            size_bytes: extended.size.map(Bytes::get),
        }),
        lvm: plan.lvm.map(|lvm| Lvm {
            data_alignment_bytes: lvm.alignment.get(),
            data_alignment_offset_bytes: lvm.alignment_offset.get(),
            extent_bytes: lvm.extent.get(),
            chunk_bytes: lvm.chunk.map(Bytes::get),
        }),
        proof: proof(plan),
        commands: steps.iter().map(commands).collect(),
    }
}

fn layer(seat: &ioalign_repair::planner::Seat) -> Layer {
    Layer {
        kind: seat.kind.name(),
        name: seat.name.clone(),
        start_bytes: seat.start.get(),
        offset_bytes: seat.offset.get(),
        size_bytes: seat.size.map(Bytes::get),
    }
}

fn grid(claim: &GridClaim) -> Grid {
    Grid {
        kind: claim.kind.clone(),
        size_bytes: claim.size.get(),
        phase_bytes: claim.phase.get(),
        tier: claim.tier,
        origin: claim.origin,
        confidence: claim.confidence,
        source: claim.source.clone(),
    }
}

fn lost(plan: &Plan) -> Vec<Lost> {
    let kept = &plan.solution.kept;
    let given_up = plan.solution.given_up.iter();
    given_up
        .map(|lost| Lost {
            grid: grid(&lost.claim),
            against: lost
                .against
                .and_then(|index| kept.get(index))
                .map(|grid| grid.kind.clone()),
            too_far: lost.too_far,
        })
        .collect()
}

fn proof(plan: &Plan) -> Vec<Line> {
    let lines = plan.proof.iter().filter_map(|line| {
        let seat = plan.seats.get(line.seat)?;
        Some(Line {
            layer: format!("{}:{}", seat.kind.name(), seat.name),
            start_bytes: seat.start.get(),
            end_bytes: line.end.then_some(line.at.get()),
            grid: line.grid.kind.clone(),
            size_bytes: line.grid.size.get(),
            phase_bytes: line.grid.phase.get(),
            remainder_bytes: line.remainder.get(),
        })
    });
    lines.collect()
}

fn commands(step: &Step) -> Commands {
    Commands {
        title: step.title.clone(),
        kind: match step.kind {
            Lines::Commands => "commands",
            Lines::Dialogue => "dialogue",
            Lines::Settings => "settings",
            Lines::Alternative => "alternative",
        },
        lines: step.lines.clone(),
        destroys_data: step.destroys_data,
        fixed: step.fixed.clone(),
        notes: step.notes.clone(),
    }
}
