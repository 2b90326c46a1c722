//! A plan, written.

use std::io;
use std::sync::atomic::Ordering;

use super::{Generator, Plan, Truth};
use crate::pipeline::Progress;
use crate::record::{Device, Io};
use crate::write::{Row, Target, WriteTrace, Written};

impl Plan {
    /// In the units of a format, and without what it does not know.
    #[must_use]
    pub fn for_target(mut self, target: &Target, devices: u32) -> Self {
        self.tick = target.tick;
        self.latency_tick = target.latency_tick.unwrap_or(1);
        if target.latency_tick.is_none() {
            self.latency = 0;
        }
        if !target.processes {
            self.processes.clear();
        }
        self.devices = (0..devices.max(1)).map(target.device).collect();
        self
    }
}

/// Writes all I/Os of a plan, and counts them, if the truth is wanted. Memory does not grow with their
/// number.
pub fn write(
    plan: &Plan,
    writer: &mut dyn WriteTrace,
    mut truth: Option<&mut Truth>,
    progress: &Progress,
) -> io::Result<Written> {
    for io in Generator::new(plan) {
        if progress.stop.load(Ordering::Relaxed) {
            break;
        }
        if let Some(truth) = &mut truth {
            truth.add(&io);
        }
        writer.write(&row(plan, &io))?;
    }
    let facts = [("ioalign.sources".to_owned(), "generated".to_owned())];
    writer.finish(&facts)
}

/// An I/O with the names of the plan.
pub fn row<'a>(plan: &'a Plan, io: &'a Io) -> Row<'a> {
    const NOBODY: Device = Device::Number { major: 0, minor: 0 };
    let process = plan.processes.get(io.process as usize);
    Row {
        io,
        device: plan.devices.get(io.device as usize).unwrap_or(&NOBODY),
        process: process.map(|process| (process.pid, &*process.name)),
    }
}
