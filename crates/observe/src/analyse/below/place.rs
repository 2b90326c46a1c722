//! Devices found in a stack, and what lies below them.

use std::sync::Arc;

use ioalign_core::units::gcd;
use ioalign_core::{Bytes, DeviceNumber, Edge, Grid, Kind, LayerId, Map, Run, Stack};

use super::route::{Down, Route, RouteMember, RouteNode, Stripes};
use crate::analyse::placed::PlacedGrid;
use crate::analyse::placement::DevicePlacement;
use crate::record::TraceDevice;

/// Grids judged for one device: more say nothing more.
const MOST_GRIDS: usize = 64;
/// Layers followed below one device.
const MOST_LAYERS: usize = 4096;

/// A stack in which traced devices are looked up.
#[derive(Clone, Debug)]
pub struct StackIndex {
    stack: Stack,
}

/// Layers on each other: what lies deeper is not followed.
const DEEPEST: usize = 64;

/// The results of following an I/O down.
struct PlacementWalk<'a> {
    stack: &'a Stack,
    plain: Vec<PlacedGrid>,
    route: Route,
    layers: usize,
    depth: usize,
}

/// How far an address on the way is known.
#[derive(Copy, Clone)]
struct PlacedAddress {
    /// The address of the device's first byte.
    start: u64,
    /// Known only modulo this; `None`: known.
    modulo: Option<u64>,
}

impl StackIndex {
    /// A stack from `check`.
    pub const fn new(stack: Stack) -> Self {
        Self { stack }
    }

    /// The layer that a device is, by its number or its name.
    pub fn find(&self, device: &TraceDevice) -> Option<LayerId> {
        let text = device.to_string();
        let plain = text.strip_prefix("/dev/").unwrap_or(&text);
        let plain = plain.strip_prefix("mapper/").unwrap_or(plain);
        self.stack.layers().find_map(|(id, layer)| {
            let found = match device {
                TraceDevice::Number { major, minor } => {
                    let number = DeviceNumber {
                        major: *major,
                        minor: *minor,
                    };
                    layer.device_number == Some(number)
                }
                TraceDevice::Name(_) => layer.name == plain && of_a_device(layer.kind),
            };
            found.then_some(id)
        })
    }

    /// The place of a device. `absolute`: the trace gives sectors of the whole disk also for
    /// partitions, as the kernel's block layer does.
    pub fn placement(&self, device: &TraceDevice, absolute: bool) -> Option<DevicePlacement> {
        let mut id = self.find(device)?;
        while absolute && self.stack.layer(id).kind == Kind::Partition {
            match self.stack.layer(id).below.first() {
                Some(edge) => id = edge.below,
                None => break,
            }
        }
        let mut walk = PlacementWalk {
            stack: &self.stack,
            plain: Vec::new(),
            route: Route::default(),
            layers: 0,
            depth: 0,
        };
        walk.plainly(
            id,
            PlacedAddress {
                start: 0,
                modulo: None,
            },
        );
        let split = !walk.route.grids.is_empty();
        Some(DevicePlacement {
            layer: Some(self.stack.label(id)),
            bytes: self.stack.layer(id).size.map(Bytes::get),
            shift: 0,
            grids: walk.plain,
            route: split.then(|| Arc::new(walk.route)),
        })
    }
}

/// Whether a name of this kind is that of a block device: a file system may have the same.
const fn of_a_device(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Filesystem | Kind::Swap | Kind::Database | Kind::File | Kind::LvmPv
    )
}

