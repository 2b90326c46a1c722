//! Device-mapper devices: LVM volumes, dm-crypt, multipath, kpartx partitions.
//!
//! sysfs names a device and its slaves but not where its data lie on them; that is in the table,
//! which root gets by ioctl and a captured tree may hold as `ioalign/dm-table`.

mod combine;
pub(crate) mod follow;
mod ioctl;
mod source;
pub mod table;
mod targets;

use ioalign_core::layer::detail::MappedDevice;
use ioalign_core::{Bytes, GridKind, Kind, Layer, Map, Origin, Remark, Tier, rules};

use super::inventory::SysfsBlock;
use super::site::{Built, Site, layer};
use super::{DevNo, hints, md, partition};
pub use source::DmTables;
pub(super) use source::tables;
use table::Table;
pub use targets::TARGETS;

/// The layer of a dm device.
pub(super) fn build(site: &Site<'_>, block: &SysfsBlock) -> Built {
    let attr = |file: &str| site.root.attr(&format!("{}/dm/{file}", block.dir));
    let (name, uuid) = (
        attr("name").unwrap_or_default(),
        attr("uuid").unwrap_or_default(),
    );
    let table = site.tables.get(&block.name);
    let mut built = Built::new(named(block, &name, &uuid, table));
    match table {
        Some(table) => follow(site, block, table, &mut built),
        None => untold(site, block, &mut built),
    }
    if built.layer.kind == Kind::Partition {
        kpartx(&uuid, site.logical(block), &mut built.layer);
    }
    misaligned(site, block, table, &mut built.layer);
    built
}

fn named(block: &SysfsBlock, name: &str, uuid: &str, table: Option<&Table>) -> Layer {
    let target = table
        .and_then(|table| table.first())
        .map(|s| s.target.as_str());
    let mut found = layer(follow::kind(uuid, target), block);
    if let Some(lvm) = lvm_name(name).filter(|_| uuid.starts_with("LVM-")) {
        found.role = follow::lvm_role(&lvm, uuid);
        found.name = lvm;
    } else if !name.is_empty() {
        name.clone_into(&mut found.name);
    }
    found.facts.insert("dm", block.name.clone());
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    found.mapped = Some(MappedDevice {
        name: known(name),
        uuid: known(uuid),
        target: target.and_then(known),
    });
    found
}

/// `vg-lv` with `--` for a hyphen in a name → `vg/lv`; a suffix such as `-tpool` stays.
pub fn lvm_name(dm_name: &str) -> Option<String> {
    let hyphen = '\u{1}';
    let marked = dm_name.replace("--", "\u{1}");
    let (group, volume) = marked.split_once('-')?;
    let plain = format!("{group}/{volume}").replace(hyphen, "-");
    (!group.is_empty() && !volume.is_empty()).then_some(plain)
}

/// Without a table: the slaves are known, the places are not.
fn untold(site: &Site<'_>, block: &SysfsBlock, built: &mut Built) {
    let why = format!("device-mapper table not readable: {}", site.tables.why);
    for name in site.inventory.below(&block.name) {
        if let Some(id) = site.layer_of(name) {
            built.layer = built.layer.clone().on(id, Map::Opaque(why.clone()));
        }
    }
}

fn follow(site: &Site<'_>, block: &SysfsBlock, table: &Table, built: &mut Built) {
    let granule = |devno: DevNo| follow::pool_chunk(table_of(site, devno)?);
    for (devno, map) in follow::edges(table, &granule) {
        let below = site.inventory.by_devno.get(&devno);
        match below.and_then(|name| site.layer_of(name)) {
            Some(id) => built
                .layer
                .below
                .push(ioalign_core::Edge { below: id, map }),
            None => built.layer.remarks.push(missing(&block.name, devno)),
        }
    }
    follow::describe(table, built);
}

/// A device that a table names and nothing else does.
pub(crate) fn missing(name: &str, devno: DevNo) -> Remark {
    super::site::incomplete(
        rules::DM_DEVICE_MISSING,
        format!("The table of {name} names device {devno}, which is not listed"),
    )
}

/// The table of the device with this number.
fn table_of<'a>(site: &Site<'a>, devno: DevNo) -> Option<&'a Table> {
    site.tables.get(site.inventory.by_devno.get(&devno)?)
}

fn grid(built: &mut Built, size: Option<Bytes>, tier: Tier, kind: GridKind, source: &str) {
    if let Some(size) = size {
        built.grid(size, tier, kind, Origin::OnDisk, source);
    }
}

/// A partition made by kpartx has a start like any other.
fn kpartx(uuid: &str, logical: Option<Bytes>, layer: &mut Layer) {
    if let Some(number) = follow::part_number(uuid) {
        layer.facts.insert("number", number.to_string());
    }
    let start = layer.below.first().and_then(|edge| edge.map.start());
    layer.start_sectors = start.and_then(|start| partition::native(start, logical));
}

/// `alignment_offset` −1 on an LVM RAID: dm-raid reports the region size as an I/O size, and the
/// images start at extents, which need not be multiples of it (lvm2#183).
fn misaligned(site: &Site<'_>, block: &SysfsBlock, table: Option<&Table>, layer: &mut Layer) {
    let offset = site.alignment_offset(block).unwrap_or(0);
    let Some(mut remark) = hints::misaligned_stack(offset) else {
        return;
    };
    if let Some(table) = table {
        let note = follow::region_against_extents(table, &|devno| table_of(site, devno));
        remark.why.push_str(&note);
    }
    layer.remarks.push(remark);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lvm_names_are_unfolded() {
        assert_eq!(lvm_name("vg-lv").as_deref(), Some("vg/lv"));
        assert_eq!(
            lvm_name("my--vg-my--lv-tpool").as_deref(),
            Some("my-vg/my-lv-tpool")
        );
        assert_eq!(lvm_name("plain"), None);
    }
}
