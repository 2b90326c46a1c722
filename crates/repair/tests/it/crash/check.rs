//! What must be on a disk when a job has ended.

use std::ops::Range;

use ioalign_repair::mover::{Patch, Phase};

use super::layout::Layout;
use super::sim::SimDisk;

/// Bytes by address.
fn at<'a>(disk: &'a [u8], place: &Range<u64>) -> &'a [u8] {
    let index = |at| usize::try_from(at).unwrap();
    &disk[index(place.start)..index(place.end)]
}

/// The new layout: moved data with their patches, the new tables, what stays.
pub fn is_moved(layout: &Layout, disk: &[u8]) -> Result<(), String> {
    for one in &layout.job.moves {
        let mut wanted = at(&layout.bytes, &one.source()).to_vec();
        let mut write = |place: u64, bytes: &[u8]| {
            let from = usize::try_from(place).unwrap();
            wanted[from..from + bytes.len()].copy_from_slice(bytes);
        };
        let inside = |at: &u64| one.source().contains(at);
        for bad in layout.bad.iter().copied().filter(inside) {
            write(bad - one.from, &zeros(layout));
        }
        for patch in layout.job.patches(Phase::Contents) {
            if one.destination().contains(&patch.at) {
                write(patch.at - one.to, &patch.after);
            }
        }
        same(at(disk, &one.destination()), &wanted, "a moved partition")?;
    }
    for patch in layout.job.patches(Phase::Table) {
        same(at(disk, &patch.place()), &patch.after, "the new table")?;
    }
    kept(layout, disk)
}

/// The old layout: data and tables as they were.
pub fn is_as_before(layout: &Layout, disk: &SimDisk) -> Result<(), String> {
    let mut disk_bytes = disk.durable.clone();
    for bad in &layout.bad {
        // Not readable as before, or zeros that were reported.
        let from = usize::try_from(*bad).unwrap();
        let to = from + zeros(layout).len();
        let is_bad = disk.bad.contains(&(from / 512));
        let block = &mut disk_bytes[from..to];
        if !is_bad && block.iter().any(|byte| *byte != 0) {
            return Err(format!("the bad block at {bad} holds something"));
        }
        block.copy_from_slice(&layout.bytes[from..to]);
    }
    for one in &layout.job.moves {
        same(
            at(&disk_bytes, &one.source()),
            at(&layout.bytes, &one.source()),
            "a partition",
        )?;
    }
    for patch in &layout.job.patches {
        if patch.phase != Phase::Contents {
            same(
                at(&disk_bytes, &patch.place()),
                &patch.before,
                "the old table",
            )?;
        }
    }
    kept(layout, &disk_bytes)
}

/// Before the commit nothing of the old table has changed but what data cover.
pub fn table_is_old(layout: &Layout, disk: &[u8]) -> Result<(), String> {
    let mut patches = layout.job.patches(Phase::Table);
    patches.try_for_each(|patch: &Patch| same(at(disk, &patch.place()), &patch.before, "the table"))
}

fn zeros(layout: &Layout) -> Vec<u8> {
    vec![0; usize::try_from(layout.logical).unwrap()]
}

fn kept(layout: &Layout, disk: &[u8]) -> Result<(), String> {
    let mut keep = layout.job.keep.iter();
    keep.try_for_each(|keep| same(at(disk, keep), at(&layout.bytes, keep), "what stays"))
}

fn same(there: &[u8], wanted: &[u8], what: &str) -> Result<(), String> {
    let differs = there.iter().zip(wanted).position(|(a, b)| a != b);
    differs.map_or(Ok(()), |at| Err(format!("{what} differs at its byte {at}")))
}
