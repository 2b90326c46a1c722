//! An order of moves in which none overwrites what is still to be moved.

use super::BlockShift;

/// Sorts shifts so that each goes where nothing waits to be moved any more; `None` where two want each
/// other's place, which cannot be when blocks keep their order.
pub fn in_order(shifts: &[BlockShift]) -> Option<Vec<BlockShift>> {
    let mut left: Vec<_> = shifts.to_vec();
    left.sort_by_key(|shift| shift.from);
    let mut done = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let free = left
            .iter()
            .position(|shift| !left.iter().any(|other| blocks(other, shift)))?;
        done.push(left.remove(free));
    }
    Some(done)
}

/// Whether `other` still lies where `shift` goes.
const fn blocks(other: &BlockShift, shift: &BlockShift) -> bool {
    other.number != shift.number
        && other.from < shift.to.saturating_add(shift.size)
        && shift.to < other.from.saturating_add(other.size)
}
