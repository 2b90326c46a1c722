//! Windows: diskpart or PowerShell, and what the resource kit of Windows 2000 asks.
//!
//! Two rules of Microsoft's: partition offset / stripe unit and stripe unit / allocation unit are whole
//! numbers. Windows does not learn the stripe unit by itself: it has to be said.

use super::{Names, Step, last_partition};
use crate::planner::filesystems::{Stripe, allocation_unit};
use crate::planner::want::Label;
use crate::planner::{Plan, Seat};

/// Partition, format, and the two rules.
pub fn steps(plan: &Plan, names: &Names) -> Vec<Step> {
    let disk = names.disks.first().map_or("1", String::as_str);
    let Some(seat) = last_partition(plan) else {
        let line = format!("Get-Disk -Number {disk}");
        return vec![Step::new("NTFS takes a partition", vec![line]).note("say --label gpt")];
    };
    vec![
        diskpart(plan, seat, disk),
        powershell(plan, seat, disk),
        show(plan, seat, disk),
        diskpar(plan, seat, disk),
    ]
}

fn diskpart(plan: &Plan, seat: &Seat, disk: &str) -> Step {
    let style = match plan.want.label {
        Label::Dos => "mbr",
        _ => "gpt",
    };
    // `align=` rounds up, `offset=` is exact; both count in KiB, and `offset=` is for basic disks.
    let size = seat.size.map(|size| format!(" size={}", size.get() >> 20));
    let lines = vec![
        "diskpart".to_owned(),
        format!("select disk {disk}"),
        "clean".to_owned(),
        format!("convert {style}"),
        format!(
            "create partition primary{} offset={} align={}",
            size.unwrap_or_default(),
            seat.start.get() >> 10,
            plan.solution.period.get().max(1024) >> 10
        ),
        format!(
            "format fs=ntfs unit={} quick",
            allocation_unit(&plan.want).get()
        ),
        "assign".to_owned(),
    ];
    let step = Step::new("Partition and format (diskpart)", lines).destroys();
    let step = step
        .fixed("the allocation unit")
        .note("offset= and align= are in KiB, size= in MiB");
    if style == "gpt" {
        step.note(
            "the reserved partition (MSR) that `convert gpt` makes at sector 34 holds no data",
        )
    } else {
        step
    }
}

fn powershell(plan: &Plan, seat: &Seat, disk: &str) -> Step {
    let style = match plan.want.label {
        Label::Dos => "MBR",
        _ => "GPT",
    };
    let size = seat.size.map_or_else(
        || "-UseMaximumSize".to_owned(),
        |size| format!("-Size {}", size.get()),
    );
    let lines = vec![
        format!("Initialize-Disk -Number {disk} -PartitionStyle {style}"),
        format!(
            "New-Partition -DiskNumber {disk} -Offset {} {size} -AssignDriveLetter |",
            seat.start.get()
        ),
        format!(
            "  Format-Volume -FileSystem NTFS -AllocationUnitSize {}",
            allocation_unit(&plan.want).get()
        ),
    ];
    Step::new("The same in PowerShell", lines)
        .destroys()
        .fixed("the allocation unit")
}

fn show(plan: &Plan, seat: &Seat, disk: &str) -> Step {
    let unit = allocation_unit(&plan.want).get();
    let lines = vec![
        format!("Get-Partition -DiskNumber {disk} | Select-Object PartitionNumber, Offset, Size"),
        "fsutil fsinfo ntfsinfo X:".to_owned(),
        "fsutil fsinfo sectorinfo X:".to_owned(),
    ];
    let step = Step::new("Look at what came out", lines);
    let Some(stripe) = Stripe::of(&plan.want) else {
        return step
            .note("no stripe unit was said: Windows cannot tell it, ask whoever runs the array");
    };
    let (start, element) = (seat.start.get(), stripe.unit.get());
    step.note(rule("partition offset / stripe unit", start, element))
        .note(rule("stripe unit / allocation unit", element, unit))
}

fn rule(name: &str, above: u64, below: u64) -> String {
    let (whole, rest) = (above / below, above % below);
    if rest == 0 {
        format!("{name} = {above} / {below} = {whole}: whole")
    } else {
        format!("{name} = {above} / {below}: {rest} bytes remain, the rule is broken")
    }
}

/// The tool of the Windows 2000 resource kit, for guests that have nothing newer: an empty partition of
/// one megabyte that begins on the grid, behind which Disk Manager goes on.
fn diskpar(plan: &Plan, seat: &Seat, disk: &str) -> Step {
    let logical = plan.want.logical.get();
    let track = 64 * 512;
    let start = if seat.start.get() == 1 << 20 {
        track
    } else {
        seat.start.get()
    };
    let says = |key: &str, what: &str| format!("{key:<8}{what}");
    let lines = vec![
        format!("diskpar -s {disk}"),
        says("Y", "the disk is raw: it has no partitions"),
        says("Y", "all data on it will be lost"),
        says(
            &(start / logical).to_string(),
            "the starting offset, in sectors",
        ),
        says("1", "the length, in MB: a partition that stays empty"),
        "Disk Manager: the rest of the disk as a primary partition, allocation unit 32K".to_owned(),
    ];
    let step = Step::new("On Windows 2000 and 2003 (diskpar, resource kit)", lines);
    step.destroys()
        .fixed("the allocation unit")
        .note("diskpar, not diskpart: newer systems have no need of it")
}
