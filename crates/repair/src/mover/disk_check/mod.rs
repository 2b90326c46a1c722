//! Whether the disk is the one of the plan, and in the state that the journal says.

mod foreign;
mod going_on;
mod places;
mod witness;

use ioalign_core::move_marker::{BYTES, MarkerFound, MoveMarker};

use super::job::SavedBytes;
use super::{Job, Move, Patch, PatchPhase, job::overlap};
use crate::disk::read_bytes;
use crate::{Disk, Error, ErrorKind, Result};

pub use foreign::ForeignBytes;
pub use going_on::{MoveVerdict, Outlook, outlook};
pub use places::JobPlaces;

/// What is compared at once.
const STEP: u64 = 1 << 20;

fn refused(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, what)
}

fn changed(what: &str, at: u64) -> Error {
    refused(format!(
        "{what} at byte {at} has changed since this was planned: it is another disk, or another program wrote there"
    ))
}

pub fn read(disk: &mut dyn Disk, at: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let read = disk.read_at(at, &mut bytes);
    read.map_err(|error| Error::io(format!("{length} bytes at byte {at} cannot be read"), error))?;
    Ok(bytes)
}

/// Before the first byte moves: everything that the plan has seen.
pub fn before_starting(disk: &mut dyn Disk, job: &Job) -> Result<()> {
    no_marker(disk, None)?;
    for patch in &job.patches {
        let at = match patch.phase {
            PatchPhase::Contents => origin(job, patch),
            _ => patch.at,
        };
        if read(disk, at, patch.before.len())? != patch.before {
            return Err(changed("a table or a boot sector", at));
        }
    }
    for witness in &job.identity.witnesses {
        witness::expect(disk, job, None, witness, witness.place.start)?;
    }
    Ok(())
}

/// What the mover writes on or over by itself is as it was planned.
pub fn before_marking(disk: &mut dyn Disk, job: &Job) -> Result<()> {
    let saved = &job.identity.saved;
    let all = [
        (&saved.tables, "the table"),
        (&saved.superblocks, "a superblock"),
        (&saved.gap, "free space"),
    ];
    for (all, what) in all {
        for SavedBytes { at, bytes } in all {
            if read(disk, *at, bytes.len())? != *bytes {
                return Err(changed(what, *at));
            }
        }
    }
    for place in &saved.zeros {
        let mut at = place.start;
        while at < place.end {
            let known = disk.zeros_from(at);
            let known = known - known % disk.logical_bytes().max(1);
            if known == 0 {
                let length = STEP.min(place.end - at);
                let bytes = read(disk, at, usize::try_from(length).unwrap_or(0))?;
                if bytes.iter().any(|byte| *byte != 0) {
                    return Err(changed("free space", at));
                }
                at += length;
            }
            at = at.saturating_add(known);
        }
    }
    Ok(())
}

/// Refuses a disk whose data are on their way by another run than `own`.
pub fn no_marker(disk: &mut dyn Disk, own: Option<u128>) -> Result<()> {
    let first = read_bytes(disk, 0, BYTES).unwrap_or_default();
    let (what, marker) = match MoveMarker::decode(&first) {
        None => return Ok(()),
        Some(MarkerFound::Whole(marker)) if own == Some(marker.run) => return Ok(()),
        Some(MarkerFound::Damaged) if own.is_some() => return Ok(()),
        Some(MarkerFound::Whole(marker)) => {
            ("a move of partitions is in flight here", Some(marker))
        }
        Some(MarkerFound::Damaged) => ("there is a damaged marker of a move here", None),
    };
    let said = marker.map_or_else(String::new, |marker| {
        let MoveMarker {
            run, host, journal, ..
        } = marker;
        let journal = journal.display();
        format!(": run {run:032x}, begun on “{host}” with the journal {journal}")
    });
    Err(refused(format!("{what}{said}"))
        .advise("end that move first, with its journal: `--resume` or `--rollback`"))
}

/// Where the bytes of a patch of contents are before they move.
fn origin(job: &Job, patch: &Patch) -> u64 {
    let covers = |m: &&Move| overlap(&m.destination(), &patch.place());
    let from = job
        .moves
        .iter()
        .find(covers)
        .map(|m| patch.at - m.to + m.from);
    from.unwrap_or(patch.at)
}

/// Whether these bytes are on the disk.
pub fn holds(disk: &mut dyn Disk, at: u64, bytes: &[u8]) -> Result<()> {
    disk.release(at, bytes.len() as u64);
    if read(disk, at, bytes.len())? == bytes {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Device,
        format!(
            "the disk does not keep what is written at byte {at}; the journal does: `--resume` tries again"
        ),
    ))
}
