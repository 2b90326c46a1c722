//! What differs between the disk as it is and as it will be, as patches.

use std::ops::Range;

use super::{OverlayLayer, OverlayView};
use crate::{Disk, Error, ErrorKind, Move, Patch, PatchPhase, Result};

/// One patch is no longer.
const MOST: u64 = 1 << 20;
/// What the patches of a job may be together ([`crate::mover::check`]), with room for those of others.
const ALL_MOST: u64 = 60 << 20;

/// The patches that make the disk what it will be, in the order of the layers.
pub fn patches(disk: &mut dyn Disk, moves: &[Move], layers: &[OverlayLayer]) -> Result<Vec<Patch>> {
    let (size, logical) = (disk.size_bytes(), disk.logical_bytes());
    let mut patches = Vec::new();
    let mut bytes = 0;
    for layer in layers {
        let mut view = OverlayView::new(disk, (size, logical), moves, std::slice::from_ref(layer));
        for range in layer.stretches(logical).into_iter().flat_map(cut) {
            let patch = patch(&mut view, moves, &range)?;
            if patch.before == patch.after {
                continue;
            }
            bytes += range.end - range.start;
            if bytes > ALL_MOST {
                return Err(too_much());
            }
            patches.push(patch);
        }
    }
    Ok(patches)
}

fn too_much() -> Error {
    Error::new(
        ErrorKind::Refused,
        format!(
            "more than {} MiB of contents would be written in place",
            ALL_MOST >> 20
        ),
    )
    .advise("write the result to a new image instead (`--output`)")
}

fn cut(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        let at = next;
        next = next.saturating_add(MOST).min(range.end);
        (at < range.end).then_some(at..next)
    })
}

fn patch(view: &mut OverlayView<'_>, moves: &[Move], range: &Range<u64>) -> Result<Patch> {
    let length = usize::try_from(range.end - range.start).unwrap_or(0);
    let failed = |error| Error::io(format!("byte {} cannot be read", range.start), error);
    let (mut before, mut after) = (vec![0; length], vec![0; length]);
    view.moved(range.start, &mut before).map_err(failed)?;
    view.read_at(range.start, &mut after).map_err(failed)?;
    let inside = |one: &Move| one.to <= range.start && range.end <= one.destination().end;
    let phase = if moves.iter().any(inside) {
        PatchPhase::Contents
    } else {
        PatchPhase::Table
    };
    Ok(Patch {
        phase,
        at: range.start,
        before,
        after,
    })
}
