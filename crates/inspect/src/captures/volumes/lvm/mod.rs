//! LVM's reports and backup files.
//!
//! `pvs` knows where extents start on a PV, `vgs` how long an extent is, `lvs` which extents a volume
//! has: a group is put together from all three, piece by piece in [`TextEvidence::groups`], with
//! sequence number 0. A backup file holds all of it, exactly, and wins. [`join`] makes the members.

mod backup;
mod display;
mod entry;
mod join;
mod report;
mod rows;
mod segments;
mod size;

use crate::captures::{TextEvidence, TextFormat};
use crate::volumes::VolumeGroup;

pub use join::join;

/// `vgcfgbackup` output and the files of `/etc/lvm/backup` and `/etc/lvm/archive`.
pub const BACKUP: TextFormat = TextFormat {
    name: "lvm-backup",
    command: "vgcfgbackup",
    sniff: backup::sniff,
    read: backup::read,
};

/// `pvs` with any columns, as a table, with name prefixes or as JSON.
pub const PVS: TextFormat = TextFormat {
    name: "pvs",
    command: "pvs",
    sniff: report::has_pvs,
    read: report::read_pvs,
};

/// `vgs`, likewise.
pub const VGS: TextFormat = TextFormat {
    name: "vgs",
    command: "vgs",
    sniff: report::has_vgs,
    read: report::read_vgs,
};

/// `lvs`, likewise.
pub const LVS: TextFormat = TextFormat {
    name: "lvs",
    command: "lvs",
    sniff: report::has_lvs,
    read: report::read_lvs,
};

/// `pvdisplay`, `vgdisplay`, `lvdisplay -m`.
pub const DISPLAY: TextFormat = TextFormat {
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
fn reported<'a>(evidence: &'a mut TextEvidence, name: &str) -> Option<&'a mut VolumeGroup> {
    let known = evidence
        .groups
        .iter()
        .position(|group| group.seqno == 0 && group.name == name);
    let at = match known {
        Some(at) => at,
        None if evidence.groups.len() >= MOST_GROUPS || name.is_empty() => return None,
        None => {
            evidence.groups.push(VolumeGroup {
                name: name.to_owned(),
                ..VolumeGroup::default()
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
