//! Chooses what the picture shows: the worst defect, the layers on its way, a telling request.

use ioalign_core::{Finding, Grid, LayerId, Map, Stack, Tier};

use crate::model::Target;
use crate::order;
use crate::words::headline::grid_of;

/// Climbing and descending stop here in any stack.
const DEEPEST: usize = 64;

/// The worst finding about a believed grid, if it is worse than a note.
pub fn defect(target: &Target) -> Option<&Finding> {
    order::findings(target).into_iter().find(|finding| {
        finding.severity > ioalign_core::Severity::Note
            && finding.offset.is_some_and(|offset| !offset.is_zero())
            && grid_of(target, finding).is_some_and(Grid::trusted)
            && finding.layer.is_some()
    })
}

/// A layer that nothing lies on, above `from`; one that is off the grid where there is a choice.
pub fn top_above(target: &Target, from: LayerId, grid: Option<usize>) -> LayerId {
    let mut id = from;
    for _ in 0..DEEPEST {
        let above: Vec<_> = target.stack.above(id).collect();
        let off = |layer: &&LayerId| {
            grid.and_then(|grid| target.phases_on(**layer, grid))
                .is_some_and(|phases| phases.off_grid() > 0.0)
        };
        match above.iter().find(off).or_else(|| above.first()) {
            Some(next) => id = *next,
            None => break,
        }
    }
    id
}

/// From `top` down to the bottom, through `via` where that is possible.
pub fn path(stack: &Stack, top: LayerId, via: &[LayerId]) -> Vec<LayerId> {
    let below = reach(stack, via);
    let mut path = vec![top];
    let mut id = top;
    while path.len() < DEEPEST {
        let edges = &stack.layer(id).below;
        let score = |layer: LayerId| below.get(layer.0).copied().unwrap_or(0);
        let most = edges.iter().map(|edge| score(edge.below)).max();
        let Some(next) = edges.iter().find(|edge| Some(score(edge.below)) == most) else {
            break;
        };
        id = next.below;
        path.push(id);
    }
    path
}

/// For every layer how many of `wanted` lie at it or below it.
fn reach(stack: &Stack, wanted: &[LayerId]) -> Vec<usize> {
    let mut reach: Vec<usize> = Vec::with_capacity(stack.len());
    for (id, layer) in stack.layers() {
        let lower = layer
            .below
            .iter()
            .filter_map(|edge| reach.get(edge.below.0))
            .max();
        let own = usize::from(wanted.contains(&id));
        reach.push(lower.copied().unwrap_or(0) + own);
    }
    reach
}

/// The address of an address of the first layer of `path` in each layer, and how many bytes follow
/// it there without a break. Shorter than `path` if its place is not known.
pub fn follow(stack: &Stack, path: &[LayerId], address: u64) -> Vec<(u64, u64)> {
    let mut places = vec![(address, u64::MAX)];
    for pair in path.windows(2) {
        let ([upper, lower], Some(&(at, room))) = (pair, places.last()) else {
            break;
        };
        let edges = &stack.layer(*upper).below;
        let Some(edge) = edges.iter().find(|edge| edge.below == *lower) else {
            break;
        };
        match lower_address(&edge.map, at) {
            Some((to, run)) => places.push((to, room.min(run))),
            None => break,
        }
    }
    places
}

fn lower_address(map: &Map, at: u64) -> Option<(u64, u64)> {
    match map {
        Map::Shift { start } | Map::Mirror { start } => {
            Some((start.get().checked_add(at)?, u64::MAX))
        }
        Map::Linear(runs) => runs.resolve(at),
        Map::Striped {
            start, chunk, data, ..
        } => {
            let chunk = chunk.get();
            let (index, within) = (at.checked_div(chunk)?, at.checked_rem(chunk)?);
            let stripe = index.checked_div(*data)?;
            let to = start.get().checked_add(stripe.checked_mul(chunk)?)?;
            Some((to.checked_add(within)?, chunk - within))
        }
        // Anywhere at a whole number of granules: drawn as if it were the first.
        Map::Scattered { start, granule } => {
            let within = at.checked_rem(granule.get())?;
            let to = start.get().checked_add(at)?;
            Some((to, granule.get() - within))
        }
        Map::Within { .. } | Map::Opaque(_) => None,
    }
}

/// The grid that a picture of a sound stack is scaled by: what a page-sized request could break on.
pub fn sound_focus(target: &Target, path: &[LayerId]) -> Option<usize> {
    let grids = target.stack.grids.iter().enumerate();
    let usable = grids.filter(|(_, grid)| grid.trusted() && path.contains(&grid.layer));
    usable
        .min_by_key(|(_, grid)| {
            let size = grid.size.get();
            let too_large = size > 256 << 10;
            (
                too_large,
                grid.tier != Tier::Rmw,
                grid.tier,
                u64::MAX - size,
            )
        })
        .map(|(index, _)| index)
}

/// Request sizes that people know, smallest first.
const SIZES: [u64; 8] = [
    512,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    1 << 20,
];

/// The smallest request of at least `block` bytes that would fit a cell and crosses a boundary.
pub fn telling_size(block: u64, cell: u64, offset: u64) -> u64 {
    let least = block.max(if cell < 4096 { 512 } else { 4096 });
    SIZES
        .into_iter()
        .chain([cell])
        .filter(|size| *size >= least && *size <= cell)
        .find(|size| offset.saturating_add(*size) > cell)
        .unwrap_or(if offset == 0 {
            least.min(cell.max(least))
        } else {
            least.max(cell)
        })
}
