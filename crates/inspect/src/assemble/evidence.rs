//! A stack from what programs printed: claims about devices, by name.
//!
//! Devices are placed bottom first. Superblocks that a text described (`mdadm -E`, `pvs`, `luksDump`) go
//! the same way as superblocks that were read, only that there are no bytes behind them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ioalign_core::layer::Kind;
use ioalign_core::{Bytes, Layer, LayerId, Map, Remark, SectorSize, Sectors, Severity, Stack};

use super::{Assembly, Inspection, Node, Options, Part};
use crate::captures::{self, Array, Evidence, Number, Said, Text};
use crate::error::Result;
use crate::host::hints;
use crate::source::MemorySource;
use crate::view::View;
use crate::volumes::{Detail, Member};

mod merge;
mod names;

use merge::kind_of;

/// More devices than any machine has.
const MOST_DEVICES: usize = 16384;

/// Makes a stack of what all texts of one host say together.
pub fn evidence(evidence: Evidence, options: &Options) -> Inspection {
    let format = evidence.read.join(" + ");
    let mut devices = merge::by_name(evidence.devices);
    merge::add_parents(&mut devices);
    let mut placing = Placing {
        assembly: Assembly::new(Stack::new(), options),
        placed: BTreeMap::new(),
        groups: evidence.groups,
    };
    placing.place_all(devices);
    let mut assembly = placing.assembly;
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

/// Reads texts of one host, by the format named or by what is in them.
pub fn texts(
    texts: &[(PathBuf, Text)],
    named: Option<&str>,
    options: &Options,
) -> Result<Inspection> {
    let mut all = Evidence::default();
    for (path, text) in texts {
        let before = all.read.len();
        captures::read(text, named, &mut all).map_err(|error| error.in_file(path))?;
        if all.read.len() == before {
            all.remarks.push(Remark::new(
                "text-not-recognised",
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
                .push(Remark::new("text-cut-off", Severity::Unknown, why));
        }
    }
    captures::volumes::lvm::join(&mut all);
    Ok(evidence(all, options))
}

/// Devices become layers, those first on which others lie.
struct Placing<'a> {
    assembly: Assembly<'a>,
    /// Layers by all names that texts may use for them.
    placed: BTreeMap<String, LayerId>,
    groups: Vec<crate::volumes::Group>,
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
                // Only devices remain whose parents nobody describes, or that lie in a circle.
                self.invent_parent(&mut devices);
            }
        }
        self.join_volumes();
    }

    /// Whether everything below it is placed. A volume waits for its group to be joined: what
    /// its metadata tell of its place is more than that it lies on some device.
    fn is_ready(&self, name: &str, device: &Said) -> bool {
        self.placed.contains_key(name) || (!names::is_volume(name) && self.is_carried(device))
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
        joined
    }

    fn invent_parent(&mut self, devices: &mut BTreeMap<String, Said>) {
        let missing = devices.values().flat_map(|device| &device.parents);
        let missing = missing
            .into_iter()
            .find(|name| !self.placed.contains_key(*name))
            .cloned();
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

    fn place(&mut self, name: &str, device: Said) {
        if let Some(id) = self.placed.get(name).copied() {
            // A volume that its group's metadata described already: only its content is new.
            self.learn(id, &device);
            return self.add_content(id, device);
        }
        if let Some(id) = self.opened(&device) {
            // A listing's name for what a header describes already.
            self.placed.insert(name.to_owned(), id);
            self.learn(id, &device);
            return self.add_content(id, device);
        }
        let mut layer = self.layer(name, &device);
        layer.facts.extend(device.facts.iter().cloned());
        layer.remarks.extend(device.remarks.iter().cloned());
        let bottom = layer.below.is_empty();
        let id = self.assembly.stack.push(layer);
        self.placed.insert(name.to_owned(), id);
        for alias in names::aliases(self.assembly.stack.layer(id)) {
            self.placed.entry(alias).or_insert(id);
        }
        if bottom {
            self.add_grids(id, &device);
        }
        self.add_content(id, device);
    }

    /// The content of an encrypted device whose header a text describes.
    fn opened(&self, device: &Said) -> Option<LayerId> {
        match device.parents.as_slice() {
            [holder] if device.kind == Some(Kind::Crypt) => {
                self.placed.get(&format!("{holder}#content")).copied()
            }
            _ => None,
        }
    }

    /// What else a text says of a layer that is there.
    fn learn(&mut self, id: LayerId, device: &Said) {
        let layer = self.assembly.stack.layer_mut(id);
        layer.facts.extend(device.facts.iter().cloned());
        layer
            .facts
            .extend(device.mounted.iter().map(|path| ("mounted", path.clone())));
        layer.remarks.extend(device.remarks.iter().cloned());
        layer.block = layer.block.or(device.block);
    }

    fn layer(&self, name: &str, device: &Said) -> Layer {
        let kind = kind_of(device);
        let mut layer = Layer::new(kind, name);
        layer.size = device.size.and_then(|size| size.settle(Bytes::new(512)));
        layer.block = device.block;
        layer.role = device.role.unwrap_or_default();
        if let Some(sector) = device.claims.as_ref().and_then(|claims| claims.logical) {
            layer.logical_sector = Some(Bytes::new(sector));
        }
        for (key, value) in [
            ("table", device.table.map(str::to_owned)),
            ("type", device.type_id.clone()),
        ] {
            if let Some(value) = value {
                layer.facts.insert(key, value);
            }
        }
        if let Some(mounted) = &device.mounted {
            layer.facts.insert("mounted", mounted.clone());
        }
        if let Some(array) = &device.array {
            self.add_members(array, &mut layer);
            return layer;
        }
        for parent in device
            .parents
            .iter()
            .filter_map(|parent| self.placed.get(parent))
        {
            let (map, sectors) = start_on(device, self.rescaled(device, *parent));
            layer.start_sectors = sectors;
            layer = layer.on(*parent, map);
        }
        layer
    }

    /// The sector of a table whose text did not say it, where another text tells the disk's: the
    /// reader took 512.
    fn rescaled(&self, device: &Said, disk: LayerId) -> Option<SectorSize> {
        let disk = self.assembly.stack.layer(disk);
        let assumed = disk
            .remarks
            .iter()
            .any(|remark| remark.rule == "sector-size-assumed");
        let logical = u32::try_from(disk.logical_sector?.get())
            .ok()
            .and_then(SectorSize::new)?;
        (assumed && device.sector.is_none() && logical > SectorSize::S512).then_some(logical)
    }

    /// An array's edges: where its members' superblocks were described, their data areas are known.
    fn add_members(&self, array: &Array, layer: &mut Layer) {
        layer
            .facts
            .insert("level", super::array::level_name(array.level));
        let shape = super::md::geometry(array.level, array.layout.unwrap_or(2), array.raid_disks);
        let old = matches!(array.metadata.as_deref(), Some("0.90" | "1.0"));
        for (index, (name, slot)) in (0_u32..).zip(&array.members) {
            let Some(below) = self.placed.get(name).copied() else {
                continue;
            };
            let parts = self.assembly.parts.iter();
            let start = parts.into_iter().find(|part| part.layer == below);
            let start = start
                .map(|part| part.member.data_start)
                .or(old.then_some(Bytes::ZERO));
            let map = match (&shape, start) {
                (Some(shape), Some(start)) => shape.map(
                    start,
                    array.chunk.unwrap_or_default(),
                    slot.unwrap_or(index),
                ),
                _ => {
                    Map::Opaque("the data offset of the members is not told (mdadm -E)".to_owned())
                }
            };
            layer.below.push(ioalign_core::Edge { below, map });
        }
    }

    fn add_grids(&mut self, id: LayerId, device: &Said) {
        let declared = !self.assembly.options.grids.is_empty();
        // Of an image file tools print 512 / 512: that is nobody's topology.
        let image = self.assembly.stack.layer(id).kind == Kind::Image;
        match device.claims.as_ref().filter(|_| !image) {
            Some(claims) => {
                let judged = hints::judge(claims, id);
                let kept = judged.grids.into_iter();
                self.assembly.stack.grids.extend(
                    kept.filter(|g| !declared || g.origin != ioalign_core::Origin::Assumed),
                );
                self.assembly
                    .stack
                    .layer_mut(id)
                    .remarks
                    .extend(judged.remarks);
                if declared {
                    self.assembly.add_declared_grids(id);
                }
            }
            None => self.assembly.add_disk_grids(id),
        }
    }

    fn add_content(&mut self, id: LayerId, device: Said) {
        if let Some(array) = &device.array {
            let shape =
                super::md::geometry(array.level, array.layout.unwrap_or(2), array.raid_disks);
            if let (Some(shape), Some(chunk)) = (shape, array.chunk) {
                let grids = super::md_grids(id, &shape, chunk, "as printed by mdadm");
                self.assembly.stack.grids.extend(grids);
            }
            // Its members' superblocks have served; they are not joined a second time.
            let below: Vec<_> = self
                .assembly
                .stack
                .layer(id)
                .below
                .iter()
                .map(|edge| edge.below)
                .collect();
            self.assembly
                .parts
                .retain(|part| !below.contains(&part.layer));
        }
        if let Some(member) = device.member {
            self.add_member(id, member);
        } else if let Some(found) = device.filesystem {
            let node = self.node(id);
            self.assembly.add_filesystem(&node, found);
        }
    }

    fn add_member(&mut self, id: LayerId, member: Member) {
        let Node {
            layer, view, depth, ..
        } = self.node(id);
        match member.detail {
            Detail::Md(_) | Detail::Lvm(_) => {
                self.assembly.parts.push(Part {
                    layer,
                    view,
                    depth,
                    member,
                });
            }
            _ => {
                let node = self.node(id);
                let before = self.assembly.stack.len();
                self.assembly.add_member(node, member);
                let made = self
                    .assembly
                    .stack
                    .layers()
                    .skip(before)
                    .map(|(id, _)| id)
                    .next();
                let holder = self.assembly.stack.layer(id).name.clone();
                if let Some(made) = made {
                    // `cryptsetup status` and mounts speak of luks-… on it; the holder's name serves.
                    self.placed
                        .entry(format!("{holder}#content"))
                        .or_insert(made);
                }
            }
        }
    }

    /// A node without bytes.
    fn node(&self, layer: LayerId) -> Node {
        let start = self
            .assembly
            .stack
            .layer(layer)
            .below
            .first()
            .and_then(|e| e.map.start());
        Node {
            layer,
            view: View::new(Arc::new(MemorySource::new(Vec::new()))),
            depth: 1,
            parent_type: None,
            start_on_disk: start.unwrap_or_default(),
        }
    }
}

