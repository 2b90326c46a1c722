//! Partitions as the kernel knows them. sysfs counts their start and size in 512-byte units even
//! on disks with 4096-byte sectors.

use ioalign_core::{Bytes, Kind, Map, Remark, Role, SectorSize, Sectors, rules};

use super::inventory::SysfsBlock;
use super::site::{Built, Site, layer};
use super::udev;

pub(super) fn build(site: &Site<'_>, block: &SysfsBlock) -> Built {
    let attr = |name: &str| site.root.number(&format!("{}/{name}", block.dir));
    let start = attr("start").and_then(|units| SectorSize::S512.checked_bytes(units));
    let mut partition = layer(Kind::Partition, block);
    partition.logical_sector = site.logical(block);
    partition.role = role(site, block, partition.logical_sector);
    partition
        .facts
        .extend(attr("partition").map(|n| ("number", n.to_string())));
    udev::describe(site.root, block, &mut partition);
    if let Some(start) = start {
        partition.start_sectors = native(start, partition.logical_sector);
        partition.remarks = kernel_offset(site, block, start);
    }
    if !partition.role.carries_data() {
        partition
            .remarks
            .retain(|remark| remark.rule != rules::MKFS_XFS_REFUSES);
    }
    let disk = block.parent.as_deref().and_then(|name| site.layer_of(name));
    if let Some(disk) = disk {
        let map = start.map_or_else(
            || Map::Opaque("sysfs has no start for this partition".to_owned()),
            |start| Map::Shift { start },
        );
        partition = partition.on(disk, map);
    }
    Built::new(partition)
}

/// The start in the sectors that the table counts in; in 512-byte ones where it does not divide.
pub(super) fn native(start: Bytes, logical: Option<Bytes>) -> Option<Sectors> {
    let size = logical
        .and_then(|bytes| SectorSize::new(u32::try_from(bytes.get()).ok()?))
        .filter(|size| start.is_multiple_of(size.bytes()))
        .unwrap_or(SectorSize::S512);
    Sectors::new(start.get() / u64::from(size.get()), size)
}

/// The kernel shows an extended partition as 1 KiB (`block/partitions/msdos.c`: room for LILO),
/// or one sector where sectors are larger. A GPT may have a partition of one sector of 4096 bytes, so
/// there the number must be one of the first four, and there must be a logical partition.
fn role(site: &Site<'_>, block: &SysfsBlock, logical: Option<Bytes>) -> Role {
    let shown = logical.map_or(1024, |sector| sector.get().max(1024));
    let number = |block: &SysfsBlock| site.root.number(&format!("{}/partition", block.dir));
    let has_logical = || {
        let mut others = site.inventory.blocks.values();
        others.any(|other| {
            other.parent == block.parent && other.parent.is_some() && number(other) == Some(5)
        })
    };
    let may_be = || shown == 1024 || (number(block).is_some_and(|n| n <= 4) && has_logical());
    if block.size.get() == shown && may_be() {
        Role::Extended
    } else {
        Role::Data
    }
}

/// Compares the kernel's `alignment_offset` with the formula of `block/blk-settings.c`
/// (`queue_limit_alignment_offset`): only physical block and minimum I/O size count there.
fn kernel_offset(site: &Site<'_>, block: &SysfsBlock, start: Bytes) -> Vec<Remark> {
    let Some(kernel) = site.alignment_offset(block) else {
        return Vec::new();
    };
    let Some(disk) = block
        .parent
        .as_deref()
        .and_then(|name| site.inventory.blocks.get(name))
    else {
        return Vec::new();
    };
    let queue = |name: &str| site.root.number(&format!("{}/queue/{name}", disk.dir));
    let granularity = queue("physical_block_size")
        .max(queue("minimum_io_size"))
        .unwrap_or(0);
    let disk_offset = site.alignment_offset(disk).unwrap_or(0);
    let mut remarks = Vec::new();
    if kernel < 0 {
        // The disk's own layer carries the remark when the disk says so.
        remarks.extend(super::hints::misaligned_stack(kernel).filter(|_| disk_offset >= 0));
        return remarks;
    }
    if let Some(ours) = expected_offset(start.get(), granularity, disk_offset)
        && u64::try_from(kernel) != Ok(ours)
    {
        remarks.push(differs(kernel, ours, start, granularity));
    }
    if kernel > 0 {
        remarks.push(xfs_refuses(kernel));
    }
    remarks
}

/// Bytes from `start` to the next natural boundary of the device.
pub(super) fn expected_offset(start: u64, granularity: u64, disk_offset: i64) -> Option<u64> {
    let disk_offset = u64::try_from(disk_offset).ok()?;
    let past = start.checked_rem(granularity)?;
    let offset = disk_offset.checked_rem(granularity)?;
    Some((granularity - past + offset) % granularity)
}

fn differs(kernel: i64, ours: u64, start: Bytes, granularity: u64) -> Remark {
    Remark::note(
        rules::KERNEL_ALIGNMENT_DIFFERS,
        format!(
            "The kernel gives alignment_offset {kernel}; start {} on a {granularity}-byte \
             granularity gives {ours}",
            start.get()
        ),
    )
}

/// xfsprogs `mkfs/xfs_mkfs.c`: "device is not properly aligned", exit 1.
fn xfs_refuses(kernel: i64) -> Remark {
    Remark::note(
        rules::MKFS_XFS_REFUSES,
        format!(
            "The kernel gives alignment_offset {kernel}, the bytes to the next boundary: mkfs.xfs \
             refuses this partition without -f (\"device is not properly aligned\")"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::expected_offset;

    #[test]
    fn the_kernels_formula() {
        assert_eq!(expected_offset(63 * 512, 4096, 0), Some(512));
        assert_eq!(expected_offset(63 * 512, 4096, 3584), Some(0), "jumpered");
        assert_eq!(expected_offset(2048 * 512, 4096, 3584), Some(3584));
        assert_eq!(expected_offset(34 * 512, 4096, 0), Some(3072));
        assert_eq!(expected_offset(2048, 0, 0), None);
        assert_eq!(expected_offset(2048, 4096, -1), None);
        assert_eq!(expected_offset(u64::MAX, 4096, i64::MAX), Some(0));
    }
}
