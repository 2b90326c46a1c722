//! Arrays as texts describe them: md on its members, and logical drives of hardware controllers,
//! which are a disk to the system.

use ioalign_core::{
    ArrayLevel, Bytes, Confidence, Edge, Grid, GridKind, Layer, LayerId, Map, Origin, Tier,
};

use super::Placing;
use crate::assemble::{array::level_name, md_grids};
use crate::captures::TextArray;
use crate::volumes::md::geometry::geometry;

impl Placing<'_> {
    /// An array's edges: where its members' superblocks were described, their data areas are known.
    pub(super) fn add_members(&self, array: &TextArray, layer: &mut Layer) {
        layer.level = Some(ArrayLevel::new(level_name(array.level)));
        let shape = geometry(array.level, array.layout.unwrap_or(2), array.raid_disks);
        let old = matches!(array.metadata.as_deref(), Some("0.90" | "1.0"));
        for (index, (name, slot)) in (0_u32..).zip(&array.members) {
            let Some(below) = self.placed.get(name).copied() else {
                continue;
            };
            let parts = self.assembly.parts.iter();
            let start = parts.into_iter().find(|part| part.layer == below);
            let start = start
                .map(|part| part.member.data_start)
                .or(old.then_some(Bytes::ZERO));
            let map = match (&shape, start) {
                (Some(shape), Some(start)) => shape.map(
                    start,
                    array.chunk.unwrap_or_default(),
                    slot.unwrap_or(index),
                ),
                _ => Map::Opaque("the data offset of the members is missing (mdadm -E)".to_owned()),
            };
            layer.below.push(Edge { below, map });
        }
    }

    /// The grids of an array that texts describe.
    pub(super) fn add_array_grids(&mut self, id: LayerId, array: &TextArray) {
        let grids = match array.controller {
            Some(source) => controller_grids(id, array, source),
            None => described_grids(id, array),
        };
        self.assembly.stack.grids.extend(grids);
    }
}

fn described_grids(id: LayerId, array: &TextArray) -> Vec<Grid> {
    let shape = geometry(array.level, array.layout.unwrap_or(2), array.raid_disks);
    match (shape, array.chunk) {
        (Some(shape), Some(chunk)) => md_grids(id, &shape, chunk, "as printed by mdadm"),
        _ => Vec::new(),
    }
}

/// The strip and the whole stripe of a logical drive. How a controller changes less than a strip is
/// its own affair, behind a cache: both are preferences.
fn controller_grids(id: LayerId, array: &TextArray, source: &str) -> Vec<Grid> {
    let stripes = [
        (array.chunk, GridKind::RaidChunk),
        (
            array
                .full_stripe
                .filter(|stripe| Some(*stripe) != array.chunk),
            GridKind::FullStripe,
        ),
    ];
    let source = format!("as printed by {source}");
    stripes
        .into_iter()
        .filter(|_| array.level != 1)
        .filter_map(|(size, kind)| {
            let grid = Grid::new(id, size?, Bytes::ZERO, Tier::Preference, kind)?;
            Some(grid.from(Origin::Reported, &source, Confidence::High))
        })
        .collect()
}
