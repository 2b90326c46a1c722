//! The graph of layers and the grids that lie in them.

use crate::grid::Grid;
use crate::layer::Layer;
use crate::layer_id::LayerId;

/// Layers, bottom first: an edge always points to a smaller [`LayerId`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    layers: Vec<Layer>,
    /// The layers that lie directly on each, by index: a host with thousands of volumes asks this of
    /// every one of them.
    above: Vec<Vec<LayerId>>,
    /// All grids, each in one layer's address space.
    pub grids: Vec<Grid>,
    /// The release of the kernel that runs it, as it names itself; `None`: no kernel does, or it is not known.
    pub kernel: Option<String>,
}

impl Stack {
    /// An empty stack.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a layer on layers that are already there.
    ///
    /// An edge to a layer that is not there yet is dropped: a stack is acyclic by construction.
    pub fn push(&mut self, mut layer: Layer) -> LayerId {
        let id = LayerId(self.layers.len());
        layer.below.retain(|edge| edge.below < id);
        for edge in &layer.below {
            let above = &mut self.above[edge.below.0];
            if above.last() != Some(&id) {
                above.push(id);
            }
        }
        self.layers.push(layer);
        self.above.push(Vec::new());
        id
    }

    /// The layers, bottom first.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = (LayerId, &Layer)> {
        self.layers
            .iter()
            .enumerate()
            .map(|(index, layer)| (LayerId(index), layer))
    }

    /// How many layers there are.
    pub fn len(&self) -> usize {
        self.layers.len()
    }

    /// Whether there is no layer.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// A layer.
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.layers[id.0]
    }

    /// A layer, to add what was learned later. Its edges must stay as they are.
    pub fn layer_mut(&mut self, id: LayerId) -> &mut Layer {
        &mut self.layers[id.0]
    }

    /// The layers that lie directly on `id`.
    pub fn above(&self, id: LayerId) -> impl Iterator<Item = LayerId> {
        self.above[id.0].iter().copied()
    }

    /// Whether nothing lies on `id`.
    pub fn is_leaf(&self, id: LayerId) -> bool {
        self.above(id).next().is_none()
    }

    /// A name that is unique within the stack: `partition:sda1`, with `#2` where it repeats.
    pub fn label(&self, id: LayerId) -> String {
        let layer = self.layer(id);
        let mine = format!("{}:{}", layer.kind.name(), layer.name);
        let same = |other: &&Layer| (other.kind, &other.name) == (layer.kind, &layer.name);
        match self.layers.iter().take(id.0).filter(same).count() {
            0 => mine,
            n => format!("{mine}#{}", n + 1),
        }
    }
}
