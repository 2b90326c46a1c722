//! One device: its operations, its streams, its processes.

use std::collections::HashMap;

use ioalign_core::profile::{DeviceProfile, ProcessProfile};

use super::Settings;
use super::op::OpState;
use crate::pipeline::Directory;
use crate::record::{Io, Op};

/// Counters of one device.
pub struct DeviceState {
    settings: Settings,
    ops: [Option<Box<OpState>>; Op::ALL.len()],
    processes: HashMap<(u32, Op), Owner>,
    last: Option<(u32, Op)>,
}

/// What one process does.
#[derive(Clone)]
struct Owner {
    ios: u64,
    bytes: u64,
    starts: [u64; 64],
}

impl DeviceState {
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            ops: [const { None }; Op::ALL.len()],
            processes: HashMap::new(),
            last: None,
        }
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        let io = self.shifted(io);
        self.op(io.op).add(&io);
        if self.settings.processes {
            self.own(&io);
        }
    }

    pub fn add_latency(&mut self, io: &Io) {
        let io = self.shifted(io);
        self.op(io.op).add_latency(&io);
    }

    #[inline]
    fn shifted(&self, io: &Io) -> Io {
        Io {
            offset: io.offset.wrapping_add_signed(self.settings.shift),
            ..*io
        }
    }

    #[inline]
    fn op(&mut self, op: Op) -> &mut OpState {
        // The array has a place for every operation.
        #[allow(clippy::indexing_slicing)]
        let slot = &mut self.ops[op as usize];
        slot.get_or_insert_with(|| Box::new(OpState::new(&self.settings.grids)))
    }

    #[inline]
    fn own(&mut self, io: &Io) {
        let owner = self.processes.entry((io.process, io.op)).or_insert(Owner {
            ios: 0,
            bytes: 0,
            starts: [0; 64],
        });
        self.last = Some((io.process, io.op));
        owner.ios += 1;
        owner.bytes += u64::from(io.len);
        if let Some(count) = owner.starts.get_mut(super::op::power_of(io.offset)) {
            *count += 1;
        }
    }

    /// The counters, with names.
    pub fn profile(&self, number: u32, directory: &Directory) -> DeviceProfile {
        let device = directory.device_of(number);
        let mut out = DeviceProfile {
            device: device.map_or_else(|| "(others)".to_owned(), ToString::to_string),
            offset_applied_bytes: self.settings.shift,
            ..DeviceProfile::default()
        };
        for (op, state) in Op::ALL.iter().zip(&self.ops) {
            let Some(state) = state else { continue };
            out.by_op.insert(op.name().to_owned(), state.profile());
            if op.has_place() {
                out.grids.extend(state.grids(op.name()));
            }
        }
        out.processes = self.owners(directory);
        out
    }

    fn owners(&self, directory: &Directory) -> Vec<ProcessProfile> {
        let named = self.processes.iter().map(|((process, op), owner)| {
            let (pid, name) = directory.process_of(*process).unwrap_or((0, "(others)"));
            ProcessProfile {
                pid,
                name: name.to_owned(),
                op: op.name().to_owned(),
                ios: owner.ios,
                bytes: owner.bytes,
                start_pow2_histogram: owner.starts.to_vec(),
            }
        });
        let mut all: Vec<_> = named.collect();
        all.sort_by(|a, b| (b.ios, a.pid, &a.name, &a.op).cmp(&(a.ios, b.pid, &b.name, &b.op)));
        all
    }
}
