//! The facts of `check` about the watched devices: their grids, and the starts of their partitions.

use std::path::PathBuf;

use ioalign_core::watch_document::WatchedPart;
use ioalign_core::{GridClaim, Kind, LayerId, Stack, Tier};
use ioalign_inspect::assemble::{self, AssembleOptions, HostOptions};
use ioalign_observe::live::WatchedDevice;

use crate::args::WatchArgs;

/// Grids that the program has room for.
const MOST: usize = 4;

/// Gives every device its grids, and says for each where its partitions begin.
pub fn describe(devices: &mut [WatchedDevice], arguments: &WatchArgs) -> Vec<Vec<WatchedPart>> {
    let stack = stack(devices);
    let mut all = Vec::new();
    for device in devices {
        let layer = stack
            .as_ref()
            .and_then(|stack| layer_of(stack, &device.name));
        let (parts, known) = match (&stack, layer) {
            (Some(stack), Some(layer)) => (parts_of(stack, layer), grids_of(stack, layer)),
            _ => Default::default(),
        };
        all.push(parts);
        device.grids = choose(arguments, known);
    }
    all
}

/// The kernel's view is enough: what cannot be read adds nothing.
fn stack(devices: &[WatchedDevice]) -> Option<Stack> {
    let only = devices
        .iter()
        .map(|device| PathBuf::from("/dev").join(device.name.replace('!', "/")));
    let host = HostOptions {
        sysroot: None,
        only: only.filter(|path| path.exists()).collect(),
        extents: false,
    };
    if host.only.is_empty() {
        return None;
    }
    Some(
        assemble::host(&host, &AssembleOptions::default())
            .ok()?
            .stack,
    )
}

fn layer_of(stack: &Stack, name: &str) -> Option<LayerId> {
    let named = |layer: &ioalign_core::Layer| {
        let last = layer.name.rsplit('/').next();
        last == Some(name) || layer.facts.get("device").map(String::as_str) == Some(name)
    };
    let mut found = stack.layers().filter(|(_, layer)| named(layer));
    found.next().map(|(id, _)| id)
}

fn parts_of(stack: &Stack, disk: LayerId) -> Vec<WatchedPart> {
    let above = stack.above(disk).map(|id| stack.layer(id));
    let parts = above.filter(|layer| layer.kind == Kind::Partition);
    let named = parts.filter_map(|layer| {
        let edge = layer.below.iter().find(|edge| edge.below == disk)?;
        Some(WatchedPart {
            name: layer.name.clone(),
            start: edge.map.start()?,
        })
    });
    named.collect()
}

/// The credible grids, the most expensive first; every start is on the logical sector.
fn grids_of(stack: &Stack, layer: LayerId) -> Vec<GridClaim> {
    let mine = stack
        .grids
        .iter()
        .filter(|grid| grid.layer == layer && grid.trusted());
    let mut all: Vec<_> = mine.filter(|grid| grid.tier != Tier::Validity).collect();
    all.sort_by_key(|grid| (grid.tier, grid.size));
    all.into_iter().map(|grid| grid.claim.clone()).collect()
}

/// The unit first, then what was asked for, then the device's own.
fn choose(arguments: &WatchArgs, known: Vec<GridClaim>) -> Vec<GridClaim> {
    let block = known
        .iter()
        .find(|grid| grid.tier == Tier::Rmw && grid.size.get() >= 4096)
        .cloned();
    let unit = arguments
        .unit
        .clone()
        .or(block)
        .unwrap_or_else(GridClaim::assumed_block);
    let mut all = vec![unit];
    let asked = arguments.grid.iter().cloned();
    for grid in asked.chain(known) {
        let place = |grid: &GridClaim| (grid.size, grid.phase);
        if all.len() < MOST && !all.iter().any(|there| place(there) == place(&grid)) {
            all.push(grid);
        }
    }
    all
}
