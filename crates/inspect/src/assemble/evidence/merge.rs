//! Several texts about one device become one description of it.

use std::collections::BTreeMap;

use ioalign_core::layer::Kind;
use ioalign_core::{Bytes, Remark, Role, SectorSize};

use super::{disagree, names};
use crate::captures::{Array, Number, Said};
use crate::filesystems::FileSystem;
use crate::host::hints::Claims;
use crate::volumes::Member;

/// All that the texts say about one device.
#[derive(Default)]
pub(super) struct Device {
    pub said_kind: Option<Kind>,
    pub parents: Vec<String>,
    pub start: Option<Number>,
    pub size: Option<Number>,
    pub sector: Option<SectorSize>,
    pub type_id: Option<String>,
    pub role: Option<Role>,
    pub table: Option<&'static str>,
    pub claims: Option<Claims>,
    pub filesystem: Option<FileSystem>,
    pub member: Option<Member>,
    pub array: Option<Array>,
    pub mounted: Option<String>,
    pub block: Option<Bytes>,
    pub facts: Vec<(&'static str, String)>,
    pub remarks: Vec<Remark>,
}

impl Device {
    /// What it is: as told, else by what is known of it.
    pub fn kind(&self) -> Kind {
        match self.said_kind {
            Some(kind) => kind,
            None if self.array.is_some() => Kind::Md,
            None if self.start.is_some() => Kind::Partition,
            None if self.parents.is_empty() => Kind::Disk,
            None => Kind::Volume,
        }
    }

    fn add(&mut self, name: &str, said: Said) {
        exacter(
            &mut self.start,
            said.start,
            "start",
            name,
            &mut self.remarks,
        );
        exacter(&mut self.size, said.size, "size", name, &mut self.remarks);
        self.said_kind = self.said_kind.or(said.kind);
        self.sector = self.sector.or(said.sector);
        self.role = self.role.or(said.role);
        self.table = self.table.or(said.table);
        self.block = self.block.or(said.block);
        self.type_id = self.type_id.take().or(said.type_id);
        self.filesystem = self.filesystem.take().or(said.filesystem);
        self.mounted = self.mounted.take().or(said.mounted);
        self.array = richer_array(self.array.take(), said.array);
        self.member = richer_member(self.member.take(), said.member);
        self.claims = joined(self.claims.take(), said.claims, said.alignment_offset);
        self.facts.extend(said.facts);
        self.remarks.extend(said.remarks);
        for parent in said.parents {
            let parent = parent.trim_start_matches("/dev/").to_owned();
            if parent != name && !self.parents.contains(&parent) {
                self.parents.push(parent);
            }
        }
    }
}

/// Puts all claims about a device together.
pub(super) fn by_name(said: Vec<Said>) -> BTreeMap<String, Device> {
    let mut devices: BTreeMap<String, Device> = BTreeMap::new();
    for mut one in said.into_iter().take(super::MOST_DEVICES) {
        let name = std::mem::take(&mut one.name);
        if one.is_part() && one.parents.is_empty() {
            one.parents.extend(names::disk_of(&name));
        }
        devices.entry(name.clone()).or_default().add(&name, one);
    }
    devices
}

/// Parents that follow from names and arrays.
pub(super) fn add_parents(devices: &mut BTreeMap<String, Device>) {
    for (name, device) in devices.iter_mut() {
        if let Some(array) = &device.array {
            device.parents = array
                .members
                .iter()
                .map(|(member, _)| member.clone())
                .collect();
        } else if device.parents.is_empty()
            && device.said_kind.is_none_or(|kind| kind == Kind::Partition)
        {
            // `pvs` or `xfs_info` may speak of sda1 alone: it still is a partition.
            device.parents.extend(names::disk_of(name));
            if !device.parents.is_empty() {
                device.said_kind = Some(Kind::Partition);
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

fn richer_array(mine: Option<Array>, other: Option<Array>) -> Option<Array> {
    match (mine, other) {
        (Some(mine), Some(other)) => Some(Array {
            level: mine.level,
            layout: mine.layout.or(other.layout),
            chunk: mine.chunk.or(other.chunk),
            raid_disks: mine.raid_disks.max(other.raid_disks),
            metadata: mine.metadata.or(other.metadata),
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
fn richer_member(mine: Option<Member>, other: Option<Member>) -> Option<Member> {
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
            mine.logical = mine.logical.or(other.logical);
            mine.physical = mine.physical.or(other.physical);
            mine.minimum = mine.minimum.or(other.minimum);
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