impl PlacementWalk<'_> {
    /// Whether another layer may be looked at.
    const fn enter(&mut self) -> bool {
        self.layers += 1;
        self.depth += 1;
        self.layers <= MOST_LAYERS && self.depth <= DEEPEST
    }

    /// A layer that is reached by shifts alone.
    fn plainly(&mut self, id: LayerId, at: PlacedAddress) {
        if self.enter() {
            self.plainly_within(id, at);
        }
        self.depth -= 1;
    }

    fn plainly_within(&mut self, id: LayerId, at: PlacedAddress) {
        let stack = self.stack;
        for grid in self.grids_of(id, at) {
            if self.plain.len() < MOST_GRIDS {
                self.plain.push(grid);
            }
        }
        let layer = stack.layer(id);
        if !layer
            .below
            .iter()
            .all(|edge| shift(&edge.map, at).is_some())
        {
            // Later layers with such maps stay out: one route is followed.
            if self.route.nodes.is_empty() && at.modulo.is_none() {
                self.route.start = at.start;
                self.route.nodes.push(RouteNode::default());
                let down = self.down(&layer.below);
                if let Some(first) = self.route.nodes.first_mut() {
                    first.down = down;
                }
            }
            return;
        }
        for edge in &layer.below {
            if let Some(next) = shift(&edge.map, at) {
                self.plainly(edge.below, next);
            }
        }
    }

    fn grids_of(&self, id: LayerId, at: PlacedAddress) -> Vec<PlacedGrid> {
        let label: Arc<str> = self.stack.label(id).into();
        let fits = |grid: &&Grid| {
            let decided = at
                .modulo
                .is_none_or(|modulo| modulo.is_multiple_of(grid.size.get()));
            grid.layer == id && grid.trusted() && decided
        };
        let grids = self.stack.grids.iter().filter(fits);
        let placed = grids.map(|grid| PlacedGrid {
            spec: grid.claim.clone(),
            layer: Some(Arc::clone(&label)),
            start: at.start,
        });
        placed.collect()
    }

    /// A layer to which I/O comes in pieces: its node.
    fn piecewise(&mut self, id: LayerId) -> usize {
        let index = self.route.nodes.len();
        self.route.nodes.push(RouteNode::default());
        if self.enter() {
            self.piecewise_within(id, index);
        }
        self.depth -= 1;
        index
    }

    fn piecewise_within(&mut self, id: LayerId, index: usize) {
        let mut node = RouteNode::default();
        for grid in self.grids_of(
            id,
            PlacedAddress {
                start: 0,
                modulo: None,
            },
        ) {
            if self.route.grids.len() < MOST_GRIDS {
                node.grids.push(self.route.grids.len());
                self.route.grids.push(grid);
            }
        }
        let stack = self.stack;
        node.down = self.down(&stack.layer(id).below);
        if let Some(slot) = self.route.nodes.get_mut(index) {
            *slot = node;
        }
    }

    fn down(&mut self, edges: &[Edge]) -> Vec<Down> {
        let mut all: Vec<Down> = Vec::new();
        for edge in edges {
            match &edge.map {
                Map::Shift { start } | Map::Mirror { start } => {
                    let node = self.piecewise(edge.below);
                    all.push(Down::Shift {
                        start: start.get(),
                        node,
                    });
                }
                Map::Linear(runs) => {
                    let node = self.piecewise(edge.below);
                    all.push(Down::Linear {
                        runs: Arc::new(runs.clone()),
                        node,
                    });
                }
                Map::Striped {
                    start,
                    chunk,
                    data,
                    column,
                } => {
                    let node = self.piecewise(edge.below);
                    let member = RouteMember {
                        start: start.get(),
                        column: *column,
                        node,
                    };
                    add_member(&mut all, chunk.get(), *data, member);
                }
                Map::Within { low, high, .. } if low == high => {
                    let node = self.piecewise(edge.below);
                    all.push(Down::Shift {
                        start: low.get(),
                        node,
                    });
                }
                // The place of a granule is not known, nor what is behind an opaque map.
                Map::Scattered { .. } | Map::Within { .. } | Map::Opaque(_) => {}
            }
        }
        all
    }
}

/// Members of one set stand together: a chunk goes to one of them.
fn add_member(all: &mut Vec<Down>, chunk: u64, data: u64, member: RouteMember) {
    if chunk == 0 || data == 0 {
        return;
    }
    let set = all.iter_mut().find_map(|down| match down {
        Down::Striped(set) if (set.chunk, set.data) == (chunk, data) => Some(set),
        _ => None,
    });
    match set {
        Some(set) => set.members.push(member),
        None => all.push(Down::Striped(Stripes {
            chunk,
            data,
            members: vec![member],
        })),
    }
}

