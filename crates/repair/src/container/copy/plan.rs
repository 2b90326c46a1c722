//! Where every byte of the new image comes from.

use std::ops::Range;

use crate::mover::job::overlap;
use crate::overlay::{ByteOrigin, Origins};
use crate::{Job, Patch, PatchPhase};

/// A stretch of the new disk with one origin.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Its end; it begins where the one before ends.
    end: u64,
    /// The address of its first byte on the old disk; `None` for zeros.
    from: Option<u64>,
}

/// All stretches, in order.
pub struct CopyPlan(Vec<Stretch>);

impl CopyPlan {
    /// Cuts the disk where a move begins or ends.
    pub fn new(job: &Job, size: u64) -> Self {
        let mut cuts: Vec<u64> = vec![0, size];
        for one in &job.moves {
            let (from, to) = (one.source(), one.destination());
            cuts.extend([from.start, from.end, to.start, to.end]);
        }
        cuts.retain(|cut| *cut <= size);
        cuts.sort_unstable();
        cuts.dedup();
        let pairs = cuts.iter().zip(cuts.iter().skip(1));
        let stretch = |(start, end): (&u64, &u64)| Stretch {
            end: *end,
            from: origin(job, *start),
        };
        Self(pairs.map(stretch).collect())
    }
}

impl Origins for CopyPlan {
    fn origin(&self, at: u64) -> (ByteOrigin<'_>, u64) {
        let index = self.0.partition_point(|stretch| stretch.end <= at);
        let before = index.checked_sub(1).and_then(|index| self.0.get(index));
        let start = before.map_or(0, |stretch| stretch.end);
        let Some(stretch) = self.0.get(index) else {
            return (ByteOrigin::Zeros, u64::MAX);
        };
        let from = stretch
            .from
            .map(|from| ByteOrigin::Old(from + (at - start)));
        (from.unwrap_or(ByteOrigin::Zeros), stretch.end - at)
    }
}

/// What is written over a place, in order.
pub fn patches<'a>(all: &'a [Patch], place: &Range<u64>) -> impl Iterator<Item = &'a Patch> {
    let place = place.clone();
    let written = all
        .iter()
        .filter(|patch| patch.phase != PatchPhase::Covered);
    written.filter(move |patch| overlap(&patch.place(), &place))
}

/// Where the byte at `at` comes from: a move that ends there, or the same place unless a move has left it.
fn origin(job: &Job, at: u64) -> Option<u64> {
    let arrives = job.moves.iter().find(|one| one.destination().contains(&at));
    if let Some(one) = arrives {
        return Some(at - one.to + one.from);
    }
    let left = job.moves.iter().any(|one| one.source().contains(&at));
    (!left).then_some(at)
}

/// Lays what belongs at `at` over a piece that begins at `start`.
pub fn lay(at: u64, bytes: &[u8], start: u64, piece: &mut [u8]) {
    let skip = usize::try_from(start.saturating_sub(at)).unwrap_or(usize::MAX);
    let into = usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX);
    let from = bytes.get(skip..).unwrap_or_default();
    let to = piece.get_mut(into..).unwrap_or_default();
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Identity, Move};

    #[test]
    fn what_a_move_leaves_is_zeros() {
        let one = |from, to, bytes| Move { from, to, bytes };
        let job = Job {
            moves: vec![one(100, 120, 50), one(300, 200, 50)],
            patches: Vec::new(),
            keep: Vec::new(),
            identity: Identity {
                size_bytes: 1000,
                logical_bytes: 1,
                witnesses: Vec::new(),
                saved: crate::mover::job::SavedBlocks::default(),
            },
        };
        let plan = CopyPlan::new(&job, 1000);
        let expected = [
            (0, Some(0), 100),
            (100, None, 20),
            (120, Some(100), 30),
            (160, Some(140), 10),
            (170, Some(170), 30),
            (200, Some(300), 50),
            (300, None, 50),
            (999, Some(999), 1),
        ];
        for (at, from, room) in expected {
            let from = from.map_or(ByteOrigin::Zeros, ByteOrigin::Old);
            assert_eq!(plan.origin(at), (from, room), "{at}");
        }
    }

    #[test]
    fn a_patch_is_cut_to_the_piece() {
        for (at, start, expected) in [(0, 2, [3, 4, 0]), (3, 2, [0, 1, 2]), (9, 2, [0, 0, 0])] {
            let mut piece = [0; 3];
            lay(at, &[1, 2, 3, 4], start, &mut piece);
            assert_eq!(piece, expected);
        }
    }
}
