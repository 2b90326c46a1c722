//! FreeBSD: gpart rounds starts and sizes to what `-a` names.

use ioalign_core::Bytes;

use super::{DiskNames, PlanStep, partitions};
use crate::planner::filesystems::{ashift, fragment};
use crate::planner::partitions::number;
use crate::planner::want::{Filesystem, PartRole, PlannedLabel};
use crate::planner::{DiskPlan, Seat};

/// The table, then the file system.
pub fn steps(plan: &DiskPlan, names: &DiskNames) -> Vec<PlanStep> {
    let disk = names.first();
    let parts = partitions(plan);
    let at = match (parts.len().checked_sub(1), plan.want.label) {
        (None, _) => disk.to_owned(),
        (Some(_), PlannedLabel::Dos) => format!("{disk}s1"),
        (Some(last), _) => format!("{disk}p{}", number(&plan.want, last)),
    };
    let table = (!parts.is_empty()).then(|| table(plan, &parts, disk));
    table.into_iter().chain(filesystem(plan, &at)).collect()
}

fn table(plan: &DiskPlan, parts: &[&Seat], disk: &str) -> PlanStep {
    let logical = plan.want.logical.size.get();
    let scheme = match plan.want.label {
        PlannedLabel::Dos => "mbr",
        _ => "gpt",
    };
    let mut lines = vec![format!("gpart create -s {scheme} {disk}")];
    for (seat, part) in parts.iter().zip(&plan.want.partitions) {
        let size = seat
            .size
            .map(|size| format!(" -s {}", size.get() / logical));
        lines.push(format!(
            "gpart add -t {} -b {}{} -a {} {disk}",
            type_of(plan, part.role),
            seat.start.get() / logical,
            size.unwrap_or_default(),
            alignment(seat.start, seat.size, plan.want.logical.size)
        ));
    }
    lines.push(format!("gpart show {disk}"));
    let step = PlanStep::new("Write the partition table", lines).destroys();
    step.note(format!("-b and -s count in sectors of {logical} bytes"))
}

fn type_of(plan: &DiskPlan, role: PartRole) -> &'static str {
    match (plan.want.label, role, plan.want.filesystem) {
        (PlannedLabel::Dos, ..) => "freebsd",
        (_, PartRole::Esp, _) => "efi",
        (_, PartRole::Swap, _) => "freebsd-swap",
        (_, _, Some(Filesystem::Zfs)) => "freebsd-zfs",
        _ => "freebsd-ufs",
    }
}

/// What `-a` takes: `gpart` rounds to it, so that it has to divide the start and the size. Without a suffix it is
/// a number of sectors.
fn alignment(start: Bytes, size: Option<Bytes>, logical: Bytes) -> String {
    let natural = |bytes: Bytes| bytes.natural_alignment().unwrap_or(Bytes::MIB);
    let both = natural(start).min(size.map_or(Bytes::MIB, natural));
    let both = both.min(Bytes::MIB).get();
    if both.is_multiple_of(1 << 10) {
        format!("{}k", both >> 10)
    } else {
        (both / logical.get()).to_string()
    }
}

fn filesystem(plan: &DiskPlan, at: &str) -> Option<PlanStep> {
    let want = &plan.want;
    let title = "Make the file system";
    Some(match want.filesystem? {
        Filesystem::Zfs => {
            let lines = vec![
                format!("sysctl vfs.zfs.min_auto_ashift={}", ashift(want)),
                format!("zpool create -o ashift={} tank {at}", ashift(want)),
            ];
            PlanStep::new("Make the pool", lines)
                .destroys()
                .fixed("ashift, for each vdev")
        }
        Filesystem::Ufs => {
            let fragment = fragment(want).get();
            let line = format!("newfs -U -f {fragment} -b {} /dev/{at}", fragment * 8);
            PlanStep::new(title, vec![line])
                .destroys()
                .fixed("the fragment size")
        }
        Filesystem::Swap => PlanStep::new("Make paging space", vec![format!("swapon /dev/{at}")]),
        _ => return None,
    })
}
