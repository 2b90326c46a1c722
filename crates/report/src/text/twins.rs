//! Finds layers that differ only in their names, so that twelve members take the room of one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ioalign_core::{Grid, LayerId, Map};

use crate::model::Target;
use crate::words::facts;

/// A fingerprint of every layer with all that lies below it, without names.
///
/// Only ever compared within one target. Bottom first, so each layer is hashed once.
pub fn shapes(target: &Target) -> Vec<u64> {
    let mut shapes: Vec<u64> = Vec::with_capacity(target.stack.len());
    for (id, layer) in target.stack.layers() {
        let mut hasher = DefaultHasher::new();
        (
            layer.kind,
            layer.role,
            layer.size,
            layer.block,
            facts::telling(layer),
        )
            .hash(&mut hasher);
        layer.logical_sector.hash(&mut hasher);
        layer
            .start_sectors
            .map(|s| (s.count(), s.size()))
            .hash(&mut hasher);
        for edge in &layer.below {
            shapes.get(edge.below.0).hash(&mut hasher);
            place(&edge.map, &mut hasher);
        }
        for grid in target.stack.grids.iter().filter(|grid| grid.layer == id) {
            nature(grid, &mut hasher);
        }
        for one in target.phases_of(id) {
            if let Some(grid) = target.stack.grids.get(one.grid) {
                nature(grid, &mut hasher);
            }
            for phase in &one.phases.phases {
                (phase.offset, phase.weight.to_bits()).hash(&mut hasher);
            }
        }
        shapes.push(hasher.finish());
    }
    shapes
}

/// The same with all that lies above, which `above` lists for each layer.
pub fn with_above(target: &Target, above: &[Vec<LayerId>]) -> Vec<u64> {
    let mut whole = shapes(target);
    for (layer, list) in above.iter().enumerate().rev() {
        let mut upper: Vec<_> = list
            .iter()
            .filter_map(|id| whole.get(id.0))
            .copied()
            .collect();
        upper.sort_unstable();
        let mut hasher = DefaultHasher::new();
        (whole.get(layer), upper).hash(&mut hasher);
        if let Some(shape) = whole.get_mut(layer) {
            *shape = hasher.finish();
        }
    }
    whole
}

fn place(map: &Map, hasher: &mut DefaultHasher) {
    (map.name(), map.start()).hash(hasher);
    if let Map::Striped { chunk, data, .. } = map {
        (chunk, data).hash(hasher);
    }
}

fn nature(grid: &Grid, hasher: &mut DefaultHasher) {
    (
        grid.size,
        grid.phase,
        grid.tier,
        &grid.kind,
        &grid.source,
        &grid.distrust,
    )
        .hash(hasher);
}

/// Groups `ids` by shape, in the order in which each shape first occurs.
pub fn group(shapes: &[u64], ids: &[LayerId]) -> Vec<Vec<LayerId>> {
    let mut groups: Vec<(Option<&u64>, Vec<LayerId>)> = Vec::new();
    for id in ids {
        let shape = shapes.get(id.0);
        match groups.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, group)) => group.push(*id),
            None => groups.push((shape, vec![*id])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
