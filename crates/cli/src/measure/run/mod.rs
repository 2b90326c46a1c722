//! `ioalign measure run`: a plain load.

mod fio;
mod measure_plan;
mod plan;
mod progress;
mod result;
mod sent;

use std::sync::Arc;

use anyhow::Result;
use ioalign_core::comparison::Conditions;
use ioalign_core::load::{self, Load, LoadStep};
use ioalign_core::workload::Workload;
use ioalign_device::Target;
use ioalign_measure::load::Tap;
use ioalign_measure::{Error, ErrorKind};

use super::gate;
use super::open::{self, Opener};
use super::output;
use super::session::INTERRUPTED;
use crate::args::RunArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::look;
use crate::output_file::Destination;
use measure_plan::MeasurePlan;
pub use progress::ProgressLine;
use sent::SentCollector;

/// Runs the verb.
pub fn run(arguments: &RunArgs) -> Result<Exit> {
    let plan = plan::plan(arguments)?;
    fio::say(&plan);
    if arguments.emit_fio {
        look::write(&fio::emit(&plan)?)?;
        return Ok(Exit::Done);
    }
    open::allowed(plan.job.writes(), &plan.io)?;
    let kept = output::with_members(&plan.targets);
    let profile_out = arguments.profile_out.as_deref();
    let profile_out =
        profile_out.map(|path| Destination::report(Some(path), arguments.replace, &kept));
    if let Some(profile_out) = &profile_out {
        profile_out.check()?;
    }
    let interrupt = Interrupt::watched()?;
    let opener = Opener {
        arguments: &plan.io,
        write: plan.job.writes(),
        atomic: plan
            .job
            .steps
            .iter()
            .flat_map(Workload::atomic_sizes)
            .collect(),
        usual_size: plan.usual_size(),
        interrupt: &interrupt,
    };
    let targets = opener.all(&plan.targets)?;
    let collector = profile_out.as_ref().map(|_| SentCollector::new(&targets));
    let load = send(&plan, &targets, collector.as_ref(), arguments, &interrupt)?;
    let text = if arguments.look.json {
        ioalign_report::load::json(&load)
    } else {
        ioalign_report::load::text(&load, &look::options(&arguments.look))
    };
    look::write(&text)?;
    if let (Some(profile_out), Some(collector)) = (&profile_out, collector) {
        collector.write(profile_out)?;
    }
    if let Some(path) = &arguments.record {
        gate::record(path, &load, conditions(&plan, &opener))?;
    }
    Ok(match &load.partial {
        _ if interrupt.asked() => Exit::Interrupted,
        Some(_) => Exit::Unreadable,
        None => Exit::Done,
    })
}

/// How I/O is sent, for a later run that is to be like this one.
fn conditions(plan: &MeasurePlan, opener: &Opener<'_>) -> Conditions {
    let first = plan.job.steps.first();
    Conditions {
        cold: plan.io.cold,
        buffered: plan.io.buffered,
        size_bytes: plan.targets.first().and_then(|path| opener.size_of(path)),
        data: first.map(|step| step.data.clone()).unwrap_or_default(),
    }
}

/// Step after step, until one ends early.
fn send(
    plan: &MeasurePlan,
    targets: &[Arc<Target>],
    collector: Option<&SentCollector>,
    arguments: &RunArgs,
    interrupt: &Interrupt,
) -> Result<Load> {
    let mut load = Load {
        schema: load::SCHEMA.to_owned(),
        tool: crate::check::tool(),
        machine: super::machine_of(targets),
        targets: plan
            .targets
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        job: plan.job.name.clone(),
        notes: plan.notes.clone(),
        ..Load::default()
    };
    load.notes.extend(open::notes(targets));
    let progress = ProgressLine::new(&plan.job, arguments.look.quiet);
    let mut refused = None;
    for workload in &plan.job.steps {
        let step = match one(plan, targets, workload, collector, &progress, interrupt) {
            Ok((step, notes)) => {
                load.notes.extend(notes);
                step
            }
            // One step that cannot be, as 1 KiB on sectors of 4 KiB, does not end the others.
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                let what = ioalign_report::load::describe(workload);
                load.notes.push(format!("{what} is left out: {error}"));
                refused.get_or_insert(error);
                continue;
            }
            Err(error) if load.steps.is_empty() => return Err(open::refusal(error)),
            Err(error) => {
                load.partial = Some(error.to_string());
                break;
            }
        };
        let early = step.partial.clone();
        load.steps.push(step);
        if interrupt.asked() || early.is_some() {
            load.partial = early.or_else(|| Some(INTERRUPTED.to_owned()));
            break;
        }
    }
    progress.finish();
    if let Some(error) = refused.filter(|_| load.steps.is_empty()) {
        return Err(open::refusal(error));
    }
    load.notes = once(load.notes);
    Ok(load)
}

/// Each note where it stood first: every step says the same of a target.
fn once(notes: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for note in notes {
        if !kept.contains(&note) {
            kept.push(note);
        }
    }
    kept
}

fn one(
    plan: &MeasurePlan,
    targets: &[Arc<Target>],
    workload: &Workload,
    collector: Option<&SentCollector>,
    progress: &ProgressLine,
    interrupt: &Interrupt,
) -> Result<(LoadStep, Vec<String>), Error> {
    let mut options = open::options(&plan.io, &plan.engine, workload.data.clone());
    options.write &= workload.writes();
    let tap = collector.map(|collector| -> &dyn Tap { collector });
    let name = progress.begin(workload);
    let report = ioalign_measure::load::run(targets, workload, &options, tap, &mut |snapshot| {
        progress.show(&name, snapshot);
        interrupt.flow()
    })?;
    progress.done();
    Ok((result::step(workload, &report), report.notes))
}
