//! One device: its operations, its processes, and its I/O over time.

use std::sync::Arc;

use ioalign_core::profile::{DeviceProfile, GridProfile};

use super::Settings;
use super::clock::Clock;
use super::op::OpState;
use super::owners::Owners;
use super::placed::Placement;
use super::rmw::Rmw;
use crate::pipeline::Directory;
use crate::record::{Io, Op};

/// I/Os that are looked at together: in the first cache, and mostly in one sample, burst and step.
const TOGETHER: usize = 256;

/// Counters of one device.
pub struct DeviceState {
    settings: Arc<Settings>,
    placement: Placement,
    ops: [Option<Box<OpState>>; Op::ALL.len()],
    rmw: Vec<Rmw>,
    owners: Owners,
    clock: Clock,
    /// Room for I/Os in the addresses in which they are judged.
    shifted: Vec<Io>,
}

/// How much one device may keep, so that many devices do not need much.
#[derive(Copy, Clone, Debug)]
pub struct Room {
    /// Processes.
    pub owners: usize,
    /// Intervals.
    pub intervals: usize,
    /// Cells read, on each grid.
    pub cells: usize,
}

impl Room {
    /// The share of the device that comes after `before` others.
    pub fn after(before: usize) -> Self {
        Self {
            owners: (16384 / (before + 1)).clamp(16, 1024),
            intervals: (65536 / (before + 1)).clamp(64, 2048),
            cells: if before < 256 { 1024 } else { 64 },
        }
    }
}

impl DeviceState {
    pub fn new(settings: &Arc<Settings>, placement: Placement, origin: i64, room: Room) -> Self {
        let within = settings.read_before_write;
        let rmw = placement
            .grids
            .iter()
            .map(|grid| Rmw::new(grid.cells(), within, room.cells));
        Self {
            ops: [const { None }; Op::ALL.len()],
            rmw: rmw.collect(),
            owners: Owners::new(room.owners),
            clock: Clock::new(settings, origin, room.intervals),
            shifted: Vec::new(),
            settings: Arc::clone(settings),
            placement,
        }
    }

    /// Counts I/Os, in the order of issue. When the last of them ended.
    pub fn add_all(&mut self, ios: &[Io]) -> i64 {
        let mut last = i64::MIN;
        for some in ios.chunks(TOGETHER) {
            last = last.max(self.clock.add_all(some));
            if self.placement.shift == 0 {
                self.add_shifted(some);
                continue;
            }
            let mut shifted = std::mem::take(&mut self.shifted);
            shifted.extend(some.iter().map(|io| self.shifted(io)));
            self.add_shifted(&shifted);
            shifted.clear();
            self.shifted = shifted;
        }
        last
    }

    fn add_shifted(&mut self, ios: &[Io]) {
        let processes = self.settings.processes;
        for io in ios {
            op(&mut self.ops, &self.placement, io.op).add(io);
            for grid in &mut self.rmw {
                grid.add(io);
            }
            if processes {
                self.owners.add(io);
            }
        }
        if self.placement.route.is_some() {
            ios.iter().for_each(|io| self.below(io, false));
        }
    }

    pub fn add_latency(&mut self, io: &Io) {
        let io = self.shifted(io);
        op(&mut self.ops, &self.placement, io.op).add_latency(&io);
        self.below(&io, true);
        self.clock.add_latency(&io);
    }

    #[inline]
    fn below(&mut self, io: &Io, counted: bool) {
        if let Some(route) = &self.placement.route
            && io.op.has_place()
        {
            let route = Arc::clone(route);
            op(&mut self.ops, &self.placement, io.op).add_below(io, &route, counted);
        }
    }

    #[inline]
    const fn shifted(&self, io: &Io) -> Io {
        Io {
            offset: io.offset.wrapping_add_signed(self.placement.shift),
            ..*io
        }
    }

    /// The counters, with names.
    pub fn profile(&self, number: u32, directory: &Directory) -> DeviceProfile {
        let device = directory.device_of(number);
        let mut out = DeviceProfile {
            device: device.map_or_else(|| "(others)".to_owned(), ToString::to_string),
            offset_applied_bytes: self.placement.shift,
            layer: self.placement.layer.clone(),
            processes: self.owners.profile(directory),
            ..DeviceProfile::default()
        };
        for (op, state) in Op::ALL.iter().zip(&self.ops) {
            let Some(state) = state else { continue };
            out.by_op.insert(op.name().to_owned(), state.profile());
            if op.has_place() {
                let mut grids = state.grids(op.name(), &self.placement);
                if *op == Op::Write {
                    self.read_before_write(&mut grids);
                }
                out.grids.extend(grids);
            }
        }
        self.clock.profile(&self.settings, &mut out);
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
    placement: &Placement,
    op: Op,
) -> &'a mut OpState {
    // The array has a place for every operation.
    #[allow(clippy::indexing_slicing)]
    let slot = &mut ops[op as usize];
    match slot {
        Some(state) => state,
        None => slot.insert(new(placement)),
    }
}

#[cold]
#[inline(never)]
fn new(placement: &Placement) -> Box<OpState> {
    Box::new(OpState::new(placement))
}
