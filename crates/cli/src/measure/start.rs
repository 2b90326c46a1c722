//! The start of a target on the disk at the bottom: the phase that its own I/O has already.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use ioalign_core::{DeviceNumber, LayerId, Map, Stack};
use ioalign_inspect::assemble::{self, HostOptions};

/// Bytes from the start of the lowest disk; `None`: no device, or its layers do more than shift.
pub fn on_disk(path: &Path) -> Option<u64> {
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
    let layers = found.stack.layers();
    let mut of_number = layers.filter(|(_, layer)| layer.device_number == Some(number));
    let (layer, _) = of_number.next()?;
    down(&found.stack, layer)
}

/// Sums the shifts on the way to the bottom.
fn down(stack: &Stack, from: LayerId) -> Option<u64> {
    let mut start = 0_u64;
    let mut at = from;
    loop {
        match stack.layer(at).below.as_slice() {
            // A loop device may begin within its file.
            [] => return start.checked_add(backing_offset(stack, at)),
            [edge] => match edge.map {
                Map::Shift { start: more } => {
                    start = start.checked_add(more.get())?;
                    at = edge.below;
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

fn backing_offset(stack: &Stack, disk: LayerId) -> u64 {
    let detail = stack.layer(disk).detail.disk();
    detail.map_or(0, |disk| disk.backing_offset)
}
