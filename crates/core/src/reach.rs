//! From which layers the grids below can be reached.
//!
//! A host has thousands of layers and grids, and each layer lies on a few of them: to try every layer
//! with every grid took minutes where this takes milliseconds.

use std::rc::Rc;

use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::stack::Stack;

/// The layers below that an address can be followed to.
pub(crate) fn followed(layer: &Layer) -> impl Iterator<Item = LayerId> {
    layer
        .below
        .iter()
        .filter(|edge| !matches!(edge.map, Map::Opaque(_)))
        .map(|edge| edge.below)
}

/// For each layer, the layers with grids below it to which its addresses can be followed, in order.
///
/// Lists are shared: of a thousand volumes on one group each has the same.
pub(crate) struct Reach(Vec<Rc<[LayerId]>>);

impl Reach {
    pub(crate) fn of(stack: &Stack) -> Self {
        let mut has_grid = vec![false; stack.len()];
        for grid in &stack.grids {
            if let Some(slot) = has_grid.get_mut(grid.layer.0) {
                *slot = true;
            }
        }
        let mut lists: Vec<Rc<[LayerId]>> = Vec::with_capacity(stack.len());
        for (_, layer) in stack.layers() {
            let list = list(layer, &has_grid, &lists);
            lists.push(list);
        }
        Self(lists)
    }

    /// The layers with grids below `layer`.
    pub(crate) fn grid_layers(&self, layer: LayerId) -> &[LayerId] {
        self.0.get(layer.0).map_or(&[], |list| list)
    }

    /// Whether `layer` is `target`, a layer with a grid, or can be followed down to it.
    pub(crate) fn leads(&self, layer: LayerId, target: LayerId) -> bool {
        layer == target || self.grid_layers(layer).binary_search(&target).is_ok()
    }
}

fn list(layer: &Layer, has_grid: &[bool], lists: &[Rc<[LayerId]>]) -> Rc<[LayerId]> {
    let mut below = followed(layer);
    if let (Some(only), None) = (below.next(), below.next())
        && !has_grid[only.0]
    {
        return Rc::clone(&lists[only.0]);
    }
    let mut all: Vec<LayerId> = followed(layer)
        .flat_map(|below| {
            let own = has_grid[below.0].then_some(below);
            lists[below.0].iter().copied().chain(own)
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}
