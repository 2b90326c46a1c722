//! A stack with what all rules ask of it, at a price that a host with thousands of volumes can pay.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::room::PartitionRoom;
use super::{LayerPhases, moves};
use crate::grid::Grid;
use crate::layer::Kind;
use crate::layer::detail::ArrayLevel;
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::phase::{PhaseSet, phases_along};
use crate::reach::Reach;
use crate::stack::Stack;

/// A stack with what all rules ask of it.
pub(super) struct StackCase<'a> {
    pub(super) stack: &'a Stack,
    /// By layer, then by grid.
    pub(super) phases: Vec<LayerPhases>,
    /// Indices of the grids in each layer, by the layer's index.
    grids: Vec<Vec<usize>>,
    /// Layers whose contents are being moved.
    in_flight: BTreeSet<LayerId>,
    /// Made when it is asked for: most stacks are right.
    room: OnceCell<PartitionRoom>,
}

impl<'a> StackCase<'a> {
    pub(super) fn new(stack: &'a Stack) -> Self {
        let mut grids = vec![Vec::new(); stack.len()];
        for (index, grid) in stack.grids.iter().enumerate() {
            if let Some(list) = grids.get_mut(grid.layer.0) {
                list.push(index);
            }
        }
        let mut case = Self {
            stack,
            phases: Vec::new(),
            grids,
            in_flight: moves::in_flight(stack).collect(),
            room: OnceCell::new(),
        };
        let reach = Reach::of(stack);
        for (layer, _) in stack.layers() {
            let met = case.grids_in(reach.grid_layers(layer));
            let met = met.into_iter().filter_map(|grid| {
                let target = &stack.grids[grid];
                let reaches = |id| reach.leads(id, target.layer);
                let phases = phases_along(stack, layer, target, &reaches);
                phases.is_known().then_some(LayerPhases {
                    layer,
                    grid,
                    phases,
                })
            });
            case.phases.extend(met);
        }
        case
    }

