//! A stack from what programs printed: claims about devices, by name.
//!
//! Devices are placed bottom first. Superblocks that a text described (`mdadm -E`, `pvs`, `luksDump`) go
//! the same way as superblocks that were read, only that there are no bytes behind them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ioalign_core::{Layer, LayerId, Remark, Role, Severity, Stack};
use ioalign_core::{layer::Kind, rules};

use super::{AssembleOptions, Assembly, Inspection};
use crate::captures::{self, Said, Text, TextEvidence};
use crate::error::Result;
use crate::volumes::Detail;

mod arrays;
mod content;
mod controllers;
mod extended;
mod loose;
mod mapped;
mod merge;
mod names;
mod numbers;
mod place;

use mapped::MappedDevices;
pub(super) use names::is_passing;
use numbers::DeviceNumbers;

/// More devices than any machine has.
const MOST_DEVICES: usize = 16384;

/// Makes a stack of what all texts of one host say together. There are no bytes to look into: what a
/// volume holds is known where a text says it.
pub fn evidence(mut evidence: TextEvidence, options: &AssembleOptions) -> Inspection {
    let format = evidence.read.join(" + ");
    evidence
        .remarks
        .extend(controllers::tie(&mut evidence.devices));
    loose::name_by_size(&mut evidence.devices);
    let numbers = DeviceNumbers::stated(&evidence.devices);
    let mapped = MappedDevices::new(&evidence.dm_table, numbers, &mut evidence.groups);
    let mut devices = merge::by_name(evidence.devices, &mapped);
    mapped.announce(&mut devices);
    merge::add_parents(&mut devices);
    extended::mark(&mut devices);
    loose::mark_pools(&mut devices);
    let mut placing = Placing {
        assembly: Assembly::new(Stack::new(), options),
        placed: BTreeMap::new(),
        grouped: names::of_groups(&evidence.groups),
        groups: evidence.groups,
        mapped,
    };
    placing.place_all(devices);
    let mut assembly = placing.assembly;
    mark_passing(&mut assembly.stack);
    if assembly.stack.is_empty() {
        // Something must carry what is said, be it only that nothing is known.
        assembly.stack.push(Layer::new(Kind::Disk, "unknown"));
    }
    if !evidence.remarks.is_empty() {
        let bottom = assembly.stack.layer_mut(LayerId(0));
        bottom.remarks.extend(evidence.remarks);
    }
    // No bytes are behind anything: there is nothing to look into.
    assembly.pending.clear();
    while assembly.join_sets() {
        assembly.pending.clear();
    }
    assembly.finish(format, None)
}

/// Snaps, memory disks and empty drives stand in every listing: nothing on them is nothing missed.
fn mark_passing(stack: &mut Stack) {
    let ids: Vec<_> = stack.layers().map(|(id, _)| id).collect();
    for id in ids {
        let layer = stack.layer_mut(id);
        layer.searched |= layer.below.is_empty() && is_passing(&layer.name);
    }
}

/// Reads texts of one host, by the format named or by what is in them.
pub fn texts(
    texts: &[(PathBuf, Text)],
    named: Option<&str>,
    options: &AssembleOptions,
) -> Result<Inspection> {
    let mut all = TextEvidence::default();
    for (path, text) in texts {
        let before = all.read.len();
        captures::read(text, named, &mut all).map_err(|error| error.in_file(path))?;
        if all.read.len() == before {
            all.remarks.push(Remark::new(
                rules::TEXT_NOT_RECOGNISED,
                Severity::Unknown,
                format!(
                    "{}: no output of a known program is recognised in it",
                    path.display()
                ),
            ));
        }
        if text.cut {
            let why = format!("{}: it is too long, the rest was not read", path.display());
            all.remarks
                .push(Remark::new(rules::TEXT_CUT_OFF, Severity::Unknown, why));
        }
    }
    captures::volumes::lvm::join(&mut all);
    captures::kubernetes::join(&mut all);
    Ok(evidence(all, options))
}

/// Devices become layers, those first on which others lie.
struct Placing<'a> {
    assembly: Assembly<'a>,
    /// Layers by all names that texts may use for them.
    placed: BTreeMap<String, LayerId>,
    groups: Vec<crate::volumes::VolumeGroup>,
    /// Names of the volumes that a group's metadata describe: they wait for it.
    grouped: BTreeSet<String>,
    mapped: MappedDevices,
}

