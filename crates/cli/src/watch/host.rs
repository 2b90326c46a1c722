//! The facts of `check` about the watched devices: their grids, and the starts of their partitions.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::watch_document::WatchedPart;
use ioalign_core::{Bytes, DeviceNumber, GridClaim, Kind, LayerId, Stack, Tier};
use ioalign_inspect::assemble::{self, AssembleOptions, HostOptions};
use ioalign_observe::live::{self, Watch, WatchedDevice};

use crate::exit::UsageError;
use crate::say::note;

/// Grids that the program has room for.
const MOST: usize = 4;

/// The grids that the operator names.
#[derive(Copy, Clone, Debug, Default)]
pub struct WantedGrids<'a> {
    /// The unit of the summary.
    pub unit: Option<&'a GridClaim>,
    /// Further grids.
    pub grids: &'a [GridClaim],
}

/// The devices of these names, all if there are none; no more than a watch has room for.
pub fn devices(named: &[String]) -> Result<Vec<WatchedDevice>> {
    let mut devices = live::devices(Path::new("/sys"), named)?;
    if devices.len() > Watch::MOST {
        note(format_args!(
            "watching {} of {} devices",
            Watch::MOST,
            devices.len()
        ));
        devices.truncate(Watch::MOST);
    }
    Ok(devices)
}

/// Gives every device its grids, and says for each where its partitions begin.
pub fn describe(
    devices: &mut [WatchedDevice],
    wanted: WantedGrids,
) -> Result<Vec<Vec<WatchedPart>>, UsageError> {
    let stack = stack(devices);
    let mut all = Vec::new();
    for device in devices {
        let layer = stack.as_ref().and_then(|stack| layer_of(stack, device));
        let (parts, known) = match (&stack, layer) {
            (Some(stack), Some(layer)) => (parts_of(stack, layer), grids_of(stack, layer)),
            _ => Default::default(),
        };
        all.push(parts);
        let left_out;
        (device.grids, left_out) = choose(wanted, known)?;
        if !left_out.is_empty() {
            let name = &device.name;
            let left_out = left_out.join(", ");
            note(format_args!(
                "{name}: {MOST} grids are counted, and not its own {left_out}: fewer --grid leave room"
            ));
        }
    }
    Ok(all)
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

/// The layer of a device, by its number: LVM and device-mapper give it another name than `/sys/block`.
fn layer_of(stack: &Stack, device: &WatchedDevice) -> Option<LayerId> {
    let (major, minor) = device.number;
    let number = Some(DeviceNumber { major, minor });
    let mut layers = stack.layers();
    let found = layers.find(|(_, layer)| layer.device_number == number);
    found.map(|(id, _)| id)
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

/// The unit first, then what was asked for, then the device's own; and those for which there is no room.
fn choose(
    wanted: WantedGrids,
    known: Vec<GridClaim>,
) -> Result<(Vec<GridClaim>, Vec<String>), UsageError> {
    let block = known
        .iter()
        .find(|grid| grid.tier == Tier::Rmw && grid.size.get() >= 4096)
        .cloned();
    // Four declared grids leave no room for a unit that nothing declared.
    let first = wanted.grids.first().filter(|_| wanted.grids.len() == MOST);
    let unit = wanted.unit.or(first).cloned();
    let unit = unit.or(block).unwrap_or_else(GridClaim::assumed_block);
    let mut all = vec![unit];
    let place = |grid: &GridClaim| (grid.size, grid.phase);
    let is_new =
        |all: &[GridClaim], grid: &GridClaim| !all.iter().any(|there| place(there) == place(grid));
    for grid in wanted.grids {
        if is_new(&all, grid) {
            all.push(grid.clone());
        }
    }
    if all.len() > MOST {
        return Err(UsageError(format!(
            "--grid: {} grids with the unit of {}, and {MOST} can be counted at once: record the I/O (--record FILE), and \
             judge it by `ioalign trace summarize FILE --grid …`, which takes any number",
            all.len(),
            all.first().map_or(Bytes::ZERO, |unit| unit.size)
        )));
    }
    let mut left_out = Vec::new();
    for grid in known {
        if !is_new(&all, &grid) {
            continue;
        }
        if all.len() < MOST {
            all.push(grid);
        } else {
            left_out.push(format!("{} {}", grid.size, grid.kind));
        }
    }
    Ok((all, left_out))
}

#[cfg(test)]
mod tests {
    use ioalign_core::Layer;

    use super::*;

    #[test]
    fn a_mapped_device_is_found_under_another_name() {
        let mut stack = Stack::new();
        let mut disk = Layer::new(Kind::Disk, "sda");
        disk.device_number = DeviceNumber::parse("8:0");
        stack.push(disk);
        let mut volume = Layer::new(Kind::LvmLv, "vg/data");
        volume.device_number = DeviceNumber::parse("254:3");
        let volume = stack.push(volume);
        let mut device = WatchedDevice {
            name: "dm-3".to_owned(),
            number: (254, 3),
            queues: 1,
            tags: 1,
            by_bio: true,
            stamped: false,
            discard: None,
            grids: Vec::new(),
        };
        assert_eq!(layer_of(&stack, &device), Some(volume));
        device.number = (254, 4);
        assert_eq!(layer_of(&stack, &device), None);
    }
}
