//! bcache: a backing device behind a cache. sysfs does not show where the data start, but the
//! device is exactly that much shorter than its backing device (`drivers/md/bcache/super.c`:
//! size = backing sectors − data_offset).

use ioalign_core::{Bytes, Kind, Map};

use super::inventory::SysfsBlock;
use super::site::{Built, Site, layer};

/// `bcache make` puts data at 8 KiB by default; less cannot hold the superblock.
const LEAST_OFFSET: Bytes = Bytes::new(8 << 10);
/// No one reserves more in front of the data.
const MOST_OFFSET: Bytes = Bytes::GIB;

pub(super) fn build(site: &Site<'_>, block: &SysfsBlock) -> Built {
    let mut device = layer(Kind::Bcache, block);
    for name in site.inventory.below(&block.name) {
        if let (Some(id), Some(slave)) = (site.layer_of(name), site.inventory.blocks.get(name)) {
            device = device.on(id, edge(site, block, slave));
        }
    }
    Built::new(device)
}

fn edge(site: &Site<'_>, block: &SysfsBlock, slave: &SysfsBlock) -> Map {
    let backing = site
        .root
        .exists(&format!("{}/bcache/cache_mode", slave.dir));
    if !backing && block.slaves.len() > 1 {
        return Map::Opaque("bcache cache device".to_owned());
    }
    let offset = slave.size.checked_sub(block.size);
    match offset.filter(|offset| (LEAST_OFFSET..=MOST_OFFSET).contains(offset)) {
        Some(start) => Map::Shift { start },
        None => Map::Opaque("the start of bcache's data does not follow from the sizes".to_owned()),
    }
}
