//! The sentences of a plan: they stand on its page, and as notes beside a script.

use ioalign_core::plan_document::{GivenUpGrid, PlanDocument};
use ioalign_core::{Origin, Tier};

use crate::words::numbers::about;

/// What a script alone does not show: grids that were given up, and what is still off its grids.
pub fn warnings(plan: &PlanDocument) -> Vec<String> {
    let lost = plan.given_up.iter().map(given_up);
    lost.chain(missed(plan)).chain(block_below(plan)).collect()
}

/// Which grid could not be had, why, and what that costs.
pub(super) fn given_up(lost: &GivenUpGrid) -> String {
    let grid = &lost.grid;
    let size = about(grid.size_bytes);
    let why = match &lost.against {
        _ if lost.too_far => {
            "the boundaries that it shares with the others are over a gibibyte apart".to_owned()
        }
        Some(other) => format!(
            "it shares no boundary with {other} ({})",
            about(lost.against_bytes)
        ),
        None => "with each of the others alone it could be had, with all of them not".to_owned(),
    };
    if grid.origin == Origin::Assumed && grid.tier == Tier::Rmw {
        return format!(
            "given up: {} of {size}: {why}, which is stated, while nothing states this one.",
            grid.kind
        );
    }
    let cost = match grid.tier {
        Tier::Validity => "what starts off it does not work",
        Tier::Rmw => {
            "writes off it are read-modify-write: the old block is read, changed and written back"
        }
        Tier::Preference => "what crosses it takes two requests instead of one",
    };
    format!(
        "given up: {} of {size}: {why}. What is lost: {cost}.",
        grid.kind
    )
}

/// What stays off its grids although it is wanted on them.
pub(super) fn missed(plan: &PlanDocument) -> Option<String> {
    let missed = plan.missed.as_ref()?;
    Some(format!(
        "not on all grids: {} stays at byte {}, {} bytes past a boundary of {} ({}). Leave --partition-at out to \
         plan a start that is on them, or put LVM, LUKS or bcache into it.",
        missed.layer,
        missed.start.get(),
        missed.remainder.get(),
        missed.kind,
        about(missed.size)
    ))
}

/// Blocks that are smaller than a unit below.
pub(super) fn block_below(plan: &PlanDocument) -> Option<String> {
    let below = plan.block_below_unit.as_ref()?;
    let unit = below.unit_bytes.get();
    let remedy = if below.is_xfs && unit.is_power_of_two() && unit <= 1 << 16 {
        format!(" Linux 6.12 and later mount XFS made with -b size={unit}.")
    } else {
        String::new()
    };
    Some(format!(
        "not cured by alignment: the file system writes blocks of {}, and {} below is {}: a random write of one block \
         is read-modify-write ({}).{remedy}",
        about(below.block_bytes),
        below.grid,
        about(below.unit_bytes),
        below.rule
    ))
}

/// What has to be done before anything is run, where no disk was named.
pub(super) fn replace(plan: &PlanDocument) -> Option<String> {
    let (first, more) = plan.placeholders.split_first()?;
    let all = match more {
        [] => format!("{first} is a placeholder for a disk: replace it"),
        [.., last] => format!("{first} to {last} stand for disks: replace them"),
    };
    Some(format!(
        "{all} before you run the commands, or name disks with --device."
    ))
}
