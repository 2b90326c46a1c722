//! What must be on a disk when a job has ended.

use std::ops::Range;

use ioalign_core::move_marker::{GPT_SIGNATURE, MarkerFound, MoveMarker};
use ioalign_repair::mover::{Move, Patch, PatchPhase};

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
        for patch in layout.job.patches(PatchPhase::Contents) {
            if one.destination().contains(&patch.at) {
                write(patch.at - one.to, &patch.after);
            }
        }
        same(at(disk, &one.destination()), &wanted, "a moved partition")?;
    }
    for patch in layout.job.patches(PatchPhase::Table) {
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
    same(&disk_bytes, &layout.bytes, "the old disk")
}

/// What anybody would find on a disk after a crash: the marker of the run, or one of the two layouts, whole but
/// for the first block.
pub fn is_known(layout: &Layout, disk: &[u8], run: u128) -> Result<(), String> {
    if is_marked(disk, run) {
        return Ok(());
    }
    let old = is_old_but_first(layout, disk);
    let new = is_new_but_first(layout, disk);
    match (old, new) {
        (Err(old), Err(new)) => Err(format!("no marker, and no layout: {old}; {new}")),
        _ => Ok(()),
    }
}

/// While data move there is no table, no superblock, and no number of a destination.
pub fn is_unrecognisable(layout: &Layout, disk: &[u8], run: u128) -> Result<(), String> {
    if !is_marked(disk, run) {
        return Err("no marker while data move".into());
    }
    let logical = usize::try_from(layout.logical).unwrap();
    let inside = |at: usize| {
        let mut places = layout.job.moves.iter().map(Move::source);
        let kept = layout.job.keep.iter().cloned();
        let both = layout.job.moves.iter().map(Move::destination).chain(kept);
        places.any(|place| place.contains(&(at as u64)))
            || both.into_iter().any(|place| place.contains(&(at as u64)))
    };
    for header in [logical, disk.len() - logical] {
        if !inside(header) && disk[header..].starts_with(&GPT_SIGNATURE) {
            return Err(format!("a GPT header at byte {header} while data move"));
        }
    }
    for one in &layout.job.moves {
        let start = at(&layout.bytes, &(one.from..one.from + 512));
        for place in [one.from, one.to] {
            if !layout.bad.contains(&one.from) && at(disk, &(place..place + 512)) == start {
                return Err(format!("a superblock at byte {place} while data move"));
            }
        }
    }
    Ok(())
}

/// Of two tables the later one is begun when the earlier one is on the medium.
pub fn tables_in_order(layout: &Layout, durable: &[u8]) -> Result<(), String> {
    let behind_first = |patch: &&Patch| patch.at != 0;
    let tables: Vec<_> = layout
        .job
        .patches(PatchPhase::Table)
        .filter(behind_first)
        .collect();
    let sectors = |patch: &Patch| {
        let there = at(durable, &patch.place()).chunks(512).map(<[u8]>::to_vec);
        there
            .zip(patch.after.chunks(512).map(<[u8]>::to_vec))
            .collect::<Vec<_>>()
    };
    let is_whole = |patch: &Patch| sectors(patch).iter().all(|(there, after)| there == after);
    let is_begun = |patch: &Patch| sectors(patch).iter().any(|(there, after)| there == after);
    let mut pairs = tables.windows(2);
    if pairs.any(|pair| is_begun(pair[1]) && !is_whole(pair[0])) {
        return Err("a table is written before the one before it is durable".into());
    }
    Ok(())
}

fn is_marked(disk: &[u8], run: u128) -> bool {
    let found = MoveMarker::decode(&disk[..512]);
    matches!(found, Some(MarkerFound::Whole(marker)) if marker.run == run)
}

fn is_old_but_first(layout: &Layout, disk: &[u8]) -> Result<(), String> {
    let mut disk = disk.to_vec();
    let first = usize::try_from(layout.logical).unwrap();
    disk[..first].copy_from_slice(&layout.bytes[..first]);
    for bad in &layout.bad {
        let place = *bad..*bad + layout.logical;
        let from = usize::try_from(*bad).unwrap();
        disk[from..from + first].copy_from_slice(at(&layout.bytes, &place));
    }
    for one in &layout.job.moves {
        same(
            at(&disk, &one.source()),
            at(&layout.bytes, &one.source()),
            "a partition",
        )?;
    }
    for patch in layout.job.patches(PatchPhase::Table) {
        same(
            at(&disk, &patch.place()),
            at(&layout.bytes, &patch.place()),
            "the old table",
        )?;
    }
    kept(layout, &disk)
}

fn is_new_but_first(layout: &Layout, disk: &[u8]) -> Result<(), String> {
    let mut disk = disk.to_vec();
    for patch in layout.job.patches(PatchPhase::Table) {
        if patch.at == 0 {
            disk[..patch.after.len()].copy_from_slice(&patch.after);
        }
    }
    is_moved(layout, &disk)
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
