//! Patches of tables and of boot code as one list.

use crate::{Patch, Phase};

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
            .find(|table| patch.phase == Phase::Table && covers(table, &patch));
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
    table.phase == Phase::Table && whole.start <= part.start && part.end <= whole.end
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

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(at: u64, before: &[u8], after: &[u8]) -> Patch {
        Patch {
            phase: Phase::Table,
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
}
