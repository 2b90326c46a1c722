//! The start of a target on the disk at the bottom: the phase that its own I/O has already.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use ioalign_core::{DeviceNumber, LayerId, Map, Stack};
use ioalign_inspect::assemble::{self, HostOptions};

/// A device of this host in its stack.
pub struct HostPlace {
    /// All of the stack.
    pub stack: Stack,
    /// The device and the layers that it shifts into, each with the byte at which the device starts in it.
    pub layers: Vec<(LayerId, u64)>,
    /// The lowest of them does more than shift.
    is_mapped: bool,
}

/// Bytes from the start of the lowest disk; `None`: no device, or its layers do more than shift.
pub fn on_disk(path: &Path) -> Option<u64> {
    let place = on_host(path)?;
    let (lowest, start) = *place.layers.last()?;
    if place.is_mapped {
        return None;
    }
    // A loop device may begin within its file.
    start.checked_add(backing_offset(&place.stack, lowest))
}

/// Where a block device is on this host.
pub fn on_host(path: &Path) -> Option<HostPlace> {
    let data = path.metadata().ok()?;
    if !data.file_type().is_block_device() {
        return None;
    }
    let options = HostOptions {
        sysroot: None,
        only: vec![path.to_owned()],
        extents: false,
    };
    let found = assemble::host(&options, &assemble::AssembleOptions::default()).ok()?;
    let device = data.rdev();
    let number = DeviceNumber {
        major: rustix::fs::major(device),
        minor: rustix::fs::minor(device),
    };
    let mut layers = found.stack.layers();
    let (layer, _) = layers.find(|(_, layer)| layer.device_number == Some(number))?;
    drop(layers);
    down(found.stack, layer)
}

/// Sums the shifts on the way to the bottom.
fn down(stack: Stack, from: LayerId) -> Option<HostPlace> {
    let mut layers = vec![(from, 0_u64)];
    let (mut start, mut at) = (0_u64, from);
    let is_mapped = loop {
        let [edge] = stack.layer(at).below.as_slice() else {
            break !stack.layer(at).below.is_empty();
        };
        let Map::Shift { start: more } = edge.map else {
            break true;
        };
        start = start.checked_add(more.get())?;
        at = edge.below;
        layers.push((at, start));
    };
    Some(HostPlace {
        stack,
        layers,
        is_mapped,
    })
}

fn backing_offset(stack: &Stack, disk: LayerId) -> u64 {
    let detail = stack.layer(disk).detail.disk();
    detail.map_or(0, |disk| disk.backing_offset)
}
