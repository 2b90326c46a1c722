//! Several texts about one device become one description of it.

use std::collections::BTreeMap;

use ioalign_core::layer::Kind;
use ioalign_core::{Remark, TableKind};

use super::mapped::MappedDevices;
use super::{disagree, names};
use crate::captures::{Number, Said, TextArray};
use crate::host::hints::{Claims, Transport};
use crate::volumes::VolumeMember;

/// The kind of a device: as stated, else derived from its facts.
pub(super) fn kind_of(device: &Said) -> Kind {
    match device.kind {
        Some(kind) => kind,
        None if device
            .array
            .as_ref()
            .is_some_and(|array| array.controller.is_none()) =>
        {
            Kind::Md
        }
        None if device.start.is_some() => Kind::Partition,
        None if device.parents.is_empty() => Kind::Disk,
        None => Kind::Volume,
    }
}

/// The description of an array of the kernel's; logical drives of a controller are disks.
fn md_of(device: &Said) -> Option<&TextArray> {
    device
        .array
        .as_ref()
        .filter(|array| array.controller.is_none())
}

/// Adds what another text says of the device `name`.
fn add(mine: &mut Said, name: &str, other: Said) {
    exacter(
        &mut mine.start,
        other.start,
        "start",
        name,
        &mut mine.remarks,
    );
    exacter(&mut mine.size, other.size, "size", name, &mut mine.remarks);
    mine.kind = mine.kind.or(other.kind);
    mine.blank |= other.blank;
    mine.sector = mine.sector.or(other.sector);
    mine.role = mine.role.or(other.role);
    mine.table = mine.table.or(other.table);
    mine.devno = mine.devno.or(other.devno);
    mine.level = other.level.or(mine.level.take());
    mine.image = mine.image.or(other.image);
    mine.number = mine.number.or(other.number);
    mine.block = mine.block.or(other.block);
    mine.type_id = mine.type_id.take().or(other.type_id);
    mine.filesystem = mine.filesystem.take().or(other.filesystem);
    mine.mounted = mine.mounted.take().or(other.mounted);
    mine.array = richer_array(mine.array.take(), other.array);
    mine.member = richer_member(mine.member.take(), other.member);
    mine.claims = joined(mine.claims.take(), other.claims, other.alignment_offset);
    mine.model = other.model.or(mine.model.take());
    mine.dm_uuid = other.dm_uuid.or(mine.dm_uuid.take());
    mine.is_multipath |= other.is_multipath;
    mine.facts.extend(other.facts);
    mine.remarks.extend(other.remarks);
    for parent in other.parents {
        let parent = parent.trim_start_matches("/dev/").to_owned();
        if parent != name && !mine.parents.contains(&parent) {
            mine.parents.push(parent);
        }
    }
}

/// Puts all claims about a device together.
pub(super) fn by_name(said: Vec<Said>, mapped: &MappedDevices) -> BTreeMap<String, Said> {
    let mut devices: BTreeMap<String, Said> = BTreeMap::new();
    for mut one in said.into_iter().take(super::MOST_DEVICES) {
        if is_protective(&one) {
            // It stands for the whole disk, so that old programs see it as used.
            for parent in one.parents {
                devices.entry(parent).or_default().table = Some(TableKind::Gpt);
            }
            continue;
        }
        let name = std::mem::take(&mut one.name);
        let name = mapped.name_of(&name).to_owned();
        for parent in &mut one.parents {
            let mapped = mapped.name_of(parent).to_owned();
            *parent = mapped;
        }
        if one.is_part() && one.parents.is_empty() {
            one.parents.extend(names::disk_of(&name));
        }
        add(devices.entry(name.clone()).or_default(), &name, one);
    }
    devices
}

/// The row of a protective MBR.
fn is_protective(said: &Said) -> bool {
    let kind = said
        .type_id
        .as_deref()
        .map(|kind| kind.trim_start_matches("0x"));
    said.is_part() && kind.is_some_and(|kind| kind.eq_ignore_ascii_case("ee"))
}