impl Placing<'_> {
    fn place_all(&mut self, mut devices: BTreeMap<String, Said>) {
        while !devices.is_empty() {
            let ready: Vec<_> = devices
                .iter()
                .filter(|(name, device)| self.is_ready(name, device))
                .map(|(name, _)| name.clone())
                .collect();
            for name in &ready {
                if let Some(device) = devices.remove(name) {
                    self.place(name, device);
                }
            }
            if ready.is_empty() && !self.join_volumes() && !self.place_volumes(&mut devices) {
                // Only devices remain whose parents are not described, or that are in a cycle.
                self.invent_parent(&mut devices);
            }
        }
        self.join_volumes();
    }

    /// Whether everything below it is placed. A volume waits for its group to be joined: what
    /// its metadata tell of its place is more than that it lies on some device.
    fn is_ready(&self, name: &str, device: &Said) -> bool {
        // A table says where a volume lies; a listing only on what.
        let volume =
            self.grouped.contains(name) || (names::is_volume(name) && !self.mapped.has(name));
        self.placed.contains_key(name) || (!volume && self.is_carried(device))
    }

    fn is_carried(&self, device: &Said) -> bool {
        let mut parents = device.parents.iter();
        parents.all(|parent| self.placed.contains_key(parent))
    }

    /// Places volumes that no metadata describe, on what a listing draws them on; whether there were any.
    fn place_volumes(&mut self, devices: &mut BTreeMap<String, Said>) -> bool {
        let carried = |device: &Said| !device.parents.is_empty() && self.is_carried(device);
        let waiting = devices.iter().filter(|(_, device)| carried(device));
        let names: Vec<_> = waiting.map(|(name, _)| name.clone()).collect();
        for name in &names {
            if let Some(device) = devices.remove(name) {
                self.place(name, device);
            }
        }
        !names.is_empty()
    }

    /// Joins groups of PVs that are placed; their volumes can carry further devices.
    fn join_volumes(&mut self) -> bool {
        for part in &mut self.assembly.parts {
            if let Detail::Lvm(lvm) = &mut part.member.detail
                && lvm.group.is_none()
            {
                let mut groups = self.groups.iter();
                lvm.group = groups
                    .find(|g| g.pvs.iter().any(|pv| pv.id == lvm.pv))
                    .cloned();
            }
        }
        let before = self.assembly.stack.len();
        let joined = self.assembly.join_sets();
        for (id, layer) in self.assembly.stack.layers().skip(before) {
            for name in names::aliases(layer) {
                self.placed.entry(name).or_insert(id);
            }
        }
        self.set_aside(before);
        joined
    }

    /// Extents areas stand beside volumes that tables put on the device directly, as on a host.
    fn set_aside(&mut self, first: usize) {
        let groups = &self.mapped.groups;
        let layers = self.assembly.stack.layers().skip(first);
        let beside: Vec<_> = layers
            .filter(|(_, layer)| {
                let volume = layer.detail.physical_volume();
                let group = volume.and_then(|volume| volume.group.as_ref());
                group.is_some_and(|group| groups.contains(group))
            })
            .map(|(id, _)| id)
            .collect();
        for id in beside {
            self.assembly.stack.layer_mut(id).role = Role::Reserved;
        }
    }

    /// What something lies on and is not placed; what no text describes comes first.
    fn missing(&self, devices: &BTreeMap<String, Said>) -> Option<String> {
        let wanted = || devices.values().flat_map(|device| &device.parents);
        let open = || wanted().filter(|name| !self.placed.contains_key(*name));
        let undescribed = open().find(|name| !devices.contains_key(*name));
        undescribed.or_else(|| open().next()).cloned()
    }

    fn invent_parent(&mut self, devices: &mut BTreeMap<String, Said>) {
        let missing = self.missing(devices);
        match missing {
            // One that is described itself lies in a circle, or waits for a group that never comes:
            // it is placed without what it waits for, so every turn places something.
            Some(name) => {
                let mut device = devices.remove(&name).unwrap_or_default();
                device.parents.clear();
                self.place(&name, device);
            }
            // A volume whose group no text describes: it lies on something unknown.
            None => {
                if let Some((name, device)) = devices.pop_first() {
                    let kind = device.kind.or(Some(Kind::Volume));
                    self.place(&name, Said { kind, ..device });
                }
            }
        }
    }
}

/// What the texts disagree about.
fn disagree(what: &str, name: &str) -> Remark {
    let why = format!("the texts disagree about the {what} of {name}: the more exact one is taken");
    Remark::new(rules::CAPTURES_DISAGREE, Severity::Unknown, why)
}

impl Said {
    /// Whether it speaks of something that lies on a disk.
    pub(super) fn is_part(&self) -> bool {
        self.start.is_some() || self.kind == Some(Kind::Partition)
    }
}
