//! Turns the inventory into layers, bottom first, and keeps the table from names to layers.

use std::collections::BTreeMap;

use ioalign_core::atomic_write::AtomicLimits;
use ioalign_core::discard::DiscardLimits;
use ioalign_core::{Grid, GridKind, Layer, LayerId, Origin, Stack, Tier, rules};

use super::dm::DmTables;
use super::inventory::{Inventory, SysfsBlock};
use super::named::aliases;
use super::root::{NoBytes, Root};
use super::site::{Built, Site, UNPLACED};
use super::{Device, Host, HostMachine, Mount, Swap, Unread, What, node_inside};
use super::{bcache, discard, disk, dm, hints, md, mixed, partition, udev};

/// The parts of a host that need no stack.
pub(super) struct Rest {
    pub(super) mounts: Vec<Mount>,
    pub(super) swaps: Vec<Swap>,
    pub(super) unread: Vec<Unread>,
    pub(super) machine: HostMachine,
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
    if block.what != What::Partition {
        layer.atomic = atomic_limits(site.root, block);
    }
    let keeps = layer.discard.is_some_and(|limits| limits.keeps);
    layer.discard = discard::limits(site, block).map(|limits| DiscardLimits { keeps, ..limits });
    if matches!(block.what, What::Md | What::Dm | What::Bcache) {
        stacked(site, block, layer);
    }
    built
}

/// What the queue says of atomic writes; `None` before Linux 6.11, and where a capture left it out.
fn atomic_limits(root: &Root, block: &SysfsBlock) -> Option<AtomicLimits> {
    let queue = |name: &str| root.number(&format!("{}/queue/atomic_write_{name}_bytes", block.dir));
    Some(AtomicLimits {
        unit_min: queue("unit_min")?,
        unit_max: queue("unit_max")?,
        max: queue("max").unwrap_or(0),
        boundary: queue("boundary").unwrap_or(0),
    })
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
        text.map(|_| NoBytes::NotCopied)
    });
    if let Some(why) = &unreadable {
        unread.push(Unread {
            what: format!("/{inside}"),
            why: why.to_string(),
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
