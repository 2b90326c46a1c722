//! Solaris and illumos: the dialogue of `format -e`, and the pool.

use super::{DiskNames, PlanStep, StepLines, last_partition};
use crate::planner::filesystems::{ashift, granule};
use crate::planner::want::{Filesystem, PlannedLabel};
use crate::planner::{DiskPlan, Seat};

/// Blocks of the reserved slice 8 of an EFI label.
const RESERVED: u64 = 16384;

/// The label, then the pool.
pub fn steps(plan: &DiskPlan, names: &DiskNames) -> Vec<PlanStep> {
    let disk = names.first();
    let mut steps: Vec<_> = last_partition(plan)
        .map(|seat| dialogue(plan, seat, disk))
        .into_iter()
        .collect();
    if plan.want.filesystem == Some(Filesystem::Zfs) {
        steps.push(pool(plan, disk));
    }
    steps
}

fn dialogue(plan: &DiskPlan, seat: &Seat, disk: &str) -> PlanStep {
    let start = seat.start.get() / plan.want.logical.size.get();
    let says = |key: &str, what: &str| format!("{key:<12}{what}");
    let size = seat.size.map_or_else(
        || says("$", "its size: all that is left"),
        |size| {
            says(
                &format!("{}b", size.get() / plan.want.logical.size.get()),
                "its size, in sectors",
            )
        },
    );
    let (label, name) = match plan.want.label {
        PlannedLabel::Vtoc | PlannedLabel::Dos => ("0", "SMI label"),
        _ => ("1", "EFI label"),
    };
    let lines = vec![
        format!("format -e /dev/rdsk/{disk}"),
        says("partition", "the table"),
        says("print", "as it is now"),
        says("0", "slice 0"),
        says("usr", "its tag"),
        says("wm", "its flags"),
        says(&start.to_string(), "the new starting sector"),
        size,
        says("label", "write it"),
        says(label, name),
        says("y", "continue"),
        says("print", "look at it"),
        says("quit", "and again, to leave"),
    ];
    let step = PlanStep::new("Write the label", lines)
        .of_kind(StepLines::Dialogue)
        .destroys();
    match plan.want.label {
        PlannedLabel::Vtoc | PlannedLabel::Dos => step.note(
            "an SMI label counts in cylinders: choose a cylinder whose first sector (cylinder × heads × \
             sectors a track) is a multiple of the grid, and on x86 add the start of the fdisk partition",
        ),
        _ => step.note(format!(
            "slice 8 at the end is reserved ({RESERVED} sectors) and holds no data: it need not be aligned"
        )),
    }
}

fn pool(plan: &DiskPlan, disk: &str) -> PlanStep {
    let block = granule(&plan.want).get().clamp(8192, 128 << 10);
    let lines = vec![
        format!(
            "zpool create -o ashift={} tank {disk}s0",
            ashift(&plan.want)
        ),
        format!("zfs create -V SIZE -o volblocksize={block} tank/volume"),
        "zdb -C tank | grep ashift".to_owned(),
    ];
    let step = PlanStep::new("Make the pool and a volume", lines).destroys();
    step.fixed("ashift, for each vdev")
        .fixed("volblocksize")
        .note(
            "Oracle Solaris takes the block from the disk and knows no -o ashift: look with zdb -C",
        )
}
