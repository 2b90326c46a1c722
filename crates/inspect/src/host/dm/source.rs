//! Where the tables come from: one ioctl a device on the live machine, one text in a captured tree.

use std::collections::BTreeMap;

use super::ioctl;
use super::table::{self, DmSegment, Table};
use crate::host::inventory::{Inventory, SysfsBlock};
use crate::host::root::Root;
use crate::host::{Unread, What, reason};

/// Where the tables are asked for on a live machine, and where a captured tree has them.
const CONTROL: &str = "dev/mapper/control";
const TABLES: &str = "ioalign/dm-table";

/// The tables that could be read, by kernel name, and why the others could not.
#[derive(Debug, Default)]
pub struct DmTables {
    by_name: BTreeMap<String, Table>,
    pub(super) why: String,
}

impl DmTables {
    pub(super) fn get(&self, name: &str) -> Option<&Table> {
        self.by_name.get(name).filter(|table| !table.is_empty())
    }
}

/// Reads the tables of all dm devices and adds the devices that they name to the inventory.
pub(in crate::host) fn tables(
    root: &Root,
    inventory: &mut Inventory,
    unread: &mut Vec<Unread>,
) -> DmTables {
    let devices: Vec<SysfsBlock> = inventory
        .blocks
        .values()
        .filter(|block| block.what == What::Dm)
        .cloned()
        .collect();
    if devices.is_empty() {
        return DmTables::default();
    }
    let mut tables = if root.is_live() {
        let tables = live(root, &devices);
        record(root, &tables, &devices);
        tables
    } else {
        captured(root, &devices)
    };
    if tables.by_name.len() < devices.len() {
        if tables.why.is_empty() {
            "it has no line for some devices".clone_into(&mut tables.why);
        }
        unread.push(missing(root, &tables, &devices));
    }
    for (name, table) in &tables.by_name {
        let named = table.iter().flat_map(DmSegment::devices);
        let below: Vec<String> = named
            .filter_map(|devno| inventory.by_devno.get(&devno).cloned())
            .collect();
        inventory.add_slaves(name, below);
    }
    tables
}

/// What a captured tree of this machine needs: the tables, or why there are none.
fn record(root: &Root, tables: &DmTables, devices: &[SysfsBlock]) {
    if !root.is_recording() {
        return;
    }
    let mut listing = String::new();
    for block in devices {
        let name = root.attr(&format!("{}/dm/name", block.dir));
        if let Some((name, table)) = name.zip(tables.get(&block.name)) {
            listing.push_str(&table::listing(&name, table));
        }
    }
    root.keep(TABLES, listing);
    if !tables.why.is_empty() {
        root.keep_unread(CONTROL, &tables.why);
    }
}

fn missing(root: &Root, tables: &DmTables, devices: &[SysfsBlock]) -> Unread {
    let names: Vec<&str> = devices
        .iter()
        .filter(|block| tables.get(&block.name).is_none())
        .map(|block| block.name.as_str())
        .collect();
    let source = if root.is_live() || root.why_unread(CONTROL).is_some() {
        CONTROL
    } else {
        TABLES
    };
    Unread {
        what: root.path_of(source).display().to_string(),
        why: tables.why.clone(),
        unknown: format!("the place of {} on the devices below", names.join(", ")),
        device: None,
    }
}

fn live(root: &Root, devices: &[SysfsBlock]) -> DmTables {
    let mut tables = DmTables::default();
    let control = match root.device(CONTROL) {
        Ok(control) => control,
        Err(error) => {
            tables.why = reason(&error);
            return tables;
        }
    };
    for block in devices {
        let Some(devno) = block.devno else {
            continue;
        };
        match ioctl::table(&control, devno) {
            Ok(table) => {
                tables.by_name.insert(block.name.clone(), table);
            }
            Err(error) => tables.why = error.to_string(),
        }
    }
    tables
}

fn captured(root: &Root, devices: &[SysfsBlock]) -> DmTables {
    let mut tables = DmTables::default();
    let text = match root.text(TABLES) {
        Ok(text) => text,
        Err(error) => {
            tables.why = reason(&error);
            return tables;
        }
    };
    tables.why = root.why_unread(CONTROL).unwrap_or_default();
    let mut listing = table::parse_listing(&text);
    for block in devices {
        let name = root.attr(&format!("{}/dm/name", block.dir));
        if let Some(table) = name.and_then(|name| listing.remove(&name)) {
            tables.by_name.insert(block.name.clone(), table);
        }
    }
    tables
}
