//! The block devices of a tree: names, sizes, and the devices below each. Nothing is judged here.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::Bytes;

use super::root::{Root, components};
use super::{DevNo, What};

/// More devices than any machine has; a crafted tree must not cost more.
const MOST_DEVICES: usize = 1 << 16;

/// One block device as sysfs lists it.
#[derive(Clone, Debug)]
pub(super) struct SysfsBlock {
    /// `sda`, `sda1`, `dm-0`, `md127`; with `!` where the node has a `/`.
    pub(super) name: String,
    /// Its directory inside the root.
    pub(super) dir: String,
    /// Its number.
    pub(super) devno: Option<DevNo>,
    /// Its kind.
    pub(super) what: What,
    /// The whole disk of a partition.
    pub(super) parent: Option<String>,
    /// What it holds onto, by name.
    pub(super) slaves: Vec<String>,
    /// Length; sysfs counts 512-byte units for any sector size.
    pub(super) size: Bytes,
}

impl SysfsBlock {
    /// A disk of which nothing is known but its name.
    pub(super) fn bare(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            dir: format!("sys/block/{name}"),
            devno: None,
            what: What::Disk,
            parent: None,
            slaves: Vec::new(),
            size: Bytes::ZERO,
        }
    }
}

/// All devices by name, and those left out with the reason.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub(super) blocks: BTreeMap<String, SysfsBlock>,
    pub(super) by_devno: BTreeMap<DevNo, String>,
    pub(super) skipped: Vec<(String, &'static str)>,
}

/// Lists the tree.
pub(super) fn list(root: &Root) -> Inventory {
    let mut inventory = Inventory::default();
    for name in root.list("sys/block") {
        if inventory.blocks.len() >= MOST_DEVICES {
            inventory.skipped.push((name, "too many devices"));
            continue;
        }
        disk(root, &name, &mut inventory);
    }
    inventory
}

fn disk(root: &Root, name: &str, inventory: &mut Inventory) {
    let dir = format!("sys/block/{name}");
    let size = size_of(root, &dir);
    if let Some(why) = left_out(root, name, &dir, size) {
        inventory.skipped.push((name.to_owned(), why));
        return;
    }
    let entries = root.list(&dir);
    let partitions = entries
        .iter()
        .filter(|entry| entry.len() > name.len() && entry.starts_with(name));
    for partition in partitions {
        let inside = format!("{dir}/{partition}");
        if inventory.blocks.len() < MOST_DEVICES && root.exists(&format!("{inside}/partition")) {
            inventory.add(SysfsBlock {
                name: partition.clone(),
                devno: devno(root, &inside),
                what: What::Partition,
                parent: Some(name.to_owned()),
                slaves: Vec::new(),
                size: size_of(root, &inside),
                dir: inside,
            });
        }
    }
    let has = |entry: &str| entries.iter().any(|found| found == entry);
    let slaves = if has("slaves") {
        root.list(&format!("{dir}/slaves"))
    } else {
        Vec::new()
    };
    inventory.add(SysfsBlock {
        name: name.to_owned(),
        devno: devno(root, &dir),
        what: sort(&has, name),
        parent: None,
        slaves,
        size,
        dir,
    });
}

fn sort(has: &dyn Fn(&str) -> bool, name: &str) -> What {
    if has("md") {
        What::Md
    } else if has("dm") {
        What::Dm
    } else if name.starts_with("bcache") {
        What::Bcache
    } else if has("loop") || name.starts_with("loop") {
        What::Loop
    } else {
        What::Disk
    }
}

/// Why a device is no address space on a disk, if it is none.
fn left_out(root: &Root, name: &str, dir: &str, size: Bytes) -> Option<&'static str> {
    if name.starts_with("ram") || name.starts_with("zram") {
        return Some("memory, not a disk");
    }
    if name.starts_with("fd")
        && root
            .attr(&format!("{dir}/dev"))
            .is_some_and(|d| d.starts_with("2:"))
    {
        return Some("floppy drive");
    }
    if size.is_zero() {
        return Some("no medium, no backing file or not assembled");
    }
    // The paths of a multipath NVMe namespace are devices that cannot be opened.
    (root.number(&format!("{dir}/hidden")) == Some(1)).then_some("hidden path of a multipath disk")
}

fn size_of(root: &Root, dir: &str) -> Bytes {
    let units = root.number(&format!("{dir}/size")).unwrap_or(0);
    Bytes::new(units).checked_mul(512).unwrap_or_default()
}

