//! LVM's reports and backup files.
//!
//! `pvs` knows where extents start on a PV, `vgs` how long an extent is, `lvs` which extents a volume
//! has: a group is put together from all three, piece by piece in [`Evidence::groups`], with
//! sequence number 0. A backup file holds all of it, exactly, and wins. [`join`] makes the members.

mod backup;
mod display;
mod entry;
mod join;
mod report;
mod rows;
mod segments;
mod size;

use crate::captures::{Evidence, Format};
use crate::volumes::Group;

pub use join::join;

/// `vgcfgbackup` output and the files of `/etc/lvm/backup` and `/etc/lvm/archive`.
pub const BACKUP: Format = Format {
    name: "lvm-backup",
    command: "vgcfgbackup",
    sniff: backup::sniff,
    read: backup::read,
};

/// `pvs` with any columns, as a table, with name prefixes or as JSON.
pub const PVS: Format = Format {
    name: "pvs",
    command: "pvs",
    sniff: report::has_pvs,
    read: report::read_pvs,
};

/// `vgs`, likewise.
pub const VGS: Format = Format {
    name: "vgs",
    command: "vgs",
    sniff: report::has_vgs,
    read: report::read_vgs,
};

/// `lvs`, likewise.
pub const LVS: Format = Format {
    name: "lvs",
    command: "lvs",
    sniff: report::has_lvs,
    read: report::read_lvs,
};

/// `pvdisplay`, `vgdisplay`, `lvdisplay -m`.
pub const DISPLAY: Format = Format {
    name: "lvm-display",
    command: "pvdisplay, vgdisplay or lvdisplay",
    sniff: display::sniff,
    read: display::read,
};

/// Groups of one host are few; hostile reports name many.
const MOST_GROUPS: usize = 256;
/// PVs and LVs of reports, in all.
const MOST_VOLUMES: usize = 1 << 14;

/// The group that reports make up, by name. `None` past a limit.
fn reported<'a>(evidence: &'a mut Evidence, name: &str) -> Option<&'a mut Group> {
    let known = evidence
        .groups
        .iter()
        .position(|group| group.seqno == 0 && group.name == name);
    let at = match known {
        Some(at) => at,
        None if evidence.groups.len() >= MOST_GROUPS || name.is_empty() => return None,
        None => {
            evidence.groups.push(Group {
                name: name.to_owned(),
                ..Group::default()
            });
            evidence.groups.len() - 1
        }
    };
    let group = evidence.groups.get_mut(at)?;
    (group.pvs.len() + group.lvs.len() < MOST_VOLUMES).then_some(group)
}

/// Device names as [`crate::captures::Said`] has them.
fn short(device: &str) -> &str {
    device.trim().trim_start_matches("/dev/")
}
