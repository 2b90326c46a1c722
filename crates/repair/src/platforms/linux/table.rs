//! The partition table, by sfdisk, and what goes onto the smaller partitions.

use ioalign_core::Bytes;

use super::super::PlanStep;
use super::super::names::{linux_partition, shell_word};
use super::filesystem;
use crate::planner::filesystems::MkfsStripe;
use crate::planner::partitions::{is_logical, number};
use crate::planner::want::{PartRole, PlannedLabel, PlannedVolume};
use crate::planner::{DiskPlan, Seat};

/// One script for sfdisk: a line a partition, in order.
pub fn write(plan: &DiskPlan, parts: &[&Seat], disk: &str) -> PlanStep {
    let logical = plan.want.logical.size.get();
    let label = match plan.want.label {
        PlannedLabel::Dos => "dos",
        _ => "gpt",
    };
    let mut lines = vec![
        format!("sfdisk --wipe always {} <<'EOF'", shell_word(disk)),
        format!("label: {label}"),
        "unit: sectors".to_owned(),
    ];
    // sfdisk keeps the first mebibyte free by default.
    let first = parts.first().map_or(Bytes::MIB, |seat| seat.start);
    if plan.want.label == PlannedLabel::Gpt && first < Bytes::MIB {
        let free = plan.want.label.first_free(plan.want.logical.size);
        lines.push(format!("first-lba: {}", free.get() / logical));
    }
    lines.extend(entries(plan, parts));
    lines.push("EOF".to_owned());
    if disk.starts_with("/dev/disk/") || disk.starts_with("/dev/mapper/") {
        // udev makes the links to partitions, some time after the kernel has made the partitions.
        lines.push("udevadm settle".to_owned());
    }
    let step = PlanStep::new("Write the partition table", lines).destroys();
    let mut step = step.note(format!(
        "starts and sizes are in sectors of {logical} bytes"
    ));
    if plan.extended.is_some() {
        step = step.note(
            "an MBR has four entries: from the fourth partition on they are logical ones, numbered from 5, each \
             with a sector ahead of it that links to the next",
        );
    }
    if parts.iter().any(|seat| seat.size.is_none()) {
        step.note("the disk's size is not known: say --size, and the last end is on the grids too")
    } else {
        step
    }
}

fn entries(plan: &DiskPlan, parts: &[&Seat]) -> Vec<String> {
    let logical = plan.want.logical.size.get();
    let entry = |start: Bytes, size: Option<Bytes>, kind: &str| {
        let size = size.map(|size| format!(", size={}", size.get() / logical));
        let start = start.get() / logical;
        format!("start={start}{}, type={kind}", size.unwrap_or_default())
    };
    let mut lines = Vec::new();
    let mut container = plan.extended;
    for (index, (seat, part)) in parts.iter().zip(&plan.want.partitions).enumerate() {
        if is_logical(&plan.want, index)
            && let Some(extended) = container.take()
        {
            lines.push(entry(extended.start, extended.size, "extended"));
        }
        let is_last = index + 1 == parts.len();
        let kind = type_of(plan, part.role, is_last);
        lines.push(entry(seat.start, seat.size, kind));
    }
    lines
}

fn type_of(plan: &DiskPlan, role: PartRole, is_last: bool) -> &'static str {
    let first = plan.want.volumes.first();
    let lvm = is_last && first.is_some_and(|volume| matches!(volume, PlannedVolume::Lvm { .. }));
    match (role, plan.want.label) {
        (PartRole::Esp, PlannedLabel::Dos) => "ef",
        (PartRole::Esp, _) => "uefi",
        (PartRole::Swap, _) => "swap",
        (PartRole::Data, _) if lvm => "lvm",
        (PartRole::Boot | PartRole::Data, _) => "linux",
    }
}

/// What goes onto partitions that carry none of the layers that are wanted.
pub fn small(plan: &DiskPlan, disk: &str) -> Vec<PlanStep> {
    let want = &plan.want;
    let is_last_bare = want.volumes.is_empty() && want.filesystem.is_none();
    let carriers = usize::from(!is_last_bare);
    let bare = want.partitions.len().saturating_sub(carriers);
    let all = want.partitions.iter().enumerate().take(bare);
    all.filter_map(|(index, part)| {
        let at = shell_word(&linux_partition(disk, number(want, index)));
        // In the disk's own sectors; without -h mkfs.vfat writes it in sectors of 512 bytes.
        let start = plan.seats.get(index).map_or(Bytes::ZERO, |seat| seat.start);
        let hidden = start.get() / want.logical.size.get();
        let (title, line) = match part.role {
            PartRole::Esp => (
                "Make the EFI system partition",
                format!("mkfs.vfat -F 32 -h {hidden} {at}"),
            ),
            PartRole::Boot => ("Make /boot", filesystem::ext4(plan, MkfsStripe::of(want), &at)),
            PartRole::Swap => ("Make paging space", format!("mkswap {at}")),
            PartRole::Data => return None,
        };
        let step = PlanStep::new(title, vec![line]).destroys();
        Some(match part.role {
            PartRole::Esp => step.note(
                "where FAT's clusters begin is not planned: the partition is read when the machine boots, and \
                 check may name its clusters",
            ),
            _ => step,
        })
    })
    .collect()
}
