//! What must not be written beside patches.

use std::ops::Range;

use crate::Patch;
use crate::mover::job::overlap;

/// Partitions that stay and places that are reserved, as `keep` of a job wants them: without the sectors
/// that patches write there. A boot sector can be in another partition than what it loads.
pub fn kept(ranges: Vec<Range<u64>>, patches: &[Patch]) -> Vec<Range<u64>> {
    let mut places: Vec<_> = patches.iter().map(Patch::place).collect();
    places.sort_by_key(|place| place.start);
    let mut out = Vec::new();
    for whole in ranges {
        let mut start = whole.start;
        for place in places.iter().filter(|place| overlap(place, &whole)) {
            out.push(start..place.start);
            start = start.max(place.end);
        }
        out.push(start..whole.end);
    }
    out.retain(|range| range.start < range.end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PatchPhase;

    #[test]
    fn what_is_patched_is_not_kept() {
        let patch = |at: u64, bytes: usize| Patch {
            phase: PatchPhase::Table,
            at,
            before: vec![0; bytes],
            after: vec![1; bytes],
        };
        let patches = [patch(4, 4), patch(0, 2)];
        assert_eq!(kept(vec![0..10, 20..30], &patches), [2..4, 8..10, 20..30]);
        assert_eq!(kept(vec![4..8, 5..7, 0..6, 9..12], &patches), [2..4, 9..12]);
    }
}
