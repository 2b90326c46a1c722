//! A load: a workload kept up for a time, and what became of it.

mod board;
mod conduct;
mod flight;
mod flusher;
mod pace;
mod report;
mod shared;
mod sum;
mod tally;
mod window;
mod worker;

use std::ops::ControlFlow;
use std::sync::Arc;

use ioalign_core::workload::Workload;
use ioalign_device::Target;

use crate::engine::{EngineOptions, Files, check_atomic, check_io, check_load, check_writes};
use crate::{Error, ErrorKind, Result};

pub use hdrhistogram::Histogram;
pub use report::{LoadReport, LoadSample, LoadSnapshot, LoadTotals, OpReport, SentIo, Tap};

/// Sends a workload to targets, as if they were one after the other, until its time is over, the operator
/// stops it, or an I/O fails.
///
/// `watch` gets the progress ten times a second, and may end the load; `tap` gets every I/O that
/// counts. After an error with counted I/O, the report is returned with [`LoadReport::partial`].
pub fn run(
    targets: &[Arc<Target>],
    workload: &Workload,
    options: &EngineOptions,
    tap: Option<&dyn Tap>,
    watch: &mut dyn FnMut(&LoadSnapshot) -> ControlFlow<()>,
) -> Result<LoadReport> {
    check(targets, workload, options)?;
    if options.cold {
        targets.iter().try_for_each(|target| target.evict())?;
    }
    let files = Files::new(targets);
    conduct::conduct(&files, workload, options, tap, watch)
}

fn check(targets: &[Arc<Target>], workload: &Workload, options: &EngineOptions) -> Result<()> {
    let refuse = |why: &str| Err(Error::new(ErrorKind::Unsupported, why));
    if targets.is_empty() {
        return refuse("there is no target");
    }
    if workload.sizes.iter().all(|share| share.weight == 0) {
        return refuse("the workload has no sizes");
    }
    if workload
        .rate_iops
        .is_some_and(|rate| !rate.is_finite() || rate <= 0.0)
    {
        return refuse("a rate of I/Os a second lies above 0");
    }
    if options.iopoll && workload.fsync_every_writes.is_some() {
        return refuse("flushes cannot be polled for: leave polling off, or flushes out");
    }
    check_load(workload.queue_depth, workload.workers, workload.read_ratio)?;
    for target in targets {
        for share in workload.sizes.iter().filter(|share| share.weight != 0) {
            check_io(
                target,
                share.bytes,
                workload.offset_bytes,
                workload.align_bytes,
            )?;
        }
        if workload.writes() {
            check_writes(target, options)?;
        }
        for bytes in workload.atomic_sizes() {
            check_atomic(target, bytes)?;
        }
    }
    Ok(())
}
