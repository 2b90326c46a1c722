//! No cluster of the file may be two things: writing the one would change the other. QEMU's check finds the
//! same; here it is asked before the first write.

use std::io;

use super::super::store::{Store, damaged};
use super::header::WritableQcow2Header;
use super::refcounts::Refcounts;
use super::tables::ClusterTables;

/// Fails where the header, the tables or the data of the disk lie over each other.
pub fn check(
    store: &mut dyn Store,
    header: &WritableQcow2Header,
    tables: &mut ClusterTables,
    counts: &Refcounts,
) -> io::Result<()> {
    let cluster = header.cluster();
    let step = usize::try_from(cluster).unwrap_or(512);
    let (mut all, mut packed) = tables.places(store)?;
    all.push(0);
    all.extend((header.l1_at..header.l1_at + header.l1_entries * 8).step_by(step));
    all.extend(counts.places());
    all.sort_unstable();
    packed.sort_unstable();
    packed.dedup();
    let twice = all.iter().zip(all.iter().skip(1)).find(|(a, b)| a == b);
    let over = packed.iter().find(|at| all.binary_search(at).is_ok());
    match twice.map(|(at, _)| at).or(over) {
        None => Ok(()),
        Some(at) => Err(damaged(format!(
            "the cluster at byte {at} has two uses: `qemu-img check` shows more"
        ))),
    }
}
