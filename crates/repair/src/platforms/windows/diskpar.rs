//! The tool of the Windows 2000 resource kit, for guests that have nothing newer: an empty partition of one
//! megabyte, right behind which Disk Manager makes the one for data.

use ioalign_core::grid::place::solve;
use ioalign_core::{Bytes, GridKind};

use super::super::{PlanStep, StepLines};
use crate::planner::DiskPlan;
use crate::planner::want::PlannedDatabase;

/// What these systems start on by themselves, as published: sector 64.
const TRACK: Bytes = Bytes::new(64 * 512);
const DUMMY: Bytes = Bytes::MIB;

/// `None`: no empty partition ends on the grids.
pub fn step(plan: &DiskPlan, disk: &str) -> Option<PlanStep> {
    let logical = plan.want.logical.size;
    let data = data_start(plan)?;
    let first = data.checked_sub(DUMMY)?;
    let sector = |at: Bytes| at.get() / logical.get();
    let says = |key: &str, what: &str| format!("{key:<8}{what}");
    // As published for guests of ESX; SQL Server's extents are larger.
    let unit = match plan.want.database {
        Some(PlannedDatabase::SqlServer) => "64K",
        _ => "32K",
    };
    let lines = vec![
        format!("diskpar -s {disk}"),
        says("Y", "the disk is raw: it has no partitions"),
        says("Y", "all data on it will be lost"),
        says(
            &sector(first).to_string(),
            "the starting offset, in sectors",
        ),
        says("1", "the length, in MB: a partition that stays empty"),
        format!(
            "Disk Manager: the rest of the disk as a primary partition, allocation unit {unit}"
        ),
        format!("diskpar -i {disk}"),
    ];
    let step = PlanStep::new("On Windows 2000 and 2003 (diskpar, resource kit)", lines)
        .of_kind(StepLines::Alternative);
    let step = step
        .destroys()
        .fixed("the allocation unit")
        .note("diskpar, not diskpart: newer systems have no need of it, and it writes an MBR")
        .note(format!(
            "data begin at sector {}, right behind the empty partition, and diskpar -i shows it; if Disk Manager \
             rounds to a cylinder instead, answer diskpar -s with that sector and the whole size",
            sector(data)
        ));
    Some(proven(plan, data).fold(step, PlanStep::note))
}

/// The first start from sector 64 on whose end, a megabyte later, is on all grids but the habit, which is younger
/// than the tool.
fn data_start(plan: &DiskPlan) -> Option<Bytes> {
    let kept = plan.solution.kept.iter();
    let older = kept
        .filter(|grid| grid.kind != GridKind::Habit)
        .cloned()
        .collect();
    solve(older).at_or_after(TRACK.checked_add(DUMMY)?)
}

fn proven(plan: &DiskPlan, data: Bytes) -> impl Iterator<Item = String> {
    let kept = plan.solution.kept.iter();
    let lines = kept
        .filter(|grid| grid.kind != GridKind::Habit)
        .map(move |grid| {
            let (at, size) = (data.get(), grid.size.get());
            let rest = grid.offset_of(data).get();
            let from = match grid.phase.get() {
                0 => at.to_string(),
                phase => format!("({at} - {phase})"),
            };
            format!("data: {from} mod {size} = {rest}   {}", grid.kind)
        });
    lines.collect::<Vec<_>>().into_iter()
}
