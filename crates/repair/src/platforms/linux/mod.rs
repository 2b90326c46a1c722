//! Linux: every tool gets its numbers explicitly, because each rounds in its own way when it does not.

mod filesystem;
mod table;
mod volumes;

use ioalign_core::Bytes;

use super::names::{linux_partition, shell_word};
use super::{DiskNames, PlanStep, partitions};
use crate::planner::DiskPlan;
use crate::planner::partitions::number;
use ioalign_core::array::{Maker, RaidLevel};

/// mdadm keeps this much free before the data, for a later reshape, on members from [`MD_LARGE`]
/// on.
const MD_DATA: Bytes = Bytes::new(128 << 20);
const MD_LARGE: Bytes = Bytes::new(64 << 30);

/// All steps, lowest layer first.
pub fn steps(plan: &DiskPlan, names: &DiskNames) -> Vec<PlanStep> {
    let mut steps = Vec::new();
    let mut at = names.first().to_owned();
    if let Some(step) = array(plan, names) {
        steps.push(step);
        "/dev/md0".clone_into(&mut at);
    }
    let parts = partitions(plan);
    if plan.want.given_start.is_none() && !parts.is_empty() {
        steps.push(table::write(plan, &parts, &at));
        steps.extend(table::small(plan, &at));
    }
    if let Some(last) = parts.len().checked_sub(1) {
        at = linux_partition(&at, number(&plan.want, last));
    }
    at = shell_word(&at);
    for (volume, seat) in plan
        .want
        .volumes
        .iter()
        .zip(plan.seats.iter().skip(parts.len()))
    {
        let (step, above) = volumes::make(plan, *volume, seat, &at);
        steps.extend(step);
        at = above;
    }
    let filesystem = plan.want.filesystem;
    steps.extend(filesystem.map(|filesystem| filesystem::make(plan, filesystem, &at)));
    steps.extend(plan.want.database.map(filesystem::database));
    steps.extend(plan.want.universal.then(|| universal(names.first())));
    steps
}

/// The second table, when the partitions are filled.
fn universal(disk: &str) -> PlanStep {
    let line = format!("ioalign fix {} --universal --apply", shell_word(disk));
    PlanStep::new("Write the table for the other sectors", vec![line])
        .note("last, when everything is copied and nothing is mounted: the FAT file systems are made again")
}

fn array(plan: &DiskPlan, names: &DiskNames) -> Option<PlanStep> {
    let array = plan.want.array.filter(|array| array.maker == Maker::Md)?;
    let chunk = match array.level {
        RaidLevel::Raid1 => String::new(),
        _ => format!(" --chunk={}K", array.element.get() >> 10),
    };
    let offset = member_offset(plan);
    let line = format!(
        "mdadm --create /dev/md0 --level={} --raid-devices={}{chunk} --data-offset={}K {}",
        array.level.name(),
        array.disks,
        offset.get() >> 10,
        names
            .disks
            .iter()
            .map(|disk| shell_word(disk))
            .collect::<Vec<_>>()
            .join(" ")
    );
    let step = PlanStep::new("Join the disks", vec![line]).destroys();
    let step = step.fixed("--data-offset").note(format!(
        "every member's data begin {} bytes into it: a multiple of the members' blocks",
        offset.get()
    ));
    Some(if array.level == RaidLevel::Raid1 {
        step
    } else {
        step.fixed("--chunk, but for a reshape of days")
    })
}

/// The start of data on a member: a multiple of every block of a member, with room for a reshape.
fn member_offset(plan: &DiskPlan) -> Bytes {
    let blocks = [
        Some(plan.want.logical.size),
        Some(plan.want.physical.size),
        plan.want.indirection_unit,
        Some(Bytes::MIB),
    ];
    let sizes = blocks.into_iter().flatten().map(Bytes::get);
    let unit = sizes.fold(1, |all, size| {
        ioalign_core::units::lcm(all, size).unwrap_or(all)
    });
    let array = plan.want.array;
    let member = plan
        .want
        .size
        .zip(array)
        .map(|(size, array)| size.get() / u64::from(array.bearing().max(1)));
    let room = match member {
        Some(member) if member < MD_LARGE.get() => Bytes::MIB,
        _ => MD_DATA,
    };
    Bytes::new(room.get().next_multiple_of(unit))
}
