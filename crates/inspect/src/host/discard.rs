//! What the queue of a block device says of discards.

use ioalign_core::discard::DiscardLimits;

use super::What;
use super::inventory::SysfsBlock;
use super::root::Root;
use super::site::Site;

/// The limits of a device; for a partition those of its disk, with the first boundary in the partition as the kernel
/// computes it. `None`: a capture left them out, or the kernel's place of the boundary is not to be used.
pub(super) fn limits(site: &Site<'_>, block: &SysfsBlock) -> Option<DiscardLimits> {
    let disk = match block.what {
        What::Partition => site.inventory.blocks.get(block.parent.as_deref()?)?,
        _ => block,
    };
    let limits = of_queue(site.root, disk)?;
    let alignment = match (behind(site.root, disk), block.what) {
        (None, _) => site
            .root
            .number(&format!("{}/discard_alignment", block.dir)),
        // The kernel takes byte 0 of the loop device for a boundary.
        (Some(_), What::Partition) => return None,
        (Some(offset), _) => Some(offset.wrapping_neg() % limits.granularity.max(1)),
    };
    // The kernel gives 0 for every partition of a disk without discards.
    let unknown = alignment.is_none() && block.what == What::Partition;
    let alignment = alignment.unwrap_or(0);
    (!unknown).then_some(DiscardLimits {
        alignment,
        ..limits
    })
}

fn of_queue(root: &Root, disk: &SysfsBlock) -> Option<DiscardLimits> {
    let queue = |name: &str| root.number(&format!("{}/queue/discard_{name}", disk.dir));
    Some(DiscardLimits {
        granularity: queue("granularity")?,
        max: queue("max_bytes"),
        ..DiscardLimits::default()
    })
}

/// Where a loop device begins in its file, if that is not its start.
fn behind(root: &Root, disk: &SysfsBlock) -> Option<u64> {
    let offset = root.number(&format!("{}/loop/offset", disk.dir))?;
    (offset != 0 && disk.what == What::Loop).then_some(offset)
}
