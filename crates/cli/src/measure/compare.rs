//! `ioalign measure compare`.

use std::time::Duration;

use anyhow::{Context, Result};
use ioalign_core::comparison::Comparison;
use ioalign_core::workload::{Data, Pattern};
use ioalign_measure::engine::CellSpec;
use ioalign_measure::experiment::Design;

use super::arms::Arms;
use super::cells::{self, Usual};
use super::open::{self, Opener};
use super::session::Session;
use super::{before, output};
use crate::args::{CompareArgs, StatsArgs};
use crate::exit::Exit;
use crate::interrupt::Interrupt;

/// Sector 1 as the least misalignment, 1536 of virtual disks with cylinders, sector 63 of DOS.
const OFFSETS: [u64; 4] = [0, 512, 1536, 32256];

/// What is measured.
struct Plan {
    arms: Arms,
    specs: Vec<CellSpec>,
    data: Data,
    notes: Vec<String>,
    before: Option<before::Saved>,
}

/// Runs the verb.
pub fn run(arguments: &CompareArgs) -> Result<Exit> {
    let (comparison, exit) = measured(arguments)?;
    output::write(&comparison, &arguments.shown)?;
    Ok(match exit {
        Exit::Done if comparison.differs() => Exit::Code(1),
        other => other,
    })
}

/// Measures, and shows nothing but its progress.
pub fn measured(arguments: &CompareArgs) -> Result<(Comparison, Exit)> {
    let plan = plan(arguments)?;
    let writes = plan.specs.iter().any(|spec| spec.read_ratio < 1.0);
    open::allowed(writes, &arguments.io)?;
    let interrupt = Interrupt::default();
    interrupt.watch().context("cannot watch for Ctrl-C")?;
    let opener = Opener {
        arguments: &arguments.io,
        write: writes,
        usual_size: None,
        interrupt: &interrupt,
    };
    let targets = opener.all(&plan.arms.targets)?;
    let data = open::data(&plan.data, &arguments.data);
    let options = open::options(&arguments.io, &arguments.engine, data);
    let mut session = Session::new(&plan.arms, &targets, options, &arguments.shown, &interrupt);
    session.comparison.notes.extend(plan.notes);
    session.design = design(&arguments.stats, arguments.time, arguments.engine.seed);
    session.ramp = Duration::from_millis(arguments.ramp);
    let (mut comparison, exit) = session.all(&plan.specs)?;
    if let Some(saved) = plan.before {
        comparison.before = Some(saved.against(&comparison, arguments.stats.rope));
    }
    Ok((comparison, exit))
}

fn plan(arguments: &CompareArgs) -> Result<Plan> {
    if let Some(path) = &arguments.before {
        let saved = before::read(path)?;
        let (arms, saved) = saved.arms(&arguments.target);
        return Ok(Plan {
            arms,
            specs: saved.specs()?,
            data: Data::default(),
            notes: Vec::new(),
            before: Some(saved),
        });
    }
    let arms = Arms::new(&arguments.target, &arguments.arms, &OFFSETS)?;
    let (specs, data, notes) = match &arguments.workload {
        Some(name) => of_job(name)?,
        None => (cells(arguments), Data::default(), Vec::new()),
    };
    Ok(Plan {
        arms,
        specs,
        data,
        notes,
        before: None,
    })
}

/// Latency with one in flight and throughput with many can differ in sign: both are measured.
fn cells(arguments: &CompareArgs) -> Vec<CellSpec> {
    let ops: &[f64] = if arguments.io.write {
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

/// How certain, and how long.
pub fn design(stats: &StatsArgs, time_ms: u64, seed: u64) -> Design {
    Design {
        confidence: stats.confidence,
        rope_ratio: stats.rope,
        max_time: Duration::from_millis(time_ms),
        saturate: !stats.no_saturate,
        seed,
        ..Design::default()
    }
}
