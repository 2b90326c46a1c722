//! What differs between the disk as it is and as it will be, as patches.

use std::ops::Range;

use super::{ByteSource, OverlayLayer, OverlayPiece, OverlayView};
use crate::mover::job::{overlap, without};
use crate::{Disk, Error, ErrorKind, Move, Patch, PatchPhase, Result};

/// One patch is no longer.
const MOST: u64 = 1 << 20;
/// What the patches of a job may be together ([`crate::mover::check`]), with room for those of others.
const ALL_MOST: u64 = 60 << 20;

/// The patches that make the disk what the layers show, in the order of the layers.
///
/// Each block is in one patch, that of the first layer that touches it, and holds what all layers together show
/// there: so a disk that is written in place and one that is copied from an [`OverlayView`] are the same bytes.
pub fn patches(disk: &mut dyn Disk, moves: &[Move], layers: &[OverlayLayer]) -> Result<Vec<Patch>> {
    let (size, logical) = (disk.size_bytes(), disk.logical_bytes());
    let mut view = OverlayView::new(disk, (size, logical), moves, layers);
    let mut taken = Vec::new();
    let mut patches = Vec::new();
    let mut bytes = 0;
    for layer in layers {
        let own = untaken(&layer.stretches(logical), &taken);
        for range in own.iter().flat_map(|whole| cut(whole, moves)) {
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
        taken.extend(own);
        taken.sort_by_key(|place| place.start);
    }
    Ok(patches)
}

/// What of these stretches is in no other; both are in order, and none lies on another.
fn untaken(stretches: &[Range<u64>], taken: &[Range<u64>]) -> Vec<Range<u64>> {
    let left = |stretch: &Range<u64>| {
        let first = taken.partition_point(|place| place.end <= stretch.start);
        let rest = taken.get(first..).unwrap_or_default().iter();
        without(
            stretch,
            rest.take_while(|place| place.start < stretch.end).cloned(),
        )
    };
    stretches.iter().flat_map(left).collect()
}

/// The bytes that patches change, as a layer that leaves all others as they are.
pub fn changes(patches: &[Patch]) -> OverlayLayer {
    OverlayLayer::new(patches.iter().flat_map(changed).collect())
}

/// The runs of bytes that differ.
fn changed(patch: &Patch) -> Vec<OverlayPiece> {
    let mut pieces: Vec<OverlayPiece> = Vec::new();
    let pairs = patch.before.iter().zip(&patch.after).zip(patch.at..);
    for ((_, new), at) in pairs.filter(|((old, new), _)| old != new) {
        match pieces.last_mut() {
            Some(OverlayPiece {
                at: start,
                from: ByteSource::Bytes(bytes),
            }) if *start + bytes.len() as u64 == at => {
                bytes.push(*new);
            }
            _ => pieces.push(OverlayPiece {
                at,
                from: ByteSource::Bytes(vec![*new]),
            }),
        }
    }
    pieces
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

/// Pieces that are no longer than a patch may be, none of them across the border of what moves.
fn cut(range: &Range<u64>, moves: &[Move]) -> Vec<Range<u64>> {
    let places = moves.iter().map(Move::destination);
    let borders = places.flat_map(|place| [place.start, place.end]);
    let mut borders: Vec<_> = borders.filter(|at| range.contains(at)).collect();
    borders.sort_unstable();
    let mut pieces = Vec::new();
    let mut at = range.start;
    for end in borders.into_iter().chain([range.end]) {
        while at < end {
            let next = at.saturating_add(MOST).min(end);
            pieces.push(at..next);
            at = next;
        }
    }
    pieces
}

fn patch(view: &mut OverlayView<'_>, moves: &[Move], range: &Range<u64>) -> Result<Patch> {
    let length = usize::try_from(range.end - range.start).unwrap_or(0);
    let failed = |error| Error::io(format!("byte {} cannot be read", range.start), error);
    let (mut before, mut after) = (vec![0; length], vec![0; length]);
    view.moved(range.start, &mut before).map_err(failed)?;
    view.read_at(range.start, &mut after).map_err(failed)?;
    let phase = match moves.iter().any(|one| overlap(&one.destination(), range)) {
        true => PatchPhase::Contents,
        false => PatchPhase::Table,
    };
    Ok(Patch {
        phase,
        at: range.start,
        before,
        after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    fn piece(at: u64, bytes: &[u8]) -> OverlayPiece {
        OverlayPiece {
            at,
            from: ByteSource::Bytes(bytes.to_vec()),
        }
    }

    fn disk() -> MemoryDisk {
        MemoryDisk {
            bytes: (0..64).collect(),
            logical_bytes: 8,
        }
    }

    /// Boot code and a table in one block: one patch that has both, and it is what a copy has.
    #[test]
    fn a_block_of_two_layers_is_one_patch_of_what_both_show() {
        let boot = Patch {
            phase: PatchPhase::Table,
            at: 0,
            before: (0..8).collect(),
            after: vec![0, 1, 90, 91, 4, 5, 6, 7],
        };
        let layers = [
            OverlayLayer::new(vec![piece(4, &[80, 81, 82, 83, 84, 85])]),
            changes(&[boot]),
        ];
        let mut disk = disk();
        let patches = patches(&mut disk, &[], &layers).unwrap();
        let [only] = patches.as_slice() else {
            panic!("{patches:?}");
        };
        assert_eq!((only.at, only.before.clone()), (0, (0..16).collect()));
        let expected = [0, 1, 90, 91, 80, 81, 82, 83, 84, 85, 10, 11, 12, 13, 14, 15];
        assert_eq!(only.after, expected);
        let mut copied = vec![0; 16];
        let mut view = OverlayView::new(&mut disk, (64, 8), &[], &layers);
        view.read_at(0, &mut copied).unwrap();
        assert_eq!(copied, expected);
    }

    /// The last block of one partition and the first of the next: contents of one move each.
    #[test]
    fn a_patch_ends_where_what_moves_ends() {
        let to = |from: u64, to: u64| Move { from, to, bytes: 8 };
        let moves = [to(40, 16), to(56, 24)];
        let layers = [OverlayLayer::new(vec![piece(14, &[99; 20])])];
        let patches = patches(&mut disk(), &moves, &layers).unwrap();
        let shape: Vec<_> = patches.iter().map(|one| (one.phase, one.place())).collect();
        assert_eq!(
            shape,
            [
                (PatchPhase::Table, 8..16),
                (PatchPhase::Contents, 16..24),
                (PatchPhase::Contents, 24..32),
                (PatchPhase::Table, 32..40),
            ]
        );
    }
}
