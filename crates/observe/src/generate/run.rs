//! A plan, written.

use std::io;
use std::sync::atomic::Ordering;

use super::{GeneratePlan, Generator, Ratio, Truth};
use crate::progress::TraceProgress;
use crate::record::{Io, TraceDevice};
use crate::write::{TraceRow, WritableFormat, WriteTrace, WrittenRows};

impl GeneratePlan {
    /// In the units of a format, and without what it does not know.
    #[must_use]
    pub fn for_target(mut self, target: &WritableFormat, devices: u32) -> Self {
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

    /// What the format cannot hold, in a sentence.
    pub fn fault_in(&self, target: &WritableFormat) -> Option<String> {
        let name = target.name;
        let unit = u64::from(target.unit);
        let whole = |size: u32| u64::from(size).is_multiple_of(unit);
        if !self.sizes.sizes().all(whole) {
            return Some(format!(
                "{name} counts sectors: sizes are multiples of {unit}"
            ));
        }
        if !self.shift.is_multiple_of(unit) || !self.align.is_multiple_of(unit) {
            return Some(format!(
                "{name} counts sectors: offsets are multiples of {unit}"
            ));
        }
        let other = self.discards != Ratio::percent(0) || self.flushes != Ratio::percent(0);
        (other && !target.all_ops).then(|| format!("{name} knows reads and writes only"))
    }
}

/// Writes all I/Os of a plan, and counts them, if the truth is wanted. Memory does not grow with their
/// number.
pub fn write(
    plan: &GeneratePlan,
    writer: &mut dyn WriteTrace,
    mut truth: Option<&mut Truth>,
    progress: &TraceProgress,
) -> io::Result<WrittenRows> {
    for io in Generator::new(plan) {
        if progress.stop.load(Ordering::Relaxed) {
            break;
        }
        if let Some(truth) = &mut truth {
            truth.add(&io);
        }
        writer.write(&generated_row(plan, &io))?;
    }
    let facts = [("ioalign.sources".to_owned(), "generated".to_owned())];
    writer.finish(&facts)
}

/// An I/O with the names of the plan.
pub fn generated_row<'a>(plan: &'a GeneratePlan, io: &'a Io) -> TraceRow<'a> {
    const NOBODY: TraceDevice = TraceDevice::Number { major: 0, minor: 0 };
    let process = plan.processes.get(io.process as usize);
    TraceRow {
        io,
        device: plan.devices.get(io.device as usize).unwrap_or(&NOBODY),
        process: process.map(|process| (process.pid, &*process.name)),
    }
}
