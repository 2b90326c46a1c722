//! Disks and arrays with what bears on a measurement: blocks, scheduler, write cache, RAID.

use std::collections::BTreeSet;

use ioalign_core::Bytes;
use ioalign_core::machine::MachineDisk;

use crate::host::What;
use crate::host::inventory::{Inventory, SysfsBlock};
use crate::host::root::Root;

/// More disks than this are no summary.
const MOST: usize = 256;

/// Those among `below`, or all real ones where that is empty.
pub(super) fn list(
    root: &Root,
    inventory: &Inventory,
    below: &BTreeSet<String>,
) -> Vec<MachineDisk> {
    let wanted = |block: &&SysfsBlock| match block.what {
        What::Disk | What::Md => below.is_empty() || below.contains(&block.name),
        What::Loop => below.contains(&block.name),
        What::Partition | What::Dm | What::Bcache => false,
    };
    let blocks = inventory.blocks.values().filter(wanted).take(MOST);
    blocks.map(|block| disk(root, inventory, block)).collect()
}

fn disk(root: &Root, inventory: &Inventory, block: &SysfsBlock) -> MachineDisk {
    let attr = |name: &str| root.attr(&format!("{}/{name}", block.dir));
    let number = |name: &str| root.number(&format!("{}/queue/{name}", block.dir));
    MachineDisk {
        name: block.name.replace('!', "/"),
        model: model(root, block),
        size_bytes: Some(block.size.get()),
        logical_bytes: number("logical_block_size"),
        physical_bytes: number("physical_block_size"),
        rotational: number("rotational").map(|flag| flag != 0),
        scheduler: attr("queue/scheduler").map_or_else(String::new, |text| chosen(&text)),
        write_cache: attr("queue/write_cache").unwrap_or_default(),
        raid: raid(root, inventory, block),
    }
}

/// Vendor and model; of a loop device its file.
fn model(root: &Root, block: &SysfsBlock) -> String {
    let attr = |name: &str| root.attr(&format!("{}/{name}", block.dir));
    if let Some(file) = attr("loop/backing_file") {
        return format!("file {file}");
    }
    // libata puts itself in the vendor's place.
    let vendor =
        attr("device/vendor").filter(|vendor| vendor != "ATA" && !vendor.starts_with("0x"));
    let model = attr("device/model").or_else(|| attr("device/name"));
    let parts = vendor.into_iter().chain(model);
    parts.collect::<Vec<_>>().join(" ")
}

/// `mq-deadline` of `none [mq-deadline] kyber`.
fn chosen(text: &str) -> String {
    let inside = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(name, _)| name).to_owned()
}

/// `raid5 of sdb1, sdc1, sdd1, 64 KiB chunks`; of a controller's volume the level that its driver says.
fn raid(root: &Root, inventory: &Inventory, block: &SysfsBlock) -> String {
    let attr = |name: &str| root.attr(&format!("{}/{name}", block.dir));
    if block.what != What::Md {
        return attr("device/raid_level").unwrap_or_default();
    }
    let level = attr("md/level").unwrap_or_else(|| "md".to_owned());
    let members = inventory.below(&block.name).join(", ");
    let chunk = root
        .number(&format!("{}/md/chunk_size", block.dir))
        .filter(|chunk| *chunk > 0)
        .map(|chunk| format!(", {} chunks", Bytes::new(chunk)));
    format!("{level} of {members}{}", chunk.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_brackets_is_the_one() {
        assert_eq!(chosen("none [mq-deadline] kyber"), "mq-deadline");
        assert_eq!(chosen("[none]"), "none");
        assert_eq!(chosen("none"), "none");
    }
}
