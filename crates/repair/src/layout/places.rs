//! The places worth trying for each block.

use super::MovableBlock;

/// More places than this for one block are not tried: neighbours push each other only so far.
const MOST: usize = 96;

/// The places of every block, in the order of the blocks.
pub fn all(blocks: &[&MovableBlock]) -> Vec<Vec<u64>> {
    let mut places: Vec<_> = blocks.iter().map(|block| beside(block)).collect();
    // Twice both ways: a block that was pushed left may have to be pushed right again.
    for _ in 0..2 {
        push_right(blocks, &mut places);
        push_left(blocks, &mut places);
    }
    for (block, places) in blocks.iter().zip(&mut places) {
        places.retain(|at| block.may_start(*at));
    }
    places
}

/// Its place, the boundaries beside that place, and those from which on old and new place share nothing.
fn beside(block: &MovableBlock) -> Vec<u64> {
    let mut places = vec![block.start];
    let before = [Some(block.start), block.start.checked_sub(block.size)];
    let after = [Some(block.start), block.start.checked_add(block.size)];
    if let Some(grid) = block.grid {
        let before = before.into_iter().flatten();
        places.extend(before.filter_map(|at| grid.at_or_before(at)));
        let after = after.into_iter().flatten();
        places.extend(after.filter_map(|at| grid.at_or_after(at)));
    }
    places
}

/// The first good starts after the places of the block before.
fn push_right(blocks: &[&MovableBlock], places: &mut [Vec<u64>]) {
    for (index, pair) in blocks.windows(2).enumerate() {
        let [before, block] = pair else { continue };
        let ends = places.get(index).into_iter().flatten();
        let free = ends.map(|at| before.end(*at).saturating_add(block.ahead));
        let pushed: Vec<_> = free
            .chain([block.within.0.saturating_add(block.ahead)])
            .filter_map(|at| block.grid.map_or(Some(at), |grid| grid.at_or_after(at)))
            .collect();
        add(block, places.get_mut(index + 1), pushed);
    }
    if let (Some(block), Some(first)) = (blocks.first(), places.first_mut()) {
        let at = block.within.0.saturating_add(block.ahead);
        let at = block.grid.map_or(Some(at), |grid| grid.at_or_after(at));
        add(block, Some(first), at.into_iter().collect());
    }
}

/// The last good starts before the places of the block after.
fn push_left(blocks: &[&MovableBlock], places: &mut [Vec<u64>]) {
    for (index, block) in blocks.iter().enumerate().rev() {
        let next = blocks.get(index + 1).zip(places.get(index + 1));
        let limits: Vec<_> = match next {
            Some((next, at)) => at.iter().map(|at| at.saturating_sub(next.ahead)).collect(),
            None => Vec::new(),
        };
        let pushed = limits
            .into_iter()
            .chain([block.within.1])
            .filter_map(|limit| limit.checked_sub(block.size))
            .filter_map(|at| block.grid.map_or(Some(at), |grid| grid.at_or_before(at)))
            .collect();
        add(block, places.get_mut(index), pushed);
    }
}

/// The nearest of them, each once.
fn add(block: &MovableBlock, places: Option<&mut Vec<u64>>, new: Vec<u64>) {
    let Some(places) = places else { return };
    places.extend(new);
    places.sort_unstable_by_key(|at| (at.abs_diff(block.start), *at));
    places.dedup();
    places.truncate(MOST);
}
