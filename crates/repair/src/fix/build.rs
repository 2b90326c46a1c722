//! A layout as a job: moves, the sectors of the table, what boot and contents ask for.

use std::ops::Range;

use super::data;
use crate::boot::{self, Consequence, Reserved};
use crate::layout::BlockShift;
use crate::mover::job::overlap;
use crate::overlay::{self, ByteSource, OverlayLayer, OverlayPiece};
use crate::tables::{Ground, PartitionSlot, RewritableTable, TableSectors};
use crate::{Disk, Identity, Job, Move, Patch, PatchPhase, Result, mover};

/// The job of a disk on which nothing moves.
pub fn nothing(disk: &mut dyn Disk) -> Job {
    Job {
        moves: Vec::new(),
        patches: Vec::new(),
        keep: Vec::new(),
        identity: Identity::take(disk, &[]),
    }
}

/// The job, checked, and what it means.
pub fn job(
    disk: &mut dyn Disk,
    table: &RewritableTable,
    old: &[PartitionSlot],
    new: &[PartitionSlot],
    shifts: &[BlockShift],
    reserved: &[Reserved],
    grow: bool,
) -> Result<(Job, Vec<Consequence>)> {
    let moves: Vec<_> = shifts
        .iter()
        .map(|shift| Move {
            from: shift.from,
            to: shift.to,
            bytes: shift.size,
        })
        .collect();
    let mut layers = match table {
        RewritableTable::Gpt(_) if grow => rewritten(disk, table, (old, new))?,
        _ => written(table, new)?,
    };
    let fixups = boot::fixups_of(disk, table, new, reserved)?;
    layers.push(overlay::changes(&fixups.patches));
    let mut patches = overlay::patches(disk, &moves, &layers)?;
    patches.extend(covered(table, &moves, &patches));
    let job = Job {
        identity: Identity::take(disk, &moves),
        keep: kept(old, shifts, reserved, &patches),
        patches,
        moves,
    };
    mover::check(&job, disk.size_bytes(), disk.logical_bytes())?;
    Ok((job, fixups.consequences))
}

/// What nothing may write on: partitions that stay, and boot code, but for what is patched in them.
fn kept(
    old: &[PartitionSlot],
    shifts: &[BlockShift],
    reserved: &[Reserved],
    patches: &[Patch],
) -> Vec<Range<u64>> {
    let stays = |slot: &&PartitionSlot| !shifts.iter().any(|shift| shift.number == slot.number);
    let slots = data(old).filter(stays);
    let slots = slots.map(|slot| slot.start..slot.end());
    let boot = reserved.iter().map(|one| one.place.clone());
    boot::kept(slots.chain(boot).collect(), patches)
}

/// The table of a disk that has become longer: its backup goes to the end first.
fn rewritten(
    disk: &dyn Disk,
    table: &RewritableTable,
    (old, new): (&[PartitionSlot], &[PartitionSlot]),
) -> Result<Vec<OverlayLayer>> {
    let remade = table.remade(Ground::of(disk), new)?;
    // Data are as long as they were: in what a partition gains nothing has to be kept.
    let kept = old.iter().zip(new).map(|(old, new)| PartitionSlot {
        size: old.size.min(new.size),
        ..*new
    });
    Ok(overlay::table(&remade, &kept.collect::<Vec<_>>()))
}

/// The sectors of the new table, in the order in which they are written.
fn written(table: &RewritableTable, new: &[PartitionSlot]) -> Result<Vec<OverlayLayer>> {
    let sectors = table.rewritten(new)?.into_iter().flatten();
    let layer = |TableSectors { at, bytes }| {
        OverlayLayer::new(vec![OverlayPiece {
            at,
            from: ByteSource::Bytes(bytes),
        }])
    };
    Ok(sectors.map(layer).collect())
}

/// Old records of logical partitions that data go over: for the way back.
fn covered(table: &RewritableTable, moves: &[Move], patches: &[Patch]) -> Vec<Patch> {
    let mut all = Vec::new();
    for record in table.records() {
        let place = record.at..record.at + record.bytes.len() as u64;
        let under = moves.iter().any(|m| overlap(&m.destination(), &place));
        let written = patches.iter().any(|patch| overlap(&patch.place(), &place));
        if under && !written {
            all.push(Patch {
                phase: PatchPhase::Covered,
                at: record.at,
                before: record.bytes,
                after: Vec::new(),
            });
        }
    }
    all
}
