//! Which disks lie below a device, a file or a folder.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::host::inventory::Inventory;
use crate::host::root::Root;
use crate::host::{DevNo, mounts, named};

/// Loop devices on files on loop devices: a real stack is never deeper than this.
const DEEPEST: usize = 8;

/// The kernel names of the targets' devices and of all below them; empty where none is known.
pub(super) fn below(root: &Root, inventory: &Inventory, targets: &[PathBuf]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for target in targets {
        if let Some(name) = device(root, inventory, target) {
            follow(root, inventory, &name, DEEPEST, &mut seen);
        }
    }
    seen
}

fn follow(
    root: &Root,
    inventory: &Inventory,
    name: &str,
    depth: usize,
    seen: &mut BTreeSet<String>,
) {
    if depth == 0 || !seen.insert(name.to_owned()) {
        return;
    }
    let file = root.attr(&format!("sys/block/{name}/loop/backing_file"));
    let backing = file.and_then(|file| device(root, inventory, Path::new(&file)));
    let lower = inventory.below(name).into_iter().map(str::to_owned);
    for lower in lower.chain(backing) {
        follow(root, inventory, &lower, depth - 1, seen);
    }
}

/// The block device that a path is, or that its file system lies on.
fn device(root: &Root, inventory: &Inventory, path: &Path) -> Option<String> {
    let typed = [path.to_string_lossy().into_owned()];
    let found = named::resolve(root, inventory, &typed);
    if let Some(name) = found.ok().and_then(|names| names.into_iter().next()) {
        return Some(name);
    }
    // Only the running machine's files can be asked where they are.
    if !root.is_live() {
        return None;
    }
    let path = std::fs::canonicalize(path).ok()?;
    let data = std::fs::metadata(&path).ok()?;
    let number = if data.file_type().is_block_device() {
        data.rdev()
    } else {
        data.dev()
    };
    let number = DevNo {
        major: rustix::fs::major(number),
        minor: rustix::fs::minor(number),
    };
    let by_number = inventory.by_devno.get(&number).cloned();
    by_number.or_else(|| by_mount(root, inventory, &path))
}

/// The files of btrfs have a device number of its own.
fn by_mount(root: &Root, inventory: &Inventory, path: &Path) -> Option<String> {
    let mounts = mounts::mounts(root, inventory).into_iter();
    let around = mounts.filter(|mount| path.starts_with(&mount.point));
    around
        .max_by_key(|mount| mount.point.components().count())?
        .device
}
