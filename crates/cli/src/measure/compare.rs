//! `ioalign measure compare`.

use anyhow::Result;
use ioalign_core::comparison::Comparison;
use ioalign_core::workload::{Data, Pattern};
use ioalign_measure::engine::CellSpec;

use super::amplification::AmplificationPlan;
use super::arms::Arms;
use super::cells::{self, Usual};
use super::session::{DESTROY, MeasureRequest, MeasureSession};
use super::{before, open, output, quick};
use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;

/// Sector 1 as the least misalignment, 1536 of virtual disks with cylinders, sector 63 of DOS.
const OFFSETS: [u64; 4] = [0, 512, 1536, 32256];

/// The measurement.
struct ComparedMeasurement {
    arms: Arms,
    specs: Vec<CellSpec>,
    data: Data,
    notes: Vec<String>,
    before: Option<before::EarlierRun>,
}

/// Runs the verb.
pub fn run(arguments: &CompareArgs) -> Result<Exit> {
    let (comparison, exit) = measured(arguments)?;
    output::write(&comparison, &arguments.how.shown)?;
    Ok(match exit {
        Exit::Done if comparison.differs() => Exit::Code(1),
        other => other,
    })
}

/// Measures, and shows nothing but its progress.
pub fn measured(arguments: &CompareArgs) -> Result<(Comparison, Exit)> {
    let plan = plan(arguments)?;
    let writes = plan.specs.iter().any(|spec| spec.read_ratio < 1.0);
    open::allowed(writes, &arguments.how.io)?;
    output::destination(&arguments.how.shown, &plan.arms.targets).check()?;
    let bytes = arguments.write_amplification;
    let amplification = bytes
        .map(|bytes| AmplificationPlan::new(bytes, &plan.arms.targets, &plan.specs))
        .transpose()?;
    let interrupt = Interrupt::watched()?;
    let wanted = MeasureRequest {
        arms: &plan.arms,
        specs: &plan.specs,
        atomic: &[],
        usual_size: arguments.quick.then_some(quick::TARGET_SIZE),
        data: plan.data,
        like: plan
            .before
            .as_ref()
            .and_then(before::EarlierRun::conditions),
        notes: &plan.notes,
        ramp_ms: arguments.ramp,
        time_ms: if arguments.quick {
            quick::time_ms(plan.specs.len())
        } else {
            arguments.time
        },
    };
    let mut session = MeasureSession::open(&wanted, &arguments.how, &interrupt)?;
    session.amplification = amplification;
    let (mut comparison, exit) = session.all(&plan.specs)?;
    if let Some(saved) = plan.before {
        let unlike = saved.unlike(comparison.conditions.as_ref());
        comparison.notes.extend(unlike);
        comparison.before = Some(saved.against(&comparison));
        comparison.sum_up();
    }
    Ok((comparison, exit))
}

fn plan(arguments: &CompareArgs) -> Result<ComparedMeasurement> {
    if let Some(path) = &arguments.before {
        let saved = before::read(path)?;
        let (arms, saved) = saved.arms(&arguments.target);
        let data = saved.conditions().map(|then| then.data.clone());
        return Ok(ComparedMeasurement {
            arms,
            specs: saved.specs()?,
            data: data.unwrap_or_default(),
            notes: Vec::new(),
            before: Some(saved),
        });
    }
    let arms = Arms::new(&arguments.target, &arguments.arms, &OFFSETS)?;
    let (specs, data, notes) = match &arguments.workload {
        Some(name) => of_job(name)?,
        None => (cells(arguments), Data::default(), unwritten(arguments)),
    };
    Ok(ComparedMeasurement {
        arms,
        specs,
        data,
        notes,
        before: None,
    })
}

/// Latency with one in flight and throughput with many can differ in sign: both are measured.
fn cells(arguments: &CompareArgs) -> Vec<CellSpec> {
    let ops: &[f64] = if arguments.how.io.write {
        &[1.0, 0.0]
    } else {
        &[1.0]
    };
    let usual = Usual {
        sizes: &[4096],
        ops,
        patterns: &[Pattern::Random],
        depth: &[1, 16],
    };
    cells::all(&arguments.cells, &usual)
}

/// Reads are half of the answer, and the cheap half: a misaligned write may have to read first.
fn unwritten(arguments: &CompareArgs) -> Vec<String> {
    let none = arguments.cells.ops.is_empty() && !arguments.how.io.write;
    let note = || {
        format!(
            "writes were not measured, which misalignment often costs more than reads: --write measures them{DESTROY}"
        )
    };
    none.then(note).into_iter().collect()
}

fn of_job(name: &str) -> Result<(Vec<CellSpec>, Data, Vec<String>)> {
    let job = cells::job(name)?;
    let mut notes = Vec::new();
    let mut left = |has: bool, what: &str| {
        if has {
            notes.push(format!(
                "{}: {what} of the job is left out of a comparison",
                job.name
            ));
        }
    };
    let steps = &job.steps;
    left(
        steps.iter().any(|step| step.fsync_every_writes.is_some()),
        "flushing",
    );
    left(
        steps.iter().any(|step| step.rate_iops.is_some()),
        "the limit of the rate",
    );
    left(steps.iter().any(|step| step.offset_bytes > 0), "the offset");
    left(
        steps.iter().any(|step| step.sizes.len() > 1),
        "the mix of sizes",
    );
    let data = steps.first().map(|step| step.data.clone());
    Ok((cells::of_job(&job), data.unwrap_or_default(), notes))
}
