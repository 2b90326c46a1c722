//! A physical volume as a report prints it.

use ioalign_core::Bytes;

use super::{reported, short, size};
use crate::captures::{Number, TextEvidence};
use crate::volumes::{Detail, GroupPv, PhysicalVolume, VolumeMember};

/// The printed facts; `None` for missing ones.
#[derive(Default)]
pub(super) struct LvmEntry<'a> {
    pub device: &'a str,
    pub group: &'a str,
    pub uuid: Option<&'a str>,
    pub start: Option<Number>,
    pub extents: Option<u64>,
    pub device_size: Option<Number>,
}

/// Adds the PV to its device and to its group.
pub(super) fn add(entry: &LvmEntry<'_>, evidence: &mut TextEvidence) {
    let device = short(entry.device);
    if device.is_empty() || device.starts_with('[') || device.starts_with("unknown") {
        return;
    }
    let id = entry.uuid.unwrap_or(device).to_owned();
    let start = entry.start.and_then(size::place);
    let said = evidence.device(device);
    said.size = entry.device_size;
    if start.is_none() {
        said.data_start = entry.start;
    }
    said.member = Some(member(entry, &id, start));
    let Some(group) = reported(evidence, entry.group) else {
        return;
    };
    // Extents of unknown place cannot be followed: then the group does without this PV.
    let Some(pe_start) = start else { return };
    group.pvs.retain(|pv| pv.name != device);
    group.pvs.push(GroupPv {
        name: device.to_owned(),
        id,
        device: entry.device.to_owned(),
        pe_start,
        pe_count: entry.extents.unwrap_or(0),
    });
}

fn member(entry: &LvmEntry<'_>, id: &str, start: Option<Bytes>) -> VolumeMember {
    let detail = match (start, entry.start) {
        (Some(_), _) => Detail::Lvm(PhysicalVolume {
            pv: id.to_owned(),
            group: None,
        }),
        (None, Some(number)) => Detail::Opaque(format!(
            "the start of extent 0 is rounded: {} to {} bytes; `pvs --units s -o +pe_start` gives \
             it exactly",
            number.low, number.high
        )),
        (None, None) => Detail::Opaque(
            "the start of extent 0 is missing; `pvs --units s -o +pe_start` shows it".to_owned(),
        ),
    };
    let mut member = VolumeMember::new("lvm2", detail);
    entry.group.clone_into(&mut member.set);
    entry.group.clone_into(&mut member.name);
    member.data_start = start.unwrap_or_default();
    if let Some(uuid) = entry.uuid {
        member.pv_uuid = Some(uuid.to_owned());
        member.fact("pv-uuid", &uuid);
    }
    member
}