/// Parents that follow from names and arrays.
pub(super) fn add_parents(devices: &mut BTreeMap<String, Said>) {
    let parents = devices.values().flat_map(|said| {
        let members = said.array.iter().flat_map(|array| &array.members);
        said.parents.iter().chain(members.map(|(name, _)| name))
    });
    // A member that no text describes is still a partition, by its name.
    let members: Vec<String> = parents
        .filter(|name| names::disk_of(name).is_some())
        .cloned()
        .collect();
    for name in members {
        devices.entry(name).or_default();
    }
    for (name, device) in devices.iter_mut() {
        if let Some(array) = md_of(device) {
            device.parents = array
                .members
                .iter()
                .map(|(member, _)| member.clone())
                .collect();
        } else if device.parents.is_empty()
            && device.kind.is_none_or(|kind| kind == Kind::Partition)
        {
            // `pvs` or `xfs_info` may speak of sda1 alone: it still is a partition.
            device.parents.extend(names::disk_of(name));
            if !device.parents.is_empty() {
                device.kind = Some(Kind::Partition);
            }
        }
    }
}

/// Keeps the narrower interval; notes a contradiction.
fn exacter(
    mine: &mut Option<Number>,
    other: Option<Number>,
    what: &str,
    name: &str,
    remarks: &mut Vec<Remark>,
) {
    let Some(other) = other else { return };
    if let Some(mine) = mine {
        if mine.high < other.low || other.high < mine.low {
            remarks.push(disagree(what, name));
        }
        if mine.high - mine.low <= other.high - other.low {
            return;
        }
    }
    *mine = Some(other);
}

fn richer_array(mine: Option<TextArray>, other: Option<TextArray>) -> Option<TextArray> {
    match (mine, other) {
        (Some(mine), Some(other)) => Some(TextArray {
            level: mine.level,
            layout: mine.layout.or(other.layout),
            chunk: mine.chunk.or(other.chunk),
            raid_disks: mine.raid_disks.max(other.raid_disks),
            metadata: mine.metadata.or(other.metadata),
            controller: mine.controller.or(other.controller),
            full_stripe: mine.full_stripe.or(other.full_stripe),
            members: if mine.members.len() < other.members.len() {
                other.members
            } else {
                mine.members
            },
        }),
        (mine, other) => mine.or(other),
    }
}

/// A member with its data area beats one without.
fn richer_member(mine: Option<VolumeMember>, other: Option<VolumeMember>) -> Option<VolumeMember> {
    match (mine, other) {
        (Some(mine), Some(other)) if mine.data_start.is_zero() && !other.data_start.is_zero() => {
            Some(other)
        }
        (mine, other) => mine.or(other),
    }
}

/// Queue limits of several texts: what one leaves out another may say.
fn joined(mine: Option<Claims>, other: Option<Claims>, offset: Option<i64>) -> Option<Claims> {
    let mut claims = match (mine, other) {
        (Some(mut mine), Some(other)) => {
            if mine.physical.is_none() {
                mine.printed_by = other.printed_by;
            }
            mine.logical = mine.logical.or(other.logical);
            // A text that saw less, behind another bridge or in a guest, takes nothing back.
            mine.physical = mine.physical.max(other.physical);
            mine.minimum = mine.minimum.max(other.minimum);
            if mine.transport == Transport::Unknown
                || (mine.transport == Transport::Scsi && other.transport != Transport::Unknown)
            {
                // The name `sda` says SCSI of USB disks too.
                mine.transport = other.transport;
            }
            mine.size = mine.size.or(other.size);
            mine.optimal = mine.optimal.or(other.optimal);
            mine.chunk = mine.chunk.or(other.chunk);
            mine.rotational = mine.rotational.or(other.rotational);
            mine.erase = mine.erase.or(other.erase);
            mine.nvme = mine.nvme.or(other.nvme);
            for (mine, other) in [
                (&mut mine.model, other.model),
                (&mut mine.vendor, other.vendor),
            ] {
                if mine.is_empty() {
                    *mine = other;
                }
            }
            if mine.alignment_offset == 0 {
                mine.alignment_offset = other.alignment_offset;
            }
            Some(mine)
        }
        (mine, other) => mine.or(other),
    };
    if let (Some(claims), Some(offset)) = (&mut claims, offset) {
        claims.alignment_offset = offset;
    }
    claims
}
