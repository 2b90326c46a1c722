//! What udev wrote down when it probed a device: readable without root, as the device is not.
//!
//! The trees that `lsblk --sysroot` reads have it in the place of the device node (util-linux
//! `misc-utils/lsblk-properties.c`): `dev/sda1` then holds lines such as `ID_FS_TYPE=ext4`, and not bytes.

use ioalign_core::{Layer, Role};

use super::inventory::SysfsBlock;
use super::node_inside;
use super::root::Root;
use crate::tables::role_of_type;

/// Properties that become facts.
const FACTS: &[(&str, &str)] = &[
    ("ID_PART_ENTRY_SCHEME", "table"),
    ("ID_PART_ENTRY_NAME", "label"),
    ("ID_PART_ENTRY_UUID", "partuuid"),
    ("ID_FS_TYPE", "udev-content"),
];

/// Adds what udev knows to a partition's layer.
pub(super) fn describe(root: &Root, block: &SysfsBlock, layer: &mut Layer) {
    let database = block
        .devno
        .and_then(|devno| root.attr(&format!("run/udev/data/b{devno}")))
        .or_else(|| in_place_of(root, &block.name));
    let uevent = root.attr(&format!("{}/uevent", block.dir));
    if let Some(name) = uevent
        .as_deref()
        .and_then(|text| property(text, "PARTNAME="))
    {
        layer.facts.insert("label", name.to_owned());
    }
    let known = |key: &str| property(database.as_deref()?, &format!("E:{key}="));
    for (key, fact) in FACTS {
        if let Some(value) = known(key) {
            layer.facts.insert(fact, value.to_owned());
        }
    }
    if let Some(type_id) = known("ID_PART_ENTRY_TYPE") {
        // A type says more than a size that only looks like that of an extended partition.
        layer.role = role_of_type(type_id).unwrap_or(Role::Data);
        layer.set_partition_type(type_id.to_owned());
    }
}

/// Properties that stand where a copied tree would have the device's bytes, as udev's database writes them.
pub(super) fn in_place_of(root: &Root, device: &str) -> Option<String> {
    if root.is_live() {
        return None;
    }
    let head = root.blob(&node_inside(device), MOST_PROPERTIES)?;
    let text = String::from_utf8(head).ok()?;
    let is_property = |line: &str| {
        let name = line.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            let is_letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            !name.is_empty() && name.chars().all(is_letter)
        })
    };
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    (lines().next().is_some() && lines().all(is_property))
        .then(|| lines().map(|line| format!("E:{line}\n")).collect())
}

/// udev writes some dozens of lines.
const MOST_PROPERTIES: u64 = 64 << 10;

fn property<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(prefix))
        .filter(|value| !value.is_empty())
}
