//! Tests of the host readers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value)]

mod claims;
mod containers;
mod disks;
mod dm;
mod extents;
mod hostile;
mod live;
mod machine;
mod md;
pub mod sysroot;

use ioalign_core::{Grid, Layer, LayerId, Severity};
use ioalign_inspect::host::Host;

/// The layer of a device by kernel name.
fn id(host: &Host, name: &str) -> LayerId {
    host.device(name)
        .unwrap_or_else(|| panic!("{name} is listed"))
        .layer
}

fn layer<'a>(host: &'a Host, name: &str) -> &'a Layer {
    host.stack.layer(id(host, name))
}

/// The grid of this kind on a device.
fn grid<'a>(host: &'a Host, name: &str, kind: &str) -> Option<&'a Grid> {
    let id = id(host, name);
    host.stack
        .grids
        .iter()
        .find(|grid| grid.layer == id && grid.kind.name() == kind)
}

fn has_remark(host: &Host, name: &str, rule: &str) -> Option<Severity> {
    let remarks = &layer(host, name).remarks;
    remarks.iter().find(|r| r.rule == rule).map(|r| r.severity)
}

/// How far the start of `name` lies past the grid's boundaries, on the layer below.
fn off(host: &Host, name: &str, grid: &Grid) -> u64 {
    let start = layer(host, name).below[0].map.start().expect("a start");
    grid.offset_of(start).get()
}
