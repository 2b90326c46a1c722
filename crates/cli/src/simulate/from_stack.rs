//! `--from`: the array and the volume of a stack that was checked.

use std::path::Path;

use anyhow::{Result, anyhow};
use ioalign_core::array::{Maker, PlannedArray, RaidLevel};
use ioalign_core::map::Map;
use ioalign_core::{Bytes, Kind, Layer, LayerId, Stack};
use ioalign_report::words::clean;
use ioalign_simulate::description::{self, DescribedArray, VolumeAbove};

use super::array::ArrayVariant;
use crate::document;

/// The array with what lies on it.
pub fn read(path: &Path) -> Result<ArrayVariant> {
    let stack = document::stack(path)?;
    let none = || {
        anyhow!(
            "{}: there is no array in it whose layout is known: say one before the workload, for the volume alone",
            path.display()
        )
    };
    let (id, mut array) = array(&stack).ok_or_else(none)?;
    let (start, above) = volume(&stack, id);
    array.above = above;
    Ok(ArrayVariant {
        name: clean(&stack.label(id)),
        label: String::new(),
        array,
        start: Some(start),
    })
}

/// What lies on the lowest array or disk: the start of the partition, and what is above it.
pub fn above(path: &Path) -> Result<(u64, VolumeAbove)> {
    let stack = document::stack(path)?;
    let bottom = || {
        let mut layers = stack.layers();
        layers
            .find(|(_, layer)| matches!(layer.kind, Kind::Disk | Kind::Image))
            .map(|(id, _)| id)
    };
    let ground = array(&stack).map(|(id, _)| id).or_else(bottom);
    let none = || anyhow!("{}: there is no disk in it", path.display());
    Ok(volume(&stack, ground.ok_or_else(none)?))
}

/// The lowest layer that is an array with a known layout.
fn array(stack: &Stack) -> Option<(LayerId, DescribedArray)> {
    stack
        .layers()
        .find_map(|(id, layer)| Some((id, described(stack, layer)?)))
}

fn described(stack: &Stack, layer: &Layer) -> Option<DescribedArray> {
    let name = layer.level.as_ref()?.name();
    let number = name.strip_prefix("raid")?;
    let known = RaidLevel::ALL
        .iter()
        .filter(|(level, _)| number.starts_with(level));
    let (_, level) = known.max_by_key(|(level, _)| level.len())?;
    let edge = layer.below.first()?;
    let (start, element) = match &edge.map {
        Map::Striped { start, chunk, .. } => (*start, *chunk),
        Map::Mirror { start } => (*start, Bytes::new(65536)),
        _ => return None,
    };
    let member = stack.layer(edge.below).size;
    let mut array = description::named("raid0:2x64k").ok()?;
    if let Some(size) = member.and_then(|size| size.get().checked_sub(start.get())) {
        array.shape.disk_bytes = size;
    }
    array.shape.array = PlannedArray {
        level: *level,
        disks: u32::try_from(layer.below.len()).ok()?,
        element,
        maker: match layer.kind {
            Kind::Md => Maker::Md,
            _ => Maker::Controller,
        },
    };
    Some(array)
}

/// The longest chain of single maps above a layer: the start of its partition, and the rest.
fn volume(stack: &Stack, ground: LayerId) -> (u64, VolumeAbove) {
    let chains = stack.layers().filter_map(|(id, layer)| {
        let chain = chain(stack, id, ground)?;
        Some((chain, layer.size))
    });
    let of_data = |(chain, size): &(Vec<Map>, Option<Bytes>)| (size.map(Bytes::get), chain.len());
    let Some((mut maps, size)) = chains.max_by_key(of_data) else {
        return (0, VolumeAbove::default());
    };
    let start = match maps.pop() {
        Some(Map::Shift { start }) => start.get(),
        Some(other) => {
            maps.push(other);
            0
        }
        None => 0,
    };
    let above = VolumeAbove {
        maps,
        size: size.map(Bytes::get),
        block_bytes: 0,
    };
    (start, above)
}

/// The maps from a layer down to another, the topmost first; `None`: it is not above it, or not by one map a layer.
fn chain(stack: &Stack, from: LayerId, ground: LayerId) -> Option<Vec<Map>> {
    let mut maps = Vec::new();
    let mut at = from;
    while at != ground {
        let [edge] = stack.layer(at).below.as_slice() else {
            return None;
        };
        if !matches!(
            edge.map,
            Map::Shift { .. } | Map::Linear(_) | Map::Scattered { .. }
        ) {
            return None;
        }
        maps.push(edge.map.clone());
        at = edge.below;
    }
    (!maps.is_empty()).then_some(maps)
}
