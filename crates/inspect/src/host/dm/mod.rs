//! Device-mapper devices: LVM volumes, dm-crypt, multipath, kpartx partitions.
//!
//! sysfs names a device and its slaves but not where its data lie on them; that is in the table,
//! which root gets by ioctl and a captured tree may hold as `ioalign/dm-table`.

mod combine;
mod ioctl;
mod source;
pub mod table;
mod targets;

use ioalign_core::{Bytes, Kind, Layer, Map, Origin, Role, Tier};

use super::build::{Built, Site, layer};
use super::inventory::Block;
use super::{DevNo, hints, md, partition};
pub use source::Tables;
pub(super) use source::tables;
use table::{Segment, Table};
use targets::Raid;

/// The layer of a dm device.
pub(super) fn build(site: &Site<'_>, block: &Block) -> Built {
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

fn named(block: &Block, name: &str, uuid: &str, table: Option<&Table>) -> Layer {
    let target = table
        .and_then(|table| table.first())
        .map(|s| s.target.as_str());
    let mut found = layer(kind(uuid, target), block);
    if let Some(lvm) = lvm_name(name).filter(|_| uuid.starts_with("LVM-")) {
        found.role = lvm_role(&lvm, uuid);
        found.name = lvm;
    } else if !name.is_empty() {
        name.clone_into(&mut found.name);
    }
    found.facts.insert("dm", block.name.clone());
    let facts = [
        ("dm-name", name),
        ("dm-uuid", uuid),
        ("target", target.unwrap_or("")),
    ];
    for (key, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        found.facts.insert(key, value.to_owned());
    }
    found
}

fn kind(uuid: &str, target: Option<&str>) -> Kind {
    match target {
        Some("thin-pool") => Kind::ThinPool,
        Some("crypt") => Kind::Crypt,
        _ if uuid.starts_with("LVM-") => Kind::LvmLv,
        _ if uuid.starts_with("CRYPT-") => Kind::Crypt,
        _ if part_number(uuid).is_some() => Kind::Partition,
        _ => Kind::Volume,
    }
}

/// kpartx writes `part1-mpath-…`.
fn part_number(uuid: &str) -> Option<u32> {
    let rest = uuid.strip_prefix("part")?;
    rest.split_once('-')?.0.parse().ok()
}

/// `vg-lv` with `--` for a hyphen in a name → `vg/lv`; a suffix such as `-tpool` stays.
pub fn lvm_name(dm_name: &str) -> Option<String> {
    let hyphen = '\u{1}';
    let marked = dm_name.replace("--", "\u{1}");
    let (group, volume) = marked.split_once('-')?;
    let plain = format!("{group}/{volume}").replace(hyphen, "-");
    (!group.is_empty() && !volume.is_empty()).then_some(plain)
}

/// Volumes that hold LVM's own metadata, or only stand for a pool (`-pool`), carry no data.
fn lvm_role(name: &str, uuid: &str) -> Role {
    const META: [&str; 5] = ["_tmeta", "_cmeta", "_rmeta_", "_pmspare", "_mlog"];
    if uuid.ends_with("-pool") || META.iter().any(|suffix| name.contains(suffix)) {
        Role::Reserved
    } else {
        Role::Data
    }
}

/// Without a table: the slaves are known, the places are not.
fn untold(site: &Site<'_>, block: &Block, built: &mut Built) {
    let why = format!("device-mapper table not readable: {}", site.tables.why);
    for name in site.inventory.below(&block.name) {
        if let Some(id) = site.layer_of(name) {
            built.layer = built.layer.clone().on(id, Map::Opaque(why.clone()));
        }
    }
}

fn follow(site: &Site<'_>, block: &Block, table: &Table, built: &mut Built) {
    let granule = |devno: DevNo| pool_block(site, devno);
    let parts: Vec<_> = table
        .iter()
        .map(|segment| (segment, targets::pieces(segment, &granule)))
        .collect();
    for (devno, map) in combine::edges(&parts) {
        let below = site.inventory.by_devno.get(&devno);
        match below.and_then(|name| site.layer_of(name)) {
            Some(id) => built
                .layer
                .below
                .push(ioalign_core::Edge { below: id, map }),
            None => built.layer.remarks.push(super::build::incomplete(
                "dm-device-missing",
                format!(
                    "The table of {} names device {devno}, which is not listed",
                    block.name
                ),
            )),
        }
    }
    if let [segment] = table.as_slice() {
        describe(segment, built);
    }
}

/// The chunk of the pool that a thin volume names; a linear layer on a pool passes it on.
fn pool_block(site: &Site<'_>, pool: DevNo) -> Option<Bytes> {
    let name = site.inventory.by_devno.get(&pool)?;
    let segment = site.tables.get(name)?.first()?;
    (segment.target == "thin-pool")
        .then(|| segment.bytes(2))?
        .filter(|b| !b.is_zero())
}

/// Grids and facts of a device that is one target.
fn describe(segment: &Segment, built: &mut Built) {
    let preference = Tier::Preference;
    match segment.target.as_str() {
        "crypt" => crypt(segment, built),
        "thin-pool" => {
            built.layer.block = segment.bytes(2);
            grid(
                built,
                segment.bytes(2),
                preference,
                "thin-chunk",
                "thin-pool table",
            );
        }
        "cache" => grid(
            built,
            segment.bytes(3),
            preference,
            "cache-chunk",
            "cache table",
        ),
        "snapshot" => grid(
            built,
            segment.bytes(3),
            preference,
            "snapshot-chunk",
            "snapshot table",
        ),
        "striped" => striped(segment, built),
        "raid" => {
            if let Some(raid) = targets::raid(segment) {
                array(&raid, built);
            }
        }
        _ => {}
    }
}

fn grid(built: &mut Built, size: Option<Bytes>, tier: Tier, kind: &str, source: &str) {
    if let Some(size) = size {
        built.grid(size, tier, kind, Origin::OnDisk, source);
    }
}

/// `sector_size:4096` makes the device's sector 4096 and its length a multiple of that.
fn crypt(segment: &Segment, built: &mut Built) {
    if let Some(cipher) = segment.word(0) {
        built.layer.facts.insert("cipher", cipher.to_owned());
    }
    let sector = segment
        .args
        .iter()
        .find_map(|word| word.strip_prefix("sector_size:"));
    let sector = sector.and_then(|bytes| bytes.parse().ok()).unwrap_or(512);
    let sector = Bytes::new(sector);
    built.layer.size_unit = Some(sector);
    if sector.get() > 512 {
        built.layer.logical_sector = Some(sector);
        grid(
            built,
            Some(sector),
            Tier::Validity,
            "logical-sector",
            "crypt table: sector_size",
        );
    }
}

fn striped(segment: &Segment, built: &mut Built) {
    let (chunk, count) = (segment.bytes(1), segment.count(0).unwrap_or(0));
    if count > 1 {
        grid(
            built,
            chunk,
            Tier::Preference,
            "raid-chunk",
            "striped table",
        );
        let width = chunk.and_then(|chunk| chunk.checked_mul(count as u64));
        grid(
            built,
            width,
            Tier::Preference,
            "full-stripe",
            "striped table",
        );
    }
}

fn array(raid: &Raid, built: &mut Built) {
    let page = Bytes::new(md::STRIPE_PAGE);
    md::raid_grids(built, &raid.geometry, raid.chunk, page, "raid table");
    if let Some(region) = raid.region {
        built
            .layer
            .facts
            .insert("region-size", region.get().to_string());
    }
}

/// A partition made by kpartx has a start like any other.
fn kpartx(uuid: &str, logical: Option<Bytes>, layer: &mut Layer) {
    if let Some(number) = part_number(uuid) {
        layer.facts.insert("number", number.to_string());
    }
    let start = layer.below.first().and_then(|edge| edge.map.start());
    layer.start_sectors = start.and_then(|start| partition::native(start, logical));
}

/// `alignment_offset` −1 on an LVM RAID: dm-raid reports the region size as an I/O size, and the
/// images start at extents, which need not be multiples of it (lvm2#183).
fn misaligned(site: &Site<'_>, block: &Block, table: Option<&Table>, layer: &mut Layer) {
    let offset = site.alignment_offset(block).unwrap_or(0);
    let Some(mut remark) = hints::misaligned_stack(offset) else {
        return;
    };
    let raid = table.and_then(|table| targets::raid(table.first()?));
    if let Some(raid) = raid
        && let Some(region) = raid.region.filter(|region| !region.is_zero())
    {
        remark
            .why
            .push_str(&region_against_extents(site, &raid, region));
    }
    layer.remarks.push(remark);
}

fn region_against_extents(site: &Site<'_>, raid: &Raid, region: Bytes) -> String {
    let start_of = |devno: &DevNo| {
        let name = site.inventory.by_devno.get(devno)?;
        let segment = site.tables.get(name)?.first()?;
        (segment.target == "linear").then(|| segment.bytes(1))?
    };
    let starts: Vec<Bytes> = raid.images.iter().flatten().filter_map(start_of).collect();
    match starts.iter().find(|start| !start.is_multiple_of(region)) {
        Some(start) => format!(
            "; the RAID region is {region}, but an image starts at {start} of its physical volume \
             (remainder {})",
            Bytes::new(start.get() % region.get())
        ),
        None => format!("; the RAID region is {region}"),
    }
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

    #[test]
    fn kinds_by_uuid_and_target() {
        assert_eq!(kind("LVM-abc", Some("linear")), Kind::LvmLv);
        assert_eq!(kind("LVM-abc-tpool", Some("thin-pool")), Kind::ThinPool);
        assert_eq!(kind("CRYPT-LUKS2-abc", None), Kind::Crypt);
        assert_eq!(kind("part2-mpath-3600", Some("linear")), Kind::Partition);
        assert_eq!(kind("mpath-3600", Some("multipath")), Kind::Volume);
        assert_eq!(kind("partial", None), Kind::Volume);
    }
}
