//! What every builder of a layer gets and makes.

use std::collections::BTreeMap;

use ioalign_core::{
    Bytes, Confidence, Grid, GridKind, Kind, Layer, LayerId, Origin, Remark, Stack, Tier,
};

use super::Unread;
use super::dm::DmTables;
use super::inventory::{Inventory, SysfsBlock};
use super::root::Root;

/// What a builder may use: the tree, the inventory, and the layers built so far.
pub(super) struct Site<'a> {
    pub(super) root: &'a Root,
    pub(super) inventory: &'a Inventory,
    pub(super) tables: &'a DmTables,
    pub(super) stack: &'a Stack,
    pub(super) ids: &'a BTreeMap<String, LayerId>,
}

/// A layer, with the grids that will lie in it once it has an id, and what could not be read.
pub(crate) struct Built {
    pub(crate) layer: Layer,
    pub(crate) grids: Vec<Grid>,
    pub(super) unread: Vec<Unread>,
}

/// The layer before it has an id; [`super::build::host`] puts the right one into every grid.
pub(super) const UNPLACED: LayerId = LayerId(0);

impl Site<'_> {
    /// The layer of a device that was built before.
    pub(super) fn layer_of(&self, name: &str) -> Option<LayerId> {
        self.ids.get(name).copied()
    }

    /// The logical sector that the kernel gives for a device; partitions have their disk's.
    pub(super) fn logical(&self, block: &SysfsBlock) -> Option<Bytes> {
        let disk = block
            .parent
            .as_deref()
            .and_then(|p| self.inventory.blocks.get(p));
        let dir = &disk.unwrap_or(block).dir;
        let bytes = self
            .root
            .number(&format!("{dir}/queue/logical_block_size"))?;
        (bytes != 0).then_some(Bytes::new(bytes))
    }

    /// `alignment_offset` of a device, where the kernel gives one.
    pub(super) fn alignment_offset(&self, block: &SysfsBlock) -> Option<i64> {
        self.root.signed(&format!("{}/alignment_offset", block.dir))
    }
}

impl Built {
    pub(crate) fn new(layer: Layer) -> Self {
        Self {
            layer,
            grids: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Adds a trusted grid with phase 0 in this layer.
    pub(super) fn grid(
        &mut self,
        size: Bytes,
        tier: Tier,
        kind: GridKind,
        origin: Origin,
        source: &str,
    ) {
        let grid = Grid::new(UNPLACED, size, Bytes::ZERO, tier, kind);
        let grid = grid.map(|grid| grid.from(origin, source, Confidence::High));
        self.grids.extend(grid);
    }
}

/// A remark that a part of the device's description is missing.
pub(super) fn incomplete(rule: &'static str, why: String) -> Remark {
    Remark::note(rule, why)
}

/// A layer of `block` named as users call it.
pub(super) fn layer(kind: Kind, block: &SysfsBlock) -> Layer {
    Layer::new(kind, block.name.replace('!', "/")).sized(block.size)
}
