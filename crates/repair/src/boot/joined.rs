//! Patches of tables and of boot code as one list, and what must not be written beside them.

use std::ops::Range;

use crate::mover::job::overlap;
use crate::{Patch, PatchPhase};

/// Joins the patches that write a table (in their order) with those of [`fixups`](super::fixups).
///
/// Boot code may share a sector with a table: the MBR, the first extended boot record. What boot code
/// changes there is then changed in the table's patch, so that each sector is written once. Other boot
/// code is written before the table, whose last sector commits.
pub fn joined(tables: Vec<Patch>, fixups: Vec<Patch>) -> Vec<Patch> {
    let mut tables = tables;
    let mut out = Vec::with_capacity(tables.len() + fixups.len());
    for patch in fixups {
        let same = tables
            .iter_mut()
            .find(|table| patch.phase == PatchPhase::Table && covers(table, &patch));
        match same {
            Some(table) => overlay(table, &patch),
            None => out.push(patch),
        }
    }
    out.append(&mut tables);
    out
}

/// Whether all of `patch` lies in what `table` writes.
fn covers(table: &Patch, patch: &Patch) -> bool {
    let (whole, part) = (table.place(), patch.place());
    table.phase == PatchPhase::Table && whole.start <= part.start && part.end <= whole.end
}

/// Brings what `patch` changes into `table`.
fn overlay(table: &mut Patch, patch: &Patch) {
    let skip = usize::try_from(patch.at.saturating_sub(table.at)).unwrap_or(usize::MAX);
    let places = table.after.iter_mut().skip(skip);
    for ((old, new), place) in patch.before.iter().zip(&patch.after).zip(places) {
        if old != new {
            *place = *new;
        }
    }
}

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

    fn patch(at: u64, before: &[u8], after: &[u8]) -> Patch {
        Patch {
            phase: PatchPhase::Table,
            at,
            before: before.to_vec(),
            after: after.to_vec(),
        }
    }

    #[test]
    fn one_sector_is_written_once_with_both_changes() {
        let table = patch(0, &[1, 2, 3, 4], &[1, 2, 3, 9]);
        let boot = patch(0, &[1, 2, 3, 4], &[8, 2, 3, 4]);
        let other = patch(8, &[5], &[6]);
        let all = joined(vec![table], vec![boot, other.clone()]);
        assert_eq!(all, [other, patch(0, &[1, 2, 3, 4], &[8, 2, 3, 9])]);
    }

    #[test]
    fn what_is_patched_is_not_kept() {
        let patches = [patch(4, &[0; 4], &[1; 4]), patch(0, &[0; 2], &[1; 2])];
        assert_eq!(kept(vec![0..10, 20..30], &patches), [2..4, 8..10, 20..30]);
        assert_eq!(kept(vec![4..8, 5..7, 0..6, 9..12], &patches), [2..4, 9..12]);
    }
}
