//! The layers of a job: what lies over a disk when its data have moved.

use super::{ByteSource, OverlayLayer, OverlayPiece};
use crate::{Job, Move, PatchPhase};

/// Zeros where a move has left something and no other has put something, and patches over them. A view with these and the
/// moves of the job is the disk as a new image has it.
pub fn of_job(job: &Job) -> Vec<OverlayLayer> {
    let mut layers = vec![OverlayLayer::new(left(&job.moves))];
    let written = job
        .patches
        .iter()
        .filter(|patch| patch.phase != PatchPhase::Covered);
    // A layer each: a later patch may lie over an earlier one.
    layers.extend(written.map(|patch| {
        OverlayLayer::new(vec![OverlayPiece {
            at: patch.at,
            from: ByteSource::Bytes(patch.after.clone()),
        }])
    }));
    layers
}

fn left(moves: &[Move]) -> Vec<OverlayPiece> {
    let mut cuts: Vec<u64> = moves
        .iter()
        .flat_map(|one| [one.source(), one.destination()])
        .flat_map(|place| [place.start, place.end])
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let among = |at: u64, place: fn(&Move) -> std::ops::Range<u64>| {
        moves.iter().any(|one| place(one).contains(&at))
    };
    let pairs = cuts.iter().zip(cuts.iter().skip(1));
    pairs
        .filter(|(start, _)| among(**start, Move::source) && !among(**start, Move::destination))
        .map(|(start, end)| OverlayPiece {
            at: *start,
            from: ByteSource::Zeros(end - start),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_where_nothing_has_come() {
        let one = |from, to, bytes| Move { from, to, bytes };
        let places: Vec<_> = left(&[one(100, 120, 50), one(300, 200, 50), one(170, 310, 10)])
            .iter()
            .map(OverlayPiece::place)
            .collect();
        assert_eq!(places, [100..120, 170..180, 300..310, 320..350]);
    }
}
