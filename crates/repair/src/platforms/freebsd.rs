//! FreeBSD: gpart rounds starts and sizes to what `-a` names.

use ioalign_core::Bytes;

use super::{Names, Step, last_partition};
use crate::planner::filesystems::{ashift, granule};
use crate::planner::want::{Filesystem, Label};
use crate::planner::{Plan, Seat};

/// The table, then the file system.
pub fn steps(plan: &Plan, names: &Names) -> Vec<Step> {
    let disk = names.disks.first().map_or("da0", String::as_str);
    let part = last_partition(plan);
    let at = match (part, plan.want.label) {
        (None, _) => disk.to_owned(),
        (Some(_), Label::Dos) => format!("{disk}s1"),
        (Some(_), _) => format!("{disk}p1"),
    };
    let table = part.map(|seat| table(plan, seat, disk));
    table.into_iter().chain(filesystem(plan, &at)).collect()
}

fn table(plan: &Plan, seat: &Seat, disk: &str) -> Step {
    let logical = plan.want.logical.get();
    let (scheme, kind) = match (plan.want.label, plan.want.filesystem) {
        (Label::Dos, _) => ("mbr", "freebsd"),
        (_, Some(Filesystem::Zfs)) => ("gpt", "freebsd-zfs"),
        _ => ("gpt", "freebsd-ufs"),
    };
    let size = seat
        .size
        .map(|size| format!(" -s {}", size.get() / logical));
    let lines = vec![
        format!("gpart create -s {scheme} {disk}"),
        format!(
            "gpart add -t {kind} -b {}{} -a {} {disk}",
            seat.start.get() / logical,
            size.unwrap_or_default(),
            alignment(plan.solution.period)
        ),
        format!("gpart show {disk}"),
    ];
    let step = Step::new("Write the partition table", lines).destroys();
    step.note(format!("-b and -s count in sectors of {logical} bytes"))
}

/// What `-a` takes: a size of whole KiB.
fn alignment(period: Bytes) -> String {
    format!("{}k", (period.get() >> 10).max(4))
}

fn filesystem(plan: &Plan, at: &str) -> Option<Step> {
    let want = &plan.want;
    let title = "Make the file system";
    Some(match want.filesystem? {
        Filesystem::Zfs => {
            let lines = vec![
                format!("sysctl vfs.zfs.min_auto_ashift={}", ashift(want)),
                format!("zpool create -o ashift={} tank {at}", ashift(want)),
            ];
            Step::new("Make the pool", lines)
                .destroys()
                .fixed("ashift, for each vdev")
        }
        Filesystem::Ufs => {
            // A fragment is an eighth of a block (newfs(8)).
            let fragment = granule(want).get().clamp(4096, 8192);
            let line = format!("newfs -U -f {fragment} -b {} /dev/{at}", fragment * 8);
            Step::new(title, vec![line])
                .destroys()
                .fixed("the fragment size")
        }
        Filesystem::Swap => Step::new("Make paging space", vec![format!("swapon /dev/{at}")]),
        _ => return None,
    })
}
