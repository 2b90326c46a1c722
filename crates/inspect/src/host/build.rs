//! Turns the inventory into layers, bottom first, and keeps the table from names to layers.

use std::collections::BTreeMap;

use ioalign_core::{
    Bytes, Confidence, Grid, GridKind, Kind, Layer, LayerId, Origin, Remark, Stack, Tier, rules,
};

use super::dm::DmTables;
use super::inventory::{Inventory, SysfsBlock};
use super::root::{NO_COPY, Root};
use super::{Device, Host, HostMachine, Mount, Swap, Unread, What, node_inside};
use super::{bcache, disk, dm, hints, md, mixed, partition, udev};
use crate::error::{Error, ErrorKind, Result};

/// What a builder may use: the tree, the inventory, and the layers built so far.
pub(super) struct Site<'a> {
    pub(super) root: &'a Root,
    pub(super) inventory: &'a Inventory,
    pub(super) tables: &'a DmTables,
    pub(super) stack: &'a Stack,
    pub(super) ids: &'a BTreeMap<String, LayerId>,
}

/// A layer, with the grids that will lie in it once it has an id, and what could not be read.
pub(crate) struct Built {
    pub(crate) layer: Layer,
    pub(crate) grids: Vec<Grid>,
    pub(super) unread: Vec<Unread>,
}

/// The layer before it has an id; [`host`] puts the right one into every grid.
pub(super) const UNPLACED: LayerId = LayerId(0);

/// The parts of a host that need no stack.
pub(super) struct Rest {
    pub(super) mounts: Vec<Mount>,
    pub(super) swaps: Vec<Swap>,
    pub(super) unread: Vec<Unread>,
    pub(super) machine: HostMachine,
}

impl Site<'_> {
    /// The layer of a device that was built before.
    pub(super) fn layer_of(&self, name: &str) -> Option<LayerId> {
        self.ids.get(name).copied()
    }

    /// The logical sector that the kernel gives for a device; partitions have their disk's.
    pub(super) fn logical(&self, block: &SysfsBlock) -> Option<Bytes> {
        let disk = block
            .parent
            .as_deref()
            .and_then(|p| self.inventory.blocks.get(p));
        let dir = &disk.unwrap_or(block).dir;
        let bytes = self
            .root
            .number(&format!("{dir}/queue/logical_block_size"))?;
        (bytes != 0).then_some(Bytes::new(bytes))
    }

    /// `alignment_offset` of a device, where the kernel gives one.
    pub(super) fn alignment_offset(&self, block: &SysfsBlock) -> Option<i64> {
        self.root.signed(&format!("{}/alignment_offset", block.dir))
    }
}

