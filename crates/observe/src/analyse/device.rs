//! One device: its operations, its processes, and its I/O over time.

use std::sync::Arc;

use ioalign_core::profile::{DeviceProfile, GridProfile};

use super::clock::DeviceClock;
use super::limits::DeviceLimits;
use super::op::OpState;
use super::outside::Outside;
use super::overwrites::Overwrites;
use super::owners::DeviceOwners;
use super::placement::DevicePlacement;
use super::rmw::Rmw;
use super::settings::AnalysisSettings;
use crate::record::{Io, NameDirectory, Op};

/// Counters of one device.
pub struct DeviceState {
    settings: Arc<AnalysisSettings>,
    placement: DevicePlacement,
    limits: DeviceLimits,
    ops: [Option<Box<OpState>>; Op::ALL.len()],
    rmw: Vec<Rmw>,
    overwrites: Overwrites,
    owners: DeviceOwners,
    /// I/O past the end of the device; `None` where its size is unknown.
    outside: Option<Outside>,
    clock: DeviceClock,
}

impl DeviceState {
    pub fn new(
        settings: &Arc<AnalysisSettings>,
        placement: DevicePlacement,
        origin: i64,
        limits: DeviceLimits,
    ) -> Self {
        let within = settings.read_before_write;
        let rmw = placement
            .grids
            .iter()
            .map(|grid| Rmw::new(grid.cells(), within, limits.cells));
        Self {
            ops: [const { None }; Op::ALL.len()],
            rmw: rmw.collect(),
            overwrites: Overwrites::new(limits.regions),
            owners: DeviceOwners::new(limits.owners),
            outside: Outside::new(placement.bytes, placement.shift),
            clock: DeviceClock::new(settings, origin, &limits),
            settings: Arc::clone(settings),
            placement,
            limits,
        }
    }

    /// Counts I/Os in the order of issue. Returns when the last of them ended.
    pub fn add(&mut self, ios: &[Io]) -> i64 {
        let shift = self.placement.shift;
        let mut last = i64::MIN;
        for io in ios {
            if let Some(outside) = &mut self.outside {
                outside.add(io);
            }
            self.clock.add(io);
            self.overwrites.add(io);
            last = last.max(io.end());
            self.add_shifted(&io.shifted(shift));
        }
        last
    }

    #[inline]
    fn add_shifted(&mut self, io: &Io) {
        op(&mut self.ops, (&self.placement, &self.limits), io.op).add(io);
        if self.settings.processes {
            self.owners.add(io);
        }
        for rmw in &mut self.rmw {
            rmw.add(io);
        }
        if self.placement.route.is_some() {
            self.below(io, false);
        }
    }

    pub fn add_latency(&mut self, io: &Io) {
        let io = io.shifted(self.placement.shift);
        op(&mut self.ops, (&self.placement, &self.limits), io.op).add_latency(&io);
        self.below(&io, true);
        self.clock.add_latency(&io);
    }

    #[inline]
    fn below(&mut self, io: &Io, counted: bool) {
        if let Some(route) = &self.placement.route
            && io.op.has_place()
        {
            let route = Arc::clone(route);
            op(&mut self.ops, (&self.placement, &self.limits), io.op)
                .add_below(io, &route, counted);
        }
    }

    /// The counters, with names.
    pub fn profile(&self, number: u32, directory: &NameDirectory) -> DeviceProfile {
        let device = directory.device_of(number);
        let mut out = DeviceProfile {
            device: device.map_or_else(|| "(others)".to_owned(), ToString::to_string),
            offset_applied_bytes: self.placement.shift,
            layer: self.placement.layer.clone(),
            outside_ios: self.outside.as_ref().map_or(0, Outside::ios),
            read_before_overwrite: self.overwrites.profile(),
            processes: self.owners.profile(directory),
            ..DeviceProfile::default()
        };
        let mut parts = Vec::new();
        for (op, state) in Op::ALL.iter().zip(&self.ops) {
            let Some(state) = state else { continue };
            out.by_op.insert(op.name().to_owned(), state.profile());
            if op.has_place() {
                let mut grids = state.grids(op.name(), &self.placement);
                if *op == Op::Write {
                    self.read_before_write(&mut grids);
                }
                out.grids.extend(grids);
                if self.settings.mergeable {
                    parts.extend(state.grid_parts());
                }
            }
        }
        self.clock.profile(&self.settings, &mut out);
        if let Some(part) = &mut out.part {
            part.grids = parts;
        }
        out
    }

    fn read_before_write(&self, grids: &mut [GridProfile]) {
        for (grid, rmw) in grids.iter_mut().zip(&self.rmw) {
            grid.read_before_write = rmw.profile();
        }
    }
}

#[inline]
fn op<'a>(
    ops: &'a mut [Option<Box<OpState>>; Op::ALL.len()],
    of: (&DevicePlacement, &DeviceLimits),
    op: Op,
) -> &'a mut OpState {
    // The array has a place for every operation.
    #[allow(clippy::indexing_slicing)]
    let slot = &mut ops[op as usize];
    match slot {
        Some(state) => state,
        None => slot.insert(new(of)),
    }
}

#[cold]
fn new((placement, limits): (&DevicePlacement, &DeviceLimits)) -> Box<OpState> {
    Box::new(OpState::new(placement, limits))
}
