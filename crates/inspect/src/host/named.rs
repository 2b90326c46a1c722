//! Devices by the names that users type.

use super::What;
use super::dm;
use super::inventory::{Inventory, SysfsBlock};
use super::root::Root;
use crate::error::{Error, ErrorKind, Result};

/// Other names: `mapper/vg-lv` and `vg/lv` for dm.
pub(super) fn aliases(root: &Root, block: &SysfsBlock) -> Vec<String> {
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
