//! The facts of a table alone about a device: a host's and a pasted one are followed the same way.

use ioalign_core::discard::DiscardLimits;
use ioalign_core::{Bytes, GridKind, Kind, Map, Role, Tier};

use super::table::{DmSegment, Table};
use super::targets::{self, Raid};
use super::{combine, grid, md};
use crate::host::DevNo;
use crate::host::site::Built;

/// The place of a device: an edge a device below. `granule` answers for the pool of a thin volume.
pub(crate) fn edges(table: &Table, granule: &dyn Fn(DevNo) -> Option<Bytes>) -> Vec<(DevNo, Map)> {
    let parts: Vec<_> = table
        .iter()
        .map(|segment| (segment, targets::pieces(segment, granule)))
        .collect();
    combine::edges(&parts)
}

/// Every device that a table names.
pub(crate) fn devices(table: &Table) -> impl Iterator<Item = DevNo> {
    table.iter().flat_map(DmSegment::devices)
}

/// The chunk of a pool, where the table is one.
pub(crate) fn pool_chunk(table: &Table) -> Option<Bytes> {
    let segment = table.first()?;
    (segment.target == "thin-pool")
        .then(|| segment.bytes(2))?
        .filter(|chunk| !chunk.is_zero())
}

/// The kind of a device, by its UUID and its first target.
pub(crate) fn kind(uuid: &str, target: Option<&str>) -> Kind {
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
pub(super) fn part_number(uuid: &str) -> Option<u32> {
    let rest = uuid.strip_prefix("part")?;
    rest.split_once('-')?.0.parse().ok()
}

/// Volumes that hold LVM's own metadata, or only stand for a pool (`-pool`), carry no data.
pub(crate) fn lvm_role(name: &str, uuid: &str) -> Role {
    const META: [&str; 5] = ["_tmeta", "_cmeta", "_rmeta_", "_pmspare", "_mlog"];
    if uuid.ends_with("-pool") || META.iter().any(|suffix| name.contains(suffix)) {
        Role::Reserved
    } else {
        Role::Data
    }
}

/// Adds the grids and facts of a device that is one target.
pub(crate) fn describe(table: &Table, built: &mut Built) {
    let [segment] = table.as_slice() else { return };
    let chunk = |index: usize| segment.bytes(index);
    match segment.target.as_str() {
        "crypt" => crypt(segment, built),
        "thin-pool" => {
            built.layer.block = chunk(2);
            let kept = ["ignore_discard", "no_discard_passdown"];
            let keeps = segment
                .args
                .iter()
                .any(|word| kept.contains(&word.as_str()));
            built.layer.discard = keeps.then(|| DiscardLimits {
                keeps,
                ..DiscardLimits::default()
            });
            preferred(built, chunk(2), GridKind::ThinChunk, "thin-pool table");
        }
        "cache" => preferred(built, chunk(3), GridKind::CacheChunk, "cache table"),
        "snapshot" => preferred(built, chunk(3), GridKind::SnapshotChunk, "snapshot table"),
        "striped" => striped(segment, built),
        "raid" => {
            if let Some(raid) = targets::raid(segment) {
                array(&raid, built);
            }
        }
        _ => {}
    }
}

fn preferred(built: &mut Built, size: Option<Bytes>, kind: GridKind, source: &str) {
    grid(built, size, Tier::Preference, kind, source);
}

/// `sector_size:4096` makes the device's sector 4096 and its length a multiple of that.
fn crypt(segment: &DmSegment, built: &mut Built) {
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
        let source = "crypt table: sector_size";
        grid(
            built,
            Some(sector),
            Tier::Validity,
            GridKind::LogicalSector,
            source,
        );
    }
}

fn striped(segment: &DmSegment, built: &mut Built) {
    let (chunk, count) = (segment.bytes(1), segment.count(0).unwrap_or(0));
    if count > 1 {
        preferred(built, chunk, GridKind::RaidChunk, "striped table");
        let width = chunk.and_then(|chunk| chunk.checked_mul(count as u64));
        preferred(built, width, GridKind::FullStripe, "striped table");
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

/// Why the kernel calls an LVM RAID misaligned: dm-raid reports the region size as an I/O size, and
/// the images start at extents, which need not be multiples of it (lvm2#183). Empty where the table
/// is no RAID. `table_of` gives the tables of the images.
pub(crate) fn region_against_extents<'a>(
    table: &Table,
    table_of: &dyn Fn(DevNo) -> Option<&'a Table>,
) -> String {
    let raid = table.first().and_then(targets::raid);
    let Some((raid, region)) = raid.and_then(|raid| {
        let region = raid.region.filter(|region| !region.is_zero())?;
        Some((raid, region))
    }) else {
        return String::new();
    };
    let start_of = |devno: &DevNo| {
        let segment = table_of(*devno)?.first()?;
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
    fn kinds_by_uuid_and_target() {
        assert_eq!(kind("LVM-abc", Some("linear")), Kind::LvmLv);
        assert_eq!(kind("LVM-abc-tpool", Some("thin-pool")), Kind::ThinPool);
        assert_eq!(kind("CRYPT-LUKS2-abc", None), Kind::Crypt);
        assert_eq!(kind("part2-mpath-3600", Some("linear")), Kind::Partition);
        assert_eq!(kind("mpath-3600", Some("multipath")), Kind::Volume);
        assert_eq!(kind("partial", None), Kind::Volume);
    }
}
