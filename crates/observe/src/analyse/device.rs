//! One device: its operations, its processes, and its I/O over time.

mod rows;

use std::sync::Arc;

use ioalign_core::profile::{DeviceProfile, GridProfile};

use super::Settings;
use super::clock::Clock;
use super::flows::Flows;
use super::op::OpState;
use super::outside::Outside;
use super::owners::Owners;
use super::placed::Placement;
use super::rmw::Rmw;
use super::wide::{self, Ios, Level, Wide};
use crate::pipeline::Directory;
use crate::record::{Io, Op};

/// I/Os that are looked at together: in the first cache, and mostly in one sample, burst and step.
pub const TOGETHER: usize = 256;

/// Counters of one device.
pub struct DeviceState {
    settings: Arc<Settings>,
    placement: Placement,
    room: Room,
    ops: [Option<Box<OpState>>; Op::ALL.len()],
    rmw: Vec<Rmw>,
    owners: Owners,
    /// Where that can be told.
    outside: Option<Outside>,
    clock: Clock,
    /// Where memory may be spent on speed.
    flows: Option<Flows>,
    /// The same, for many rows at once.
    wide: Option<Box<Wide>>,
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
    /// Sizes, of each operation.
    pub sizes: usize,
    /// Samples that wait for completions.
    pub samples: usize,
    /// Steps of queue depth.
    pub steps: usize,
    /// Bursts, one by one.
    pub bursts: usize,
    /// Whether memory may be spent on speed.
    pub fast: bool,
}

impl Room {
    /// The share of the device that comes after `before` others.
    pub fn after(before: usize) -> Self {
        Self {
            owners: (8192 / (before + 1)).clamp(4, 1024),
            intervals: (65536 / (before + 1)).clamp(64, 2048),
            cells: if before < 256 { 1024 } else { 64 },
            sizes: (65536 / (before + 1)).clamp(16, 4096),
            samples: if before < 256 { 1024 } else { 64 },
            steps: if before < 1024 { 128 } else { 32 },
            bursts: if before < 1024 { 32 } else { 8 },
            fast: before < 16,
        }
    }
}

impl DeviceState {
    pub fn new(
        settings: &Arc<Settings>,
        placement: Placement,
        origin: i64,
        (room, level): (Room, Option<Level>),
    ) -> Self {
        let within = settings.read_before_write;
        let rmw = placement
            .grids
            .iter()
            .map(|grid| Rmw::new(grid.cells(), within, room.cells));
        Self {
            ops: [const { None }; Op::ALL.len()],
            rmw: rmw.collect(),
            owners: Owners::new(room.owners),
            outside: Outside::new(placement.bytes, placement.shift),
            clock: Clock::new(settings, origin, &room),
            flows: room.fast.then(Flows::new),
            wide: level.filter(|_| room.fast).map(Wide::new),
            settings: Arc::clone(settings),
            placement,
            room,
        }
    }

    /// Counts I/Os, [`TOGETHER`] at most, in the order of issue. When the last of them ended.
    pub fn add(&mut self, ios: Ios<'_>) -> i64 {
        if let Some(outside) = &mut self.outside {
            outside.add(ios);
        }
        let wide = self.wide.take_if(|_| ios.count() >= wide::FEWEST);
        let last = wide.and_then(|mut wide| {
            let last = wide.add(ios, self);
            self.wide = Some(wide);
            last
        });
        last.unwrap_or_else(|| match ios {
            Ios::Columns(ios) => self.add_all(ios.ios()),
            Ios::Rows(ios) => self.add_all(ios.iter().copied()),
        })
    }

    /// The same row by row.
    fn add_all(&mut self, ios: impl Iterator<Item = Io> + Clone) -> i64 {
        let last = self.clock.add_all(ios.clone());
        let shift = self.placement.shift;
        let ios = ios.map(|io| io.shifted(shift));
        match self.flows.take() {
            Some(mut flows) => {
                self.add_by(&mut flows, ios.clone());
                self.flows = Some(flows);
            }
            None => ios.clone().for_each(|io| self.add_one(&io)),
        }
        for rmw in &mut self.rmw {
            ios.clone().for_each(|io| rmw.add(&io));
        }
        if self.placement.route.is_some() {
            ios.for_each(|io| self.below(&io, false));
        }
        last
    }

    /// By flows where they know an I/O.
    fn add_by(&mut self, flows: &mut Flows, ios: impl Iterator<Item = Io>) {
        let (mut hits, mut missed) = (0, 0);
        for io in ios {
            if flows.add(&io) {
                hits += 1;
                op(&mut self.ops, (&self.placement, &self.room), io.op).add_of_flow(&io);
            } else {
                missed += 1;
                self.add_and_learn(&io, flows);
            }
        }
        if flows.is_due(hits, missed) {
            self.add_flows(flows);
        }
    }

    fn add_and_learn(&mut self, io: &Io, flows: &mut Flows) {
        self.add_one(io);
        op(&mut self.ops, (&self.placement, &self.room), io.op).make_fast();
        self.learn(io, flows);
    }

    fn learn(&mut self, io: &Io, flows: &mut Flows) {
        // Who is counted among others has no flow.
        if !self.settings.processes || self.owners.is_own(io.process, io.op) {
            flows.learn(io);
        }
    }

    #[inline]
    fn add_one(&mut self, io: &Io) {
        op(&mut self.ops, (&self.placement, &self.room), io.op).add(io);
        if self.settings.processes {
            self.owners.add(io);
        }
    }

    /// Adds up what flows stand for, and forgets them.
    fn add_flows(&mut self, flows: &mut Flows) {
        for flow in flows.all() {
            op(&mut self.ops, (&self.placement, &self.room), flow.op).add_flow(&flow);
            if self.settings.processes {
                self.owners.add_flow(&flow);
            }
        }
        flows.clear();
    }

    /// Adds up what is counted together; before the profile is asked for.
    pub fn settle(&mut self) {
        if let Some(mut wide) = self.wide.take() {
            wide.settle(self);
            self.wide = Some(wide);
        }
        if let Some(mut flows) = self.flows.take() {
            self.add_flows(&mut flows);
            self.flows = Some(flows);
        }
        let states = self.ops.iter_mut().flatten();
        states.for_each(|state| state.settle());
    }

    pub fn add_latency(&mut self, io: &Io) {
        let io = io.shifted(self.placement.shift);
        op(&mut self.ops, (&self.placement, &self.room), io.op).add_latency(&io);
        self.below(&io, true);
        self.clock.add_latency(&io);
    }

    #[inline]
    fn below(&mut self, io: &Io, counted: bool) {
        if let Some(route) = &self.placement.route
            && io.op.has_place()
        {
            let route = Arc::clone(route);
            op(&mut self.ops, (&self.placement, &self.room), io.op).add_below(io, &route, counted);
        }
    }

    /// The counters, with names.
    pub fn profile(&self, number: u32, directory: &Directory) -> DeviceProfile {
        let device = directory.device_of(number);
        let mut out = DeviceProfile {
            device: device.map_or_else(|| "(others)".to_owned(), ToString::to_string),
            offset_applied_bytes: self.placement.shift,
            layer: self.placement.layer.clone(),
            outside_ios: self.outside.as_ref().map_or(0, Outside::ios),
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
    of: (&Placement, &Room),
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
#[inline(never)]
fn new((placement, room): (&Placement, &Room)) -> Box<OpState> {
    Box::new(OpState::new(placement, room))
}
