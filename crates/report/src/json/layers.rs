//! The layers of a document of `check --json` by their ids, for what refers to them.

use std::collections::{BTreeSet, HashMap};

use ioalign_core::{Kind, LayerId, Stack};

use super::read;
use crate::words::place;

/// The layers of one target.
#[derive(Default)]
pub(super) struct Layers {
    stack: Stack,
    by_id: HashMap<String, LayerId>,
    ids: HashMap<LayerId, String>,
}

impl Layers {
    /// The layers of each target, in order; none if they do not make a stack.
    pub(super) fn each(text: &str) -> Vec<Self> {
        let all = read::each(text).into_iter();
        all.map(|(stack, by_id)| Self {
            ids: by_id
                .iter()
                .map(|(id, layer)| (*layer, id.clone()))
                .collect(),
            stack,
            by_id,
        })
        .collect()
    }

    pub(super) fn find(&self, id: &str) -> Option<LayerId> {
        self.by_id.get(id).copied()
    }

    /// The name for people: `file system ext4 on p1`.
    pub(super) fn name(&self, layer: LayerId) -> String {
        place::name(&self.stack, layer)
    }

    /// Names and ids of what I/O is sent to, by which a profile or a measurement may know it: on the way through this layer, or
    /// of all layers.
    pub(super) fn devices(&self, through: Option<LayerId>) -> Vec<String> {
        let way = match through {
            Some(layer) => self.way(layer),
            None => self.ids.keys().copied().collect(),
        };
        let devices = way.into_iter().filter(|id| {
            let kind = self.stack.layer(*id).kind;
            !matches!(kind, Kind::Filesystem | Kind::Swap | Kind::Database)
        });
        devices
            .flat_map(|id| {
                let name = self.stack.layer(id).name.clone();
                std::iter::once(name).chain(self.ids.get(&id).cloned())
            })
            .collect()
    }

    /// A layer with all below it and all above it.
    fn way(&self, from: LayerId) -> BTreeSet<LayerId> {
        let stack = &self.stack;
        let below = |id: LayerId| {
            let edges = &stack.layer(id).below;
            edges.iter().map(|edge| edge.below).collect()
        };
        let above = |id: LayerId| stack.above(id).collect();
        let mut all = BTreeSet::from([from]);
        for next in [&below as &dyn Fn(LayerId) -> Vec<LayerId>, &above] {
            let mut open = vec![from];
            while let Some(id) = open.pop() {
                open.extend(next(id).into_iter().filter(|found| all.insert(*found)));
            }
        }
        all
    }
}
