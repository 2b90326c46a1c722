//! Windows: PowerShell or diskpart, and what the resource kit of Windows 2000 asks.
//!
//! Two rules of Microsoft's: partition offset / stripe unit and stripe unit / allocation unit are whole
//! numbers. Windows does not learn the stripe unit by itself: it has to be said.
//!
//! Every disk with a GPT gets a reserved partition (MSR) first, as soon as it is initialised
//! (learn.microsoft.com/windows-server/administration/windows-commands/create-partition-msr; `convert gpt` and
//! `Initialize-Disk` make it). It begins behind the table and takes 16 MB since Windows 10, before that 32 MB on
//! disks below 16 GB and 128 MB on all others (Microsoft's "Windows and GPT FAQ" and "UEFI/GPT-based hard drive
//! partitions"). Data are planned behind the largest, so that the printed start is free on every version.

mod diskpar;
mod diskpart;

use ioalign_core::Bytes;

use super::{DiskNames, PlanStep, StepLines, last_partition, partitions};
use crate::planner::filesystems::{MkfsStripe, allocation_unit};
use crate::planner::want::{PlannedDatabase, PlannedLabel};
use crate::planner::{DiskPlan, Seat};

/// The largest reserved partition of a disk of a size, where the table is one that has it.
pub fn reserved(label: PlannedLabel, size: Option<Bytes>) -> Option<Bytes> {
    let small = size.is_some_and(|size| size.get() < 16 << 30);
    let most = if small { 32 << 20 } else { 128 << 20 };
    (label == PlannedLabel::Gpt).then_some(Bytes::new(most))
}

/// Partition, format, and the two rules.
pub fn steps(plan: &DiskPlan, names: &DiskNames) -> Vec<PlanStep> {
    let disk = names.first();
    let Some(seat) = last_partition(plan) else {
        let line = format!("Get-Disk -Number {disk}");
        return vec![PlanStep::new("NTFS takes a partition", vec![line]).note("say --label gpt")];
    };
    let mut steps = vec![powershell(plan, disk), show(plan, seat, disk)];
    steps.extend(diskpart::step(plan, disk));
    if partitions(plan).len() == 1 {
        steps.extend(diskpar::step(plan, disk));
    }
    steps
}

/// What both ways to partition have to say.
fn noted(plan: &DiskPlan, step: PlanStep) -> PlanStep {
    let step = step.destroys().fixed("the allocation unit");
    let step = if plan.want.label == PlannedLabel::Gpt {
        step.note(
            "initialising a GPT makes the reserved partition (MSR) behind the table, of 16 to 128 MB by version: \
             data begin behind the largest",
        )
    } else {
        step
    };
    if plan.want.database == Some(PlannedDatabase::SqlServer) {
        step.note("SQL Server wants allocation units of 64 KiB: an extent of its files")
    } else {
        step
    }
}

fn powershell(plan: &DiskPlan, disk: &str) -> PlanStep {
    let style = match plan.want.label {
        PlannedLabel::Dos => "MBR",
        _ => "GPT",
    };
    let unit = allocation_unit(&plan.want).get();
    let mut lines = vec![
        format!(
            "Clear-Disk -Number {disk} -RemoveData -RemoveOEM -Confirm:$false -ErrorAction SilentlyContinue"
        ),
        format!("Initialize-Disk -Number {disk} -PartitionStyle {style}"),
    ];
    for seat in partitions(plan) {
        let start = seat.start.get();
        // -UseMaximumSize means the largest free extent, which begins before the offset.
        let size = seat.size.map_or_else(
            || {
                format!(
                    "([math]::Floor(((Get-Disk -Number {disk}).Size - {start} - 1MB) / 1MB) * 1MB)"
                )
            },
            |size| size.get().to_string(),
        );
        lines.push(format!(
            "New-Partition -DiskNumber {disk} -Offset {start} -Alignment {} -Size {size} -AssignDriveLetter |",
            alignment(seat.start)
        ));
        lines.push(format!(
            "  Format-Volume -FileSystem NTFS -AllocationUnitSize {unit}"
        ));
    }
    let step = PlanStep::new("Partition and format (PowerShell)", lines);
    noted(plan, step).note(
        "without -Alignment an offset is rounded to what Windows aligns to by itself \
         (CreatePartition of MSFT_Disk)",
    )
}

/// What an offset is a multiple of, up to a mebibyte: the alignment that leaves it as it is.
fn alignment(start: Bytes) -> u64 {
    let natural = start.natural_alignment().unwrap_or(Bytes::MIB);
    natural.min(Bytes::MIB).get()
}

fn show(plan: &DiskPlan, seat: &Seat, disk: &str) -> PlanStep {
    let unit = allocation_unit(&plan.want).get();
    let lines = vec![
        format!("Get-Partition -DiskNumber {disk} | Select-Object PartitionNumber, Offset, Size"),
        "fsutil fsinfo ntfsinfo X:".to_owned(),
        "fsutil fsinfo sectorinfo X:".to_owned(),
    ];
    let step = PlanStep::new("Look at what came out", lines)
        .of_kind(StepLines::Alternative)
        .note(format!(
            "the last partition's Offset must be {}, and X: its drive letter",
            seat.start.get()
        ));
    let Some(stripe) = MkfsStripe::of(&plan.want) else {
        return step.note(
            "no stripe unit was given, and Windows does not know it: ask the operator of the array",
        );
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