fn devno(root: &Root, dir: &str) -> Option<DevNo> {
    DevNo::parse(&root.attr(&format!("{dir}/dev"))?)
}

impl Inventory {
    fn add(&mut self, block: SysfsBlock) {
        if let Some(devno) = block.devno {
            self.by_devno.insert(devno, block.name.clone());
        }
        self.blocks.insert(block.name.clone(), block);
    }

    /// What a device lies on: its disk or its slaves, as far as they are known.
    pub(super) fn below(&self, name: &str) -> Vec<&str> {
        let Some(block) = self.blocks.get(name) else {
            return Vec::new();
        };
        let names = block.parent.iter().chain(&block.slaves);
        names
            .filter(|below| self.blocks.contains_key(*below))
            .map(String::as_str)
            .collect()
    }

    /// Adds what a dm table names and `slaves` does not (a captured tree may lack it).
    pub(super) fn add_slaves(&mut self, name: &str, below: impl IntoIterator<Item = String>) {
        let Some(block) = self.blocks.get_mut(name) else {
            return;
        };
        for slave in below {
            if slave != name && !block.slaves.contains(&slave) {
                block.slaves.push(slave);
            }
        }
    }

    /// Every device after all that it lies on; those in a circle come last, in the second list.
    pub(super) fn order(&self) -> (Vec<String>, Vec<String>) {
        let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
        let mut above: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in self.blocks.keys() {
            let below: BTreeSet<&str> = self.below(name).into_iter().collect();
            waiting.insert(name, below.len());
            for lower in below {
                above.entry(lower).or_default().push(name);
            }
        }
        let mut ready: BTreeSet<&str> = waiting
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(name, _)| *name)
            .collect();
        let mut order = Vec::with_capacity(waiting.len());
        while let Some(name) = ready.pop_first() {
            order.push(name.to_owned());
            waiting.remove(name);
            for upper in above.get(name).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(upper) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        ready.insert(upper);
                    }
                }
            }
        }
        (order, waiting.into_keys().map(str::to_owned).collect())
    }

    /// Keeps the named devices, all above them, and all below those.
    pub(super) fn keep(&mut self, named: &[String]) {
        let mut above: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in self.blocks.keys() {
            for lower in self.below(name) {
                above
                    .entry(lower.to_owned())
                    .or_default()
                    .push(name.clone());
            }
        }
        let upper = reach(named, |name| above.get(name).cloned().unwrap_or_default());
        let upper: Vec<String> = upper.into_iter().collect();
        let kept = reach(&upper, |name| {
            self.below(name).into_iter().map(str::to_owned).collect()
        });
        self.blocks.retain(|name, _| kept.contains(name));
    }
}

fn reach(from: &[String], next: impl Fn(&str) -> Vec<String>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<String> = from.to_vec();
    while let Some(name) = open.pop() {
        if seen.insert(name.clone()) {
            open.extend(next(&name));
        }
    }
    seen
}

/// How the disk is attached: from the device path, else from its name.
pub(super) fn transport(root: &Root, block: &SysfsBlock) -> super::hints::Transport {
    use super::hints::Transport as T;
    let target = root
        .link(&block.dir)
        .map(|path| components(&path))
        .unwrap_or_default();
    let on_path = |test: &dyn Fn(&str) -> bool| target.iter().any(|part| test(part));
    let digits = |part: &str, prefix: &str| {
        part.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let by_name: [(&str, T); 11] = [
        ("nvme", T::Nvme),
        ("loop", T::Loop),
        ("mmcblk", T::Mmc),
        ("zd", T::Zvol),
        ("nbd", T::Network),
        ("rbd", T::Network),
        ("drbd", T::Network),
        ("vd", T::Virtio),
        ("xvd", T::Xen),
        ("sd", T::Scsi),
        ("sr", T::Scsi),
    ];
    if on_path(&|part| digits(part, "usb")) {
        T::Usb
    } else if on_path(&|part| digits(part, "virtio")) {
        T::Virtio
    } else if on_path(&|part| part.starts_with("VMBUS") || part.starts_with("vmbus")) {
        T::HyperV
    } else {
        by_name
            .iter()
            .find(|(prefix, _)| block.name.starts_with(prefix))
            .map_or(T::Unknown, |(_, transport)| *transport)
    }
}