/// How a device lies on its parent, and its start in native sectors; `rescaled`: the true sector of
/// numbers that were read as 512-byte ones.
fn start_on(device: &Said, rescaled: Option<SectorSize>) -> (Map, Option<Sectors>) {
    let sector = device.sector.or(rescaled).unwrap_or(SectorSize::S512);
    let step = sector.bytes();
    let times = rescaled.map_or(1, |sector| u64::from(sector.get() / 512));
    let start = device.start.map(|start| Number {
        low: start.low.saturating_mul(times),
        high: start.high.saturating_mul(times),
    });
    let Some(start) = start else {
        return match kind_of(device) {
            Kind::Partition => (Map::Opaque("its start is not told".to_owned()), None),
            // That it lies on the device says nothing of where: behind headers and metadata.
            Kind::LvmLv => {
                let why = "its extents are not told (pvs -o +pe_start, lvs, vgcfgbackup)";
                (Map::Opaque(why.to_owned()), None)
            }
            Kind::Crypt => {
                let why = "where its data start is not told (cryptsetup luksDump)";
                (Map::Opaque(why.to_owned()), None)
            }
            Kind::Md => {
                let why = "the data offset of the members is not told (mdadm -E)";
                (Map::Opaque(why.to_owned()), None)
            }
            _ => (Map::Shift { start: Bytes::ZERO }, None),
        };
    };
    if let Some(start) = start.settle(step) {
        let sectors = Sectors::new(start.get() / step.get(), sector);
        return (Map::Shift { start }, sectors);
    }
    let low = start
        .low
        .checked_next_multiple_of(step.get())
        .unwrap_or(start.low);
    let high = start.high - start.high % step.get();
    (
        Map::Within {
            low: Bytes::new(low),
            high: Bytes::new(high.max(low)),
            step,
        },
        None,
    )
}

/// What the texts disagree about.
fn disagree(what: &str, name: &str) -> Remark {
    let why = format!("the texts disagree about the {what} of {name}: the more exact one is taken");
    Remark::new("captures-disagree", Severity::Unknown, why)
}

impl Said {
    /// Whether it speaks of something that lies on a disk.
    pub(super) fn is_part(&self) -> bool {
        self.start.is_some() || self.kind == Some(Kind::Partition)
    }
}
