//! ESXi: partedUtil and vmkfstools, and the fdisk dialogue of the service console for MBR disks.

use super::{DiskNames, PlanStep, StepLines, last_partition};
use crate::planner::want::PlannedLabel;
use crate::planner::{DiskPlan, Seat};

/// Type of a VMFS partition in a GPT.
const VMFS_GUID: &str = "AA31E02A400F11DB9590000C2911D1B8";

/// The table, then the datastore.
pub fn steps(plan: &DiskPlan, names: &DiskNames) -> Vec<PlanStep> {
    let device = format!("/vmfs/devices/disks/{}", names.first());
    let Some(seat) = last_partition(plan) else {
        return vec![whole(&device)];
    };
    let table = match plan.want.label {
        PlannedLabel::Dos => dialogue(plan, seat, &device),
        _ => gpt(plan, seat, &device),
    };
    let made = format!("vmkfstools -C vmfs6 -S datastore1 {device}:1");
    let datastore = PlanStep::new("Make the datastore", vec![made])
        .destroys()
        .note(
            "VMFS puts its blocks on whole mebibytes of the partition: nothing else has to be said",
        );
    vec![table, datastore]
}

fn whole(device: &str) -> PlanStep {
    let line = format!("partedUtil getUsableSectors {device}");
    PlanStep::new("VMFS takes a partition", vec![line]).note("say --label gpt")
}

fn gpt(plan: &DiskPlan, seat: &Seat, device: &str) -> PlanStep {
    let logical = plan.want.logical.size.get();
    let end = seat.end().map(|end| end.get() / logical - 1);
    let usable = format!("partedUtil getUsableSectors {device}");
    let set = format!(
        "partedUtil setptbl {device} gpt \"1 {} {} {VMFS_GUID} 0\"",
        seat.start.get() / logical,
        end.map_or_else(|| "END".to_owned(), |end| end.to_string())
    );
    let show = format!("partedUtil getptbl {device}");
    let step = PlanStep::new("Write the partition table", vec![usable, set, show]).destroys();
    if end.is_some() {
        step
    } else {
        step.note(
            "END is the second number that getUsableSectors prints; with --size it is worked out",
        )
    }
}

/// What one types into fdisk on the console of ESX, where the disk has an MBR.
fn dialogue(plan: &DiskPlan, seat: &Seat, device: &str) -> PlanStep {
    let start = seat.start.get() / plan.want.logical.size.get();
    let says = |key: &str, what: &str| format!("{key:<8}{what}");
    let lines = vec![
        format!("fdisk {device}"),
        says(
            "d",
            "delete partitions, where there are any; again for each",
        ),
        says("n", "a new partition"),
        says("p", "a primary one"),
        says("1", "the first"),
        says("", "Enter: the first cylinder it offers"),
        says("", "Enter: the last cylinder it offers"),
        says("t", "its type"),
        says("fb", "VMware VMFS"),
        says("x", "expert mode"),
        says("b", "where its data begin"),
        says("1", "of partition 1"),
        says(&start.to_string(), "the sector"),
        says("w", "write and leave"),
    ];
    let step = PlanStep::new("Write the partition table", lines)
        .of_kind(StepLines::Dialogue)
        .destroys();
    step.note("an MBR ends at 2 TiB; a guest's own partitions want the same once more, inside")
}
