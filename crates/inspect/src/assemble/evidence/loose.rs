//! What a text says of a device whose name or place it does not give, and what else the texts tell of it.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::{Remark, Severity, rules};

use crate::captures::Said;

/// Gives an unnamed output the name of the only disk that has its exact size: `smartctl -i` beside `fdisk -l`.
pub(super) fn name_by_size(devices: &mut [Said]) {
    let unnamed = |said: &Said| {
        said.remarks
            .iter()
            .any(|remark| remark.rule == rules::DEVICE_NOT_NAMED)
    };
    let mut disks: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for said in devices
        .iter()
        .filter(|said| !unnamed(said) && said.parents.is_empty())
    {
        if let Some(size) = said.size.filter(|size| size.is_exact()) {
            disks.entry(size.low).or_default().insert(said.name.clone());
        }
    }
    for said in devices
        .iter_mut()
        .filter(|said| unnamed(said) && said.claims.is_some())
    {
        let same = said
            .size
            .filter(|size| size.is_exact())
            .and_then(|size| disks.get(&size.low));
        let Some(names) = same.filter(|names| names.len() == 1) else {
            continue;
        };
        if let Some(name) = names.first() {
            said.name.clone_from(name);
            said.kind = None;
            said.remarks
                .retain(|remark| remark.rule != rules::DEVICE_NOT_NAMED);
        }
    }
}

/// Marks devices of a pool of which nothing else is known: ZFS makes a partition of its own on a whole disk, and
/// `zpool status` shows neither its start nor the blocks.
pub(super) fn mark_pools(devices: &mut BTreeMap<String, Said>) {
    let carrying: BTreeSet<String> = devices
        .values()
        .flat_map(|said| said.parents.iter().cloned())
        .collect();
    for (name, said) in devices {
        let pool = said
            .filesystem
            .as_ref()
            .is_some_and(|found| found.kind == "zfs");
        let known = said.size.is_some()
            || said.claims.is_some()
            || said.start.is_some()
            || said.table.is_some()
            || !said.parents.is_empty();
        if pool && !known && !carrying.contains(name) {
            let why = format!(
                "{name} cannot be judged: its start is missing, and so is the ashift of the pool"
            );
            let remark = Remark::new(rules::START_UNKNOWN, Severity::Unknown, why);
            said.remarks.push(remark.advise(
                "add the output of zdb -C, and of fdisk -l, gpart show or prtvtoc for its disks",
            ));
        }
    }
}
