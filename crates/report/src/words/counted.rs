//! How many of the layers that hold data are off a grid, whichever layer is to blame.

use ioalign_core::{Bytes, Grid, Kind, LayerId, Map, PhaseSet, Role};

use super::kinds;
use super::numbers::count;
use super::place;
use super::sentence::capital;
use crate::model::Target;

/// Layers of one kind: how many of them are off, and how many there are.
struct KindTally {
    what: String,
    off: usize,
    total: usize,
}

/// `2 of 3 file systems and the swap area`, and whether that is a plural; `layer` where it is alone.
pub fn off(target: &Target, layer: LayerId, grid: &Grid) -> (String, bool) {
    let tallies = tallies(target, grid);
    let mut off: Vec<_> = tallies.iter().filter(|tally| tally.off > 0).collect();
    off.sort_by_key(|tally| tally.what.starts_with("swap"));
    let judged: usize = tallies.iter().map(|tally| tally.total).sum();
    match off.as_slice() {
        [] => (capital(&place::name(&target.stack, layer)), false),
        [_] if judged < 2 => (capital(&place::name(&target.stack, layer)), false),
        many => {
            let list: Vec<_> = many.iter().map(|tally| phrase(tally)).collect();
            let several = many.iter().map(|tally| tally.off).sum::<usize>() > 1;
            (capital(&list.join(" and ")), several)
        }
    }
}

fn phrase(tally: &KindTally) -> String {
    match (tally.off, tally.total) {
        (1, 1) => format!("the {}", tally.what),
        (n, total) if n == total => format!("all {} {}s", count(n), tally.what),
        (n, total) => format!("{} of {} {}s", count(n), count(total), tally.what),
    }
}

/// One row a kind, over all layers that hold data and meet such a grid.
fn tallies(target: &Target, grid: &Grid) -> Vec<KindTally> {
    let mut tallies: Vec<KindTally> = Vec::new();
    for (id, layer) in target.stack.layers() {
        if !holds_data(target, id) {
            continue;
        }
        let Some(is_off) = stands(target, id, grid) else {
            continue;
        };
        let what = match (layer.kind, layer.role) {
            (Kind::Partition, Role::Swap) => "swap partition",
            (kind, _) => kinds::layer(kind),
        };
        let known = tallies.iter().position(|tally| tally.what == what);
        let index = known.unwrap_or_else(|| {
            tallies.push(KindTally {
                what: what.to_owned(),
                off: 0,
                total: 0,
            });
            tallies.len() - 1
        });
        if let Some(tally) = tallies.get_mut(index) {
            tally.off += usize::from(is_off);
            tally.total += 1;
        }
    }
    tallies
}

/// Whether it is off a grid like this one; `None` where it meets none.
fn stands(target: &Target, id: LayerId, grid: &Grid) -> Option<bool> {
    let alike = |other: &Grid| {
        other.trusted()
            && (other.size, &other.kind, other.tier) == (grid.size, &grid.kind, grid.tier)
    };
    let met = target
        .phases_of(id)
        .filter(|one| target.stack.grids.get(one.grid).is_some_and(alike))
        .map(|one| &one.phases)
        .filter(|phases| phases.is_known());
    met.map(|phases| !PhaseSet::is_aligned(phases))
        .reduce(|a, b| a || b)
}

/// The top of what a workload writes to: no data layer above it but a database, which is judged by
/// its pages, or one whose place is not known.
fn holds_data(target: &Target, id: LayerId) -> bool {
    let layer = target.stack.layer(id);
    let container = matches!(layer.kind, Kind::Disk | Kind::Image | Kind::Database);
    layer.role.carries_data()
        && !container
        && layer.size != Some(Bytes::ZERO)
        && target.stack.above(id).all(|above| {
            let above = target.stack.layer(above);
            let lost = above
                .below
                .iter()
                .all(|edge| matches!(edge.map, Map::Opaque(_)));
            lost || above.kind == Kind::Database || !above.role.carries_data()
        })
}
