//! `ioalign simulate`: an array as a model.

mod arms;
mod array;
mod calibrate;
mod effects;
mod from_stack;
mod page;
mod placement;
mod provision;
mod published;
mod replay;
mod serve;
mod stand_in;
mod workload;

use anyhow::Result;
use ioalign_core::simulation_document::{self, SimulationDocument};
use ioalign_simulate::description;

use crate::args::{
    LookArgs, SimulateArgs, SimulateCompareArgs, SimulateRunArgs, SimulateVerb, SimulatedLoadArgs,
};
use crate::exit::{Exit, UsageError};
use crate::look;
use arms::ArmTrial;
use array::{ArrayVariant, split};
pub use stand_in::stand_in;

/// Runs the verb.
pub fn run(arguments: &SimulateArgs) -> Result<Exit> {
    match &arguments.verb {
        SimulateVerb::List(list) => names(&list.look),
        SimulateVerb::Run(one) => one_start(one),
        SimulateVerb::Compare(several) => compare(several),
        SimulateVerb::Calibrate(one) => calibrate::run(one),
        SimulateVerb::Serve(one) => serve::run(one),
        SimulateVerb::Published(rows) => published::run(rows),
        SimulateVerb::Provision(rows) => provision::run(rows),
        SimulateVerb::Placement(rows) => placement::run(rows),
    }
}

fn names(shown: &LookArgs) -> Result<Exit> {
    let presets = description::presets();
    if shown.json {
        look::json(&presets)?;
    } else {
        look::write(&ioalign_report::simulation::presets(
            &presets,
            &look::options(shown),
        ))?;
    }
    Ok(Exit::Done)
}

fn one_start(arguments: &SimulateRunArgs) -> Result<Exit> {
    let load = &arguments.load;
    let (array, workload) = split(load, !arguments.replay.is_empty())?;
    let variants = array::variants(load, array)?;
    let [only] = variants.as_slice() else {
        return Err(UsageError("several arrays: simulate compare".to_owned()).into());
    };
    let start = arguments.start.or(only.start).unwrap_or(0);
    let mut document = head(load, only, workload.unwrap_or_default());
    if let Some(workload) = workload {
        steps(load, workload, &variants, |_| vec![start], &mut document)?;
    } else {
        replay::run(arguments, only, start, &mut document)?;
    }
    show(&document, &load.look)?;
    Ok(Exit::Done)
}

fn compare(arguments: &SimulateCompareArgs) -> Result<Exit> {
    let load = &arguments.load;
    let (array, workload) = split(load, false)?;
    let workload = workload.unwrap_or_default();
    let variants = array::variants(load, array)?;
    let first = &variants[0];
    let mut document = head(load, first, workload);
    let starts = |variant: &ArrayVariant| match (arguments.starts.as_slice(), variant.start) {
        ([], Some(own)) => vec![own, 2048 * 512],
        ([], None) => vec![63 * 512, 2048 * 512],
        (typed, _) => typed.to_vec(),
    };
    page::check(arguments, variants.len())?;
    let trials = steps(load, workload, &variants, starts, &mut document)?;
    document.effects = effects::of(load, first, &trials)?;
    page::write(arguments, &document, &trials)?;
    show(&document, &load.look)?;
    Ok(Exit::Done)
}

/// All steps of a job, each from all starts on all arrays.
fn steps(
    load: &SimulatedLoadArgs,
    workload: &str,
    variants: &[ArrayVariant],
    starts: impl Fn(&ArrayVariant) -> Vec<u64>,
    document: &mut SimulationDocument,
) -> Result<Vec<ArmTrial>> {
    let job = workload::read(workload)?;
    let several = job.steps.len() > 1;
    let mut trials = Vec::new();
    for step in &job.steps {
        workload::not_simulated(step, &mut document.notes);
        let first = document.arms.len();
        for variant in variants {
            for start in starts(variant) {
                let size = load.size.or(job.size_bytes);
                let trial = ArmTrial::new(&load.into(), variant, step, start, size)?;
                let mut arm = trial.arm.clone();
                arm.step = match several {
                    true => ioalign_report::load::describe(step),
                    false => workload.to_owned(),
                };
                arm.iops_ratio = document.arms.get(first).map(|base| arm.iops / base.iops);
                document.warm_up_ios = trial.warm_up;
                document.arms.push(arm);
                trials.push(trial);
            }
        }
    }
    let first = document.arms.first().map(|arm| arm.closed_form);
    document.closed_form = first.unwrap_or_default();
    Ok(trials)
}

fn head(load: &SimulatedLoadArgs, first: &ArrayVariant, workload: &str) -> SimulationDocument {
    SimulationDocument {
        schema: simulation_document::SCHEMA.to_owned(),
        tool: crate::check::tool(),
        array: first.name.clone(),
        about: first.array.about(),
        workload: workload.to_owned(),
        seed: load.seed,
        ..SimulationDocument::default()
    }
}

fn show(document: &SimulationDocument, shown: &LookArgs) -> Result<()> {
    if shown.json {
        return look::json(document);
    }
    let options = look::options(shown);
    look::write(&ioalign_report::simulation::text(document, &options))
}
