//! The properties that disks report, as an info metric to join with.

use ioalign_core::{Bytes, Grid, GridKind, Kind, Layer, LayerId, Stack};

use super::families::DEVICE;
use super::series::Metrics;
use crate::model::Target;

/// One series a disk at the bottom of a stack.
pub fn add(target: &Target, metrics: &mut Metrics) {
    for (id, layer) in target.stack.layers() {
        if layer.kind == Kind::Disk && layer.below.is_empty() {
            one(target, id, layer, metrics);
        }
    }
}

fn one(target: &Target, id: LayerId, layer: &Layer, metrics: &mut Metrics) {
    let disk = layer.detail.disk();
    let firmware = disk.and_then(|disk| disk.firmware.as_deref());
    let model = disk.and_then(|disk| disk.model.as_deref());
    let physical = of_kind(&target.stack, id, &[GridKind::PhysicalBlock]);
    let unit = of_kind(
        &target.stack,
        id,
        &[GridKind::IndirectionUnit, GridKind::PreferredWrite],
    );
    let (physical, iu) = (
        size(physical.map(|grid| grid.size)),
        size(unit.map(|grid| grid.size)),
    );
    let labels = [
        ("device", layer.name.as_str()),
        ("firmware", firmware.unwrap_or_default()),
        ("iu", &iu),
        ("iu_source", unit.map_or("", |grid| &grid.source)),
        ("logical", &size(layer.logical_sector)),
        ("model", model.unwrap_or_default()),
        ("physical", &physical),
        ("target", &target.name),
    ];
    metrics.flag(&DEVICE, &labels);
}

/// The disk's believed grid of a kind; an assumed one is nothing that the disk says.
fn of_kind<'a>(stack: &'a Stack, id: LayerId, kinds: &[GridKind]) -> Option<&'a Grid> {
    stack.grids.iter().find(|grid| {
        grid.layer == id
            && grid.trusted()
            && grid.origin != ioalign_core::Origin::Assumed
            && kinds.contains(&grid.kind)
    })
}

fn size(bytes: Option<Bytes>) -> String {
    bytes.map_or_else(String::new, |bytes| bytes.get().to_string())
}
