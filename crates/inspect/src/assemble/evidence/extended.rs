//! Extended partitions in texts that do not show types (`parted -m`, `blockdev --report`, `lsblk`).
//!
//! On a DOS table, logical partitions are numbered from 5 and lie inside one of the first four; the
//! kernel shows that one as 1 KiB long (`block/partitions/msdos.c`). It holds no data of its own.

use std::collections::BTreeMap;

use ioalign_core::layer::Kind;
use ioalign_core::{Role, TableKind};

use crate::captures::{Number, Said};

/// The first number of logical partitions.
const LOGICAL: u32 = 5;
/// The length that the kernel gives to an extended partition.
const KERNEL: u64 = 1024;

/// Gives extended partitions their role, where no text says it.
pub(super) fn mark(devices: &mut BTreeMap<String, Said>) {
    let logical: Vec<(String, Number)> = devices
        .values()
        .filter(|said| said.number.is_some_and(|number| number >= LOGICAL))
        .filter_map(|said| Some((said.parents.first()?.clone(), said.start?)))
        .collect();
    let disks: BTreeMap<String, Option<TableKind>> = logical
        .iter()
        .map(|(disk, _)| (disk.clone(), devices.get(disk).and_then(|said| said.table)))
        .filter(|(_, table)| table.is_none_or(|table| table == TableKind::Dos))
        .collect();
    for said in devices.values_mut().filter(|said| is_candidate(said)) {
        let Some(disk) = said
            .parents
            .first()
            .filter(|disk| disks.contains_key(*disk))
        else {
            continue;
        };
        let inside = logical.iter().filter(|(own, _)| own == disk);
        let short = said.size == Some(Number::exact(KERNEL));
        if short || inside.into_iter().any(|(_, start)| contains(said, start)) {
            said.role = Some(Role::Extended);
        }
    }
}

fn is_candidate(said: &Said) -> bool {
    let primary = said.number.is_some_and(|number| number < LOGICAL);
    primary && said.role.is_none() && said.kind == Some(Kind::Partition)
}

/// Whether the start of a logical partition surely lies inside.
fn contains(said: &Said, start: &Number) -> bool {
    let (Some(own), Some(size)) = (said.start, said.size) else {
        return false;
    };
    let end = own.low.saturating_add(size.low);
    own.high < start.low && start.high < end
}