    /// The indices of all grids of these layers, in order.
    fn grids_in<'b>(&self, layers: impl IntoIterator<Item = &'b LayerId>) -> Vec<usize> {
        let mut all: Vec<usize> = layers
            .into_iter()
            .flat_map(|layer| self.grids[layer.0].iter().copied())
            .collect();
        all.sort_unstable();
        all
    }

    /// The grids of a layer and of all below it.
    pub(super) fn grids_under(&self, layer: LayerId) -> impl Iterator<Item = &'a Grid> + use<'a> {
        let mut layers = self.under(layer);
        layers.insert(layer);
        self.indexed(&layers).map(|(_, grid)| grid)
    }

    /// The grids of all layers below one.
    pub(super) fn grids_below(
        &self,
        layer: LayerId,
    ) -> impl Iterator<Item = (usize, &'a Grid)> + use<'a> {
        self.indexed(&self.under(layer))
    }

    /// The grids of these layers, in order.
    fn indexed(
        &self,
        layers: &BTreeSet<LayerId>,
    ) -> impl Iterator<Item = (usize, &'a Grid)> + use<'a> {
        let stack = self.stack;
        let indices = self.grids_in(layers).into_iter();
        indices.map(move |index| (index, &stack.grids[index]))
    }

    /// The other grids of the layer that `grid` lies in, and itself.
    pub(super) fn grids_beside(&self, grid: &Grid) -> impl Iterator<Item = (usize, &'a Grid)> {
        let stack = self.stack;
        let list = self.grids.get(grid.layer.0).map_or(&[][..], Vec::as_slice);
        list.iter().map(move |index| (*index, &stack.grids[*index]))
    }

    /// The offsets of `layer` on each trusted grid below it.
    pub(super) fn on_grids(
        &self,
        layer: LayerId,
    ) -> impl Iterator<Item = (usize, &'a Grid, &PhaseSet)> {
        let stack = self.stack;
        let first = self.phases.partition_point(|entry| entry.layer < layer);
        self.phases[first..]
            .iter()
            .take_while(move |entry| entry.layer == layer)
            .filter_map(move |entry| {
                let grid = stack.grids.get(entry.grid)?;
                grid.trusted().then_some((entry.grid, grid, &entry.phases))
            })
    }

    pub(super) fn phases_on(&self, layer: LayerId, grid: usize) -> Option<&PhaseSet> {
        let found = self
            .phases
            .binary_search_by_key(&(layer, grid), |entry| (entry.layer, entry.grid));
        found.ok().map(|index| &self.phases[index].phases)
    }

    pub(super) fn phases_for(&self, layer: LayerId, grid: &Grid) -> Option<&PhaseSet> {
        let (index, _) = self
            .grids_beside(grid)
            .find(|(_, other)| std::ptr::eq(*other, grid))?;
        self.phases_on(layer, index)
    }

    /// Layers on which nothing lies and through which a workload's I/O goes.
    pub(super) fn data_leaves(&self) -> impl Iterator<Item = LayerId> {
        self.stack
            .layers()
            .map(|(id, _)| id)
            .filter(|id| self.is_judged(*id))
    }

    fn is_judged(&self, id: LayerId) -> bool {
        let layer = self.stack.layer(id);
        layer.role.carries_data()
            && !matches!(layer.kind, Kind::Disk | Kind::Image | Kind::Database)
            && self.is_data_leaf(id)
            && !self.is_in_flight(id)
    }

    /// Whether its disk is on the way to another layout: then no start on it is a fact.
    pub(super) fn is_in_flight(&self, id: LayerId) -> bool {
        let marked = &self.in_flight;
        !marked.is_empty() && (marked.contains(&id) || !self.under(id).is_disjoint(marked))
    }

    /// Nothing lies on it that carries data and can be followed down to it.
    ///
    /// A database is judged by its page size; the starts of its files are the file system's.
    fn is_data_leaf(&self, id: LayerId) -> bool {
        self.stack.above(id).all(|above| {
            let layer = self.stack.layer(above);
            let lost = layer
                .below
                .iter()
                .all(|edge| matches!(edge.map, Map::Opaque(_)));
            lost || layer.kind == Kind::Database || !layer.role.carries_data()
        })
    }

    pub(super) fn databases(&self) -> impl Iterator<Item = LayerId> {
        self.stack
            .layers()
            .filter(|(_, layer)| layer.kind == Kind::Database)
            .map(|(id, _)| id)
    }

    /// Everything below a layer, by any map.
    fn under(&self, layer: LayerId) -> BTreeSet<LayerId> {
        closure(layer, |id| {
            self.stack.layer(id).below.iter().map(|edge| edge.below)
        })
    }

    /// Whether `layer` lies on `other`, directly or through others.
    pub(super) fn lies_on(&self, layer: LayerId, other: LayerId) -> bool {
        self.under(layer).contains(&other)
    }

    /// The data leaves that lie on a layer, directly or through others.
    pub(super) fn leaves_on(&self, layer: LayerId) -> Vec<LayerId> {
        let over = closure(layer, |id| self.stack.above(id));
        over.into_iter().filter(|id| self.is_judged(*id)).collect()
    }

    /// Places that partitions could be moved to.
    pub(super) fn room(&self) -> &PartitionRoom {
        self.room.get_or_init(|| PartitionRoom::of(self.stack))
    }

    /// Whether a layer is an array that computes parity.
    pub(super) fn has_parity(&self, layer: LayerId) -> bool {
        let level = self.stack.layer(layer).level.as_ref();
        level.is_some_and(ArrayLevel::has_parity)
    }

    /// Disks and images below a layer, or itself.
    pub(super) fn bottoms(&self, layer: LayerId) -> Vec<LayerId> {
        let mut all = self.under(layer);
        all.insert(layer);
        let bottom = |id: &LayerId| self.stack.layer(*id).below.is_empty();
        all.into_iter().filter(bottom).collect()
    }

    /// `partition sda1`: how sentences name a layer.
    pub(super) fn name(&self, layer: LayerId) -> String {
        let layer = self.stack.layer(layer);
        match layer.kind {
            Kind::Partition => format!("partition {}", layer.name),
            Kind::Filesystem | Kind::Swap => match self.holder(layer) {
                Some(holder) => format!("{} on {}", layer.name, holder),
                None => layer.name.clone(),
            },
            Kind::LvmPv => format!("the extents area of {}", layer.name),
            Kind::LvmLv => format!("logical volume {}", layer.name),
            Kind::Disk | Kind::Image => layer.name.clone(),
            Kind::Md => format!("array {}", layer.name),
            Kind::ThinPool => format!("thin pool {}", layer.name),
            Kind::Crypt => format!("encrypted volume {}", layer.name),
            other => format!("{} {}", other.name(), layer.name),
        }
    }

    /// The same as the first words of a sentence, where a bare device name must not get a capital.
    pub(super) fn subject(&self, layer: LayerId) -> String {
        let name = self.name(layer);
        match self.stack.layer(layer).kind {
            Kind::Disk => format!("Disk {name}"),
            Kind::Image => format!("Image {name}"),
            Kind::Filesystem => format!("File system {name}"),
            _ => capitalised(&name),
        }
    }

    fn holder(&self, layer: &crate::Layer) -> Option<&'a str> {
        let below = layer.below.first()?.below;
        Some(self.stack.layer(below).name.as_str())
    }
}

/// With a capital first letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// All that can be reached from `start` by `next`, without itself.
fn closure<I: Iterator<Item = LayerId>>(
    start: LayerId,
    next: impl Fn(LayerId) -> I,
) -> BTreeSet<LayerId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![start];
    while let Some(id) = pending.pop() {
        pending.extend(next(id).filter(|id| found.insert(*id)));
    }
    found
}
