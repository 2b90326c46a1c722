//! The same by diskpart, which counts offsets in KiB and sizes in MiB
//! (learn.microsoft.com/windows-server/administration/windows-commands/create-partition-primary).

use ioalign_core::Bytes;

use super::super::{PlanStep, StepLines, partitions};
use super::noted;
use crate::planner::filesystems::allocation_unit;
use crate::planner::want::PlannedLabel;
use crate::planner::{DiskPlan, Seat};

const KIB: Bytes = Bytes::new(1 << 10);

/// `None`: diskpart cannot express a start or a size.
pub fn step(plan: &DiskPlan, disk: &str) -> Option<PlanStep> {
    let parts = partitions(plan);
    if !parts.iter().all(|seat| is_whole(seat)) {
        return None;
    }
    let style = match plan.want.label {
        PlannedLabel::Dos => "mbr",
        _ => "gpt",
    };
    let mut lines = vec![
        "diskpart".to_owned(),
        format!("select disk {disk}"),
        "clean".to_owned(),
        format!("convert {style}"),
    ];
    let unit = allocation_unit(&plan.want).get();
    for seat in parts {
        let size = seat.size.map(|size| format!(" size={}", size.get() >> 20));
        lines.push(format!(
            "create partition primary{} offset={} align={}",
            size.unwrap_or_default(),
            seat.start.get() >> 10,
            super::alignment(seat.start) >> 10
        ));
        lines.push(format!("format fs=ntfs unit={unit} quick"));
        lines.push("assign".to_owned());
    }
    let step = PlanStep::new("The same by diskpart", lines).of_kind(StepLines::Alternative);
    Some(noted(plan, step).note("offset= and align= are in KiB, size= in MiB"))
}

fn is_whole(seat: &Seat) -> bool {
    let size = seat.size.unwrap_or(Bytes::MIB);
    seat.start.is_multiple_of(KIB) && size.is_multiple_of(Bytes::MIB)
}