/// The destination of a map that moves all addresses by the same amount.
fn shift(map: &Map, at: PlacedAddress) -> Option<PlacedAddress> {
    let by = |start: u64| PlacedAddress {
        start: at.start.wrapping_add(start),
        ..at
    };
    match map {
        Map::Shift { start } | Map::Mirror { start } => Some(by(start.get())),
        Map::Within { low, high, .. } if low == high => Some(by(low.get())),
        Map::Striped { start, data: 1, .. } => Some(by(start.get())),
        Map::Linear(runs) => {
            let mut all = runs.iter();
            match (all.next(), all.next()) {
                (
                    Some(Run {
                        from: 0,
                        to,
                        count: 1,
                        ..
                    }),
                    None,
                ) => Some(by(*to)),
                _ => None,
            }
        }
        // A granule may be anywhere, but always at a multiple of its size.
        Map::Scattered { start, granule } => Some(PlacedAddress {
            modulo: Some(
                at.modulo
                    .map_or(granule.get(), |modulo| gcd(modulo, granule.get())),
            ),
            ..by(start.get())
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::{Bytes, Layer, Tier};

    use super::*;

    #[test]
    fn towers_and_diamonds_end() {
        let mut stack = Stack::new();
        let mut below = stack.push(Layer::new(Kind::Disk, "sda"));
        for i in 0..2000 {
            let map = || Map::Mirror {
                start: Bytes::new(512),
            };
            let layer = Layer::new(Kind::Volume, format!("v{i}")).on(below, map());
            below = stack.push(layer.on(below, map()));
        }
        let index = StackIndex::new(stack);
        assert!(
            index
                .placement(&TraceDevice::Name("v1999".into()), false)
                .is_some()
        );
        assert!(
            index
                .placement(&TraceDevice::Name("v2000".into()), false)
                .is_none()
        );
    }

    #[test]
    fn a_thin_volume_is_judged_by_what_divides_its_granule() {
        let mut stack = Stack::new();
        let disk = stack.push(Layer::new(Kind::Disk, "sda"));
        for size in [4096, 65536, 196_608] {
            let grid = Grid::new(disk, Bytes::new(size), Bytes::ZERO, Tier::Rmw, "cell");
            stack.grids.extend(grid);
        }
        let map = Map::Scattered {
            start: Bytes::new(1536),
            granule: Bytes::new(65536),
        };
        stack.push(Layer::new(Kind::LvmLv, "vg/thin").on(disk, map));
        let number = TraceDevice::Number { major: 8, minor: 0 };
        let index = StackIndex::new(stack);
        assert!(index.placement(&number, true).is_none());
        let found = index
            .placement(&TraceDevice::Name("/dev/mapper/vg/thin".into()), true)
            .unwrap();
        let sizes: Vec<_> = found
            .grids
            .iter()
            .map(|grid| grid.spec.size.get())
            .collect();
        assert_eq!(sizes, [4096, 65536]);
        assert!(found.grids.iter().all(|grid| grid.start == 1536) && found.route.is_none());
    }

    #[test]
    fn sectors_of_the_kernel_are_those_of_the_disk() {
        let mut stack = Stack::new();
        let disk = stack.push(Layer::new(Kind::Disk, "sda"));
        stack.grids.extend(Grid::new(
            disk,
            Bytes::new(4096),
            Bytes::ZERO,
            Tier::Rmw,
            "cell",
        ));
        let map = Map::Shift {
            start: Bytes::new(32256),
        };
        let mut part = Layer::new(Kind::Partition, "sda1").on(disk, map);
        part.device_number = DeviceNumber::parse("8:1");
        stack.push(part);
        let index = StackIndex::new(stack);
        let number = TraceDevice::Number { major: 8, minor: 1 };
        let start = |absolute| index.placement(&number, absolute).unwrap().grids[0].start;
        assert_eq!((start(false), start(true)), (32256, 0));
    }
}