impl Built {
    pub(crate) fn new(layer: Layer) -> Self {
        Self {
            layer,
            grids: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Adds a trusted grid with phase 0 in this layer.
    pub(super) fn grid(
        &mut self,
        size: Bytes,
        tier: Tier,
        kind: GridKind,
        origin: Origin,
        source: &str,
    ) {
        let grid = Grid::new(UNPLACED, size, Bytes::ZERO, tier, kind);
        let grid = grid.map(|grid| grid.from(origin, source, Confidence::High));
        self.grids.extend(grid);
    }
}

/// The whole host.
pub(super) fn host(root: &Root, inventory: Inventory, tables: &DmTables, rest: Rest) -> Host {
    let (order, circle) = inventory.order();
    let (mut stack, mut ids, mut devices) = (Stack::new(), BTreeMap::new(), Vec::new());
    let mut unread = rest.unread;
    for name in &order {
        let Some(block) = inventory.blocks.get(name) else {
            continue;
        };
        let site = Site {
            root,
            inventory: &inventory,
            tables,
            stack: &stack,
            ids: &ids,
        };
        let mut built = build(&site, block);
        raised_sector(&site, block, &mut built);
        unread.append(&mut built.unread);
        let device = device(&site, block, &mut unread);
        let id = stack.push(built.layer);
        stack.grids.extend(
            built
                .grids
                .into_iter()
                .map(|grid| Grid { layer: id, ..grid }),
        );
        ids.insert(name.clone(), id);
        devices.push(Device {
            layer: id,
            ..device
        });
    }
    unread.extend(circle.iter().map(|name| in_circle(name)));
    mark_held(&stack, &mut devices);
    Host {
        stack,
        devices,
        mounts: rest.mounts,
        swaps: rest.swaps,
        unread,
        skipped: inventory.skipped,
        machine: rest.machine,
    }
}

fn build(site: &Site<'_>, block: &SysfsBlock) -> Built {
    let mut built = match block.what {
        What::Disk | What::Loop => disk::build(site, block),
        What::Partition => partition::build(site, block),
        What::Md => md::build(site, block),
        What::Dm => dm::build(site, block),
        What::Bcache => bcache::build(site, block),
    };
    let layer = &mut built.layer;
    layer.size = layer
        .size
        .or(Some(block.size))
        .filter(|size| !size.is_zero());
    layer.logical_sector = layer.logical_sector.or_else(|| site.logical(block));
    layer.device_number = block.devno;
    if matches!(block.what, What::Md | What::Dm | What::Bcache) {
        stacked(site, block, layer);
    }
    built
}

/// What the kernel says about a device that is made of others.
fn stacked(site: &Site<'_>, block: &SysfsBlock, layer: &mut Layer) {
    let offset = site.alignment_offset(block).unwrap_or(0);
    if offset < 0
        && !layer
            .remarks
            .iter()
            .any(|r| r.rule == rules::KERNEL_MISALIGNED_STACK)
    {
        layer.remarks.extend(hints::misaligned_stack(offset));
    }
    layer.remarks.extend(mixed::remark(site, block));
}

/// A device whose sector is larger than that of all below (crypt with 4096, VDO) has a validity
/// grid of its own; elsewhere the disk's grid says it all.
fn raised_sector(site: &Site<'_>, block: &SysfsBlock, built: &mut Built) {
    let Some(sector) = built
        .layer
        .logical_sector
        .filter(|_| !built.layer.below.is_empty())
    else {
        return;
    };
    let below = built.layer.below.iter();
    let largest = below
        .filter_map(|edge| site.stack.layer(edge.below).logical_sector)
        .max();
    let has = built
        .grids
        .iter()
        .any(|grid| grid.kind == GridKind::LogicalSector);
    if !has && block.what != What::Partition && largest.is_some_and(|below| sector > below) {
        let source = "sysfs logical_block_size";
        built.grid(
            sector,
            Tier::Validity,
            GridKind::LogicalSector,
            Origin::Reported,
            source,
        );
    }
}

fn device(site: &Site<'_>, block: &SysfsBlock, unread: &mut Vec<Unread>) -> Device {
    let inside = node_inside(&block.name);
    let unreadable = site.root.readable(&inside).err().or_else(|| {
        let text = udev::in_place_of(site.root, &block.name);
        text.map(|_| NO_COPY.to_owned())
    });
    if let Some(why) = &unreadable {
        unread.push(Unread {
            what: format!("/{inside}"),
            why: why.clone(),
            unknown: format!(
                "partition table, volume superblocks, file system and database on {}",
                block.name
            ),
            device: Some(block.name.clone()),
        });
    }
    Device {
        layer: UNPLACED,
        name: block.name.clone(),
        aliases: aliases(site.root, block),
        node: site.root.path_of(&inside),
        devno: block.devno,
        what: block.what,
        unreadable,
        held: false,
    }
}

/// Other names: `mapper/vg-lv` and `vg/lv` for dm.
fn aliases(root: &Root, block: &SysfsBlock) -> Vec<String> {
    if block.what != What::Dm {
        return Vec::new();
    }
    let Some(name) = root.attr(&format!("{}/dm/name", block.dir)) else {
        return Vec::new();
    };
    let mut names = vec![format!("mapper/{name}")];
    let lvm = root.attr(&format!("{}/dm/uuid", block.dir));
    if lvm.is_some_and(|uuid| uuid.starts_with("LVM-")) {
        names.extend(dm::lvm_name(&name));
    }
    names.push(name);
    names
}

fn in_circle(name: &str) -> Unread {
    Unread {
        what: format!("sys/block/{name}"),
        why: "its slaves lead back to itself".to_owned(),
        unknown: format!("the place of {name} in the stack"),
        device: None,
    }
}

fn mark_held(stack: &Stack, devices: &mut [Device]) {
    let held: std::collections::BTreeSet<LayerId> = stack
        .layers()
        .flat_map(|(_, layer)| layer.below.iter().map(|edge| edge.below))
        .collect();
    for device in devices {
        device.held = held.contains(&device.layer);
    }
}

/// The kernel names of what a user typed: `sda`, `/dev/sda1`, `/dev/mapper/vg-lv`, `vg/lv`.
pub(super) fn resolve(root: &Root, inventory: &Inventory, only: &[String]) -> Result<Vec<String>> {
    only.iter()
        .map(|typed| resolve_one(root, inventory, typed))
        .collect()
}

fn resolve_one(root: &Root, inventory: &Inventory, typed: &str) -> Result<String> {
    let name = typed.strip_prefix("/dev/").unwrap_or(typed);
    let kernel = name.replace('/', "!");
    if inventory.blocks.contains_key(&kernel) {
        return Ok(kernel);
    }
    let by_alias = inventory
        .blocks
        .values()
        .find(|block| aliases(root, block).iter().any(|alias| alias == name));
    if let Some(block) = by_alias {
        return Ok(block.name.clone());
    }
    // /dev/disk/by-id/…, /dev/md/home: udev's links end in the kernel's name.
    let linked = root.link_name(&format!("dev/{name}"));
    if let Some(linked) = linked.filter(|linked| inventory.blocks.contains_key(linked)) {
        return Ok(linked);
    }
    let left_out = inventory
        .skipped
        .iter()
        .find(|(skipped, _)| *skipped == kernel);
    let why = left_out.map_or("There is no such block device", |(_, why)| *why);
    Err(Error::new(ErrorKind::NotFound, format!("{typed}: {why}")))
}

/// A remark that a part of the device's description is missing.
pub(super) fn incomplete(rule: &'static str, why: String) -> Remark {
    Remark::note(rule, why)
}

/// A layer of `block` named as users call it.
pub(super) fn layer(kind: Kind, block: &SysfsBlock) -> Layer {
    Layer::new(kind, block.name.replace('!', "/")).sized(block.size)
}
