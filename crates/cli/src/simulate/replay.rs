//! `--replay`: the requests of a trace, in the time of the model.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use ioalign_core::simulation_document::SimulationDocument;
use ioalign_observe::record::{Op, TraceDevice};
use ioalign_observe::write::{Fact, TraceRow, WriteTrace, WrittenRows};
use ioalign_observe::{TraceProgress, convert};
use ioalign_simulate::engine::{ReplayedIo, SystemRun, TenantLoad, run_system};
use ioalign_simulate::geometry::ArrayGeometry;

use super::arms;
use super::array::ArrayVariant;
use crate::args::SimulateRunArgs;
use crate::exit::UsageError;
use crate::trace;

/// Reads the trace and runs it.
pub fn run(
    arguments: &SimulateRunArgs,
    variant: &ArrayVariant,
    start: u64,
    document: &mut SimulationDocument,
) -> Result<()> {
    let trace = read(arguments)?;
    let names: Vec<_> = arguments
        .replay
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    document.workload = names.join(" ");
    if trace.ios.is_empty() {
        let what = format!("{}: no reads and writes in it", document.workload);
        return Err(UsageError(what).into());
    }
    for (count, what) in [
        (
            trace.not_simulated,
            "I/Os are neither reads nor writes of whole sectors: left out",
        ),
        (
            trace.of_others,
            "I/Os of other devices than the first are left out",
        ),
        (trace.past, "I/Os follow those that count (--ios)"),
    ] {
        if count > 0 {
            document.notes.push(format!("{count} {what}"));
        }
    }
    let wrong = |what: String| UsageError(format!("{}: {what}", variant.name));
    let geometry = ArrayGeometry::new(variant.array.shape.clone()).map_err(wrong)?;
    let mut array = variant.array.clone();
    array.above.size = arguments.load.size.or(array.above.size);
    let place = array.place(start, geometry.capacity()).map_err(wrong)?;
    let depth = (!arguments.open).then_some(arguments.depth);
    let load = TenantLoad::Replay {
        ios: &trace.ios,
        depth,
    };
    let outcome = run_system(&SystemRun {
        system: &array.system(&geometry),
        tenants: &[array.tenant(load, &place)],
        ios: trace.ios.len() as u64,
        warm_up: 0,
        seed: arguments.load.seed,
    })
    .map_err(wrong)?;
    if let Some(outcome) = outcome.only() {
        let mut arm = arms::arm(&outcome, start, None);
        arm.step.clone_from(&document.workload);
        document.arms.push(arm);
    }
    Ok(())
}

/// What was read of a trace.
#[derive(Default)]
struct CollectedTrace {
    ios: Vec<ReplayedIo>,
    device: Option<TraceDevice>,
    began: i64,
    most: usize,
    not_simulated: u64,
    of_others: u64,
    past: u64,
}

fn read(arguments: &SimulateRunArgs) -> Result<CollectedTrace> {
    let most = usize::try_from(arguments.load.ios).unwrap_or(usize::MAX);
    let shared = Arc::new(Mutex::new(CollectedTrace {
        most,
        ..CollectedTrace::default()
    }));
    let settings = trace::reading(&arguments.source, None);
    let sink = Arc::clone(&shared);
    let writer = || Ok(Box::new(TraceCollector(sink)) as Box<dyn WriteTrace>);
    convert(
        &arguments.replay,
        &settings,
        &TraceProgress::default(),
        writer,
    )
    .map_err(trace::asked)?;
    let mut found = shared.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *found))
}

/// Takes the I/Os where a file would be written.
struct TraceCollector(Arc<Mutex<CollectedTrace>>);

impl WriteTrace for TraceCollector {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.device.is_none() {
            (all.device, all.began) = (Some(row.device.clone()), row.io.time);
        }
        let io = row.io;
        let whole = io.offset.is_multiple_of(512) && io.len > 0 && io.len.is_multiple_of(512);
        if all.device.as_ref() != Some(row.device) {
            all.of_others += 1;
        } else if !whole || !matches!(io.op, Op::Read | Op::Write) {
            all.not_simulated += 1;
        } else if all.ios.len() >= all.most {
            all.past += 1;
        } else {
            let since = io.time.saturating_sub(all.began);
            all.ios.push(ReplayedIo {
                time_ns: u64::try_from(since).unwrap_or(0),
                at: io.offset,
                len: io.len.into(),
                write: io.op == Op::Write,
            });
        }
        Ok(())
    }

    fn finish(&mut self, _: &[Fact]) -> io::Result<WrittenRows> {
        Ok(WrittenRows::default())
    }
}
