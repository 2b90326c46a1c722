//! `ioalign simulate`: an array as a model.

mod serve;
mod workload;

use anyhow::{Context, Result};
use ioalign_core::simulation_document::{
    self, SimulatedArm, SimulatedClosedForm, SimulatedDisk, SimulationDocument,
};
use ioalign_core::workload::Workload;
use ioalign_simulate::closed_form;
use ioalign_simulate::description::{self, DescribedArray};
use ioalign_simulate::disk::DiskModel;
use ioalign_simulate::engine::{SimulationRun, interval, run as simulate};
use ioalign_simulate::geometry::ArrayGeometry;

use crate::args::{LookArgs, SimulateArgs, SimulateVerb, SimulatedLoadArgs};
use crate::exit::{Exit, UsageError};
use crate::look;

/// Runs the verb.
pub fn run(arguments: &SimulateArgs) -> Result<Exit> {
    match &arguments.verb {
        SimulateVerb::List(list) => names(&list.look),
        SimulateVerb::Run(one) => starts(&one.load, &[one.start]),
        SimulateVerb::Serve(one) => serve::run(one),
        SimulateVerb::Compare(several) => starts(&several.load, &several.starts),
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

fn starts(arguments: &SimulatedLoadArgs, starts: &[u64]) -> Result<Exit> {
    let mut array = array(&arguments.array)?;
    if let Some(ns) = arguments.service {
        array.disk = DiskModel::Fixed { ns };
    }
    let geometry =
        ArrayGeometry::new(array.shape.clone()).map_err(|what| wrong(arguments, &what))?;
    let job = workload::read(&arguments.workload)?;
    let mut document = SimulationDocument {
        schema: simulation_document::SCHEMA.to_owned(),
        tool: crate::check::tool(),
        array: arguments.array.clone(),
        about: array.about(),
        workload: arguments.workload.clone(),
        seed: arguments.seed,
        ..SimulationDocument::default()
    };
    let several = job.steps.len() > 1;
    for step in &job.steps {
        workload::not_simulated(step, &mut document.notes);
        let first = document.arms.len();
        for start in starts {
            let mut arm = arm(arguments, &geometry, &array.disk, step, *start)?;
            arm.step = match several {
                true => ioalign_report::load::describe(step),
                false => arguments.workload.clone(),
            };
            arm.iops_ratio = document.arms.get(first).map(|base| arm.iops / base.iops);
            document.warm_up_ios = warm_up(arguments, step);
            document.arms.push(arm);
        }
    }
    let first = document.arms.first().map(|arm| arm.closed_form);
    document.closed_form = first.unwrap_or_default();
    if arguments.look.json {
        look::json(&document)?;
    } else {
        look::write(&ioalign_report::simulation::text(
            &document,
            &look::options(&arguments.look),
        ))?;
    }
    Ok(Exit::Done)
}

fn array(text: &str) -> Result<DescribedArray> {
    let path = std::path::Path::new(text);
    if path.extension().is_some_and(|suffix| suffix == "toml") {
        let file = std::fs::read_to_string(path).with_context(|| text.to_owned())?;
        return description::parse(&file)
            .map_err(|what| UsageError(format!("{text}: {what}")).into());
    }
    description::named(text).map_err(|what| UsageError(what).into())
}

fn wrong(arguments: &SimulatedLoadArgs, what: &str) -> UsageError {
    UsageError(format!("{}: {what}", arguments.array))
}

/// Ten requests for each that is in flight: the disks have the places and queues of any other moment.
fn warm_up(arguments: &SimulatedLoadArgs, step: &Workload) -> u64 {
    const EACH: u64 = 10;
    let in_flight = u64::from(step.queue_depth) * u64::from(step.workers);
    arguments.warm_up.unwrap_or(in_flight * EACH)
}

fn arm(
    arguments: &SimulatedLoadArgs,
    geometry: &ArrayGeometry,
    disk: &DiskModel,
    step: &Workload,
    start: u64,
) -> Result<SimulatedArm> {
    let of_seed = |seed| {
        let run = SimulationRun {
            geometry,
            disk,
            workload: step,
            start_bytes: start,
            ios: arguments.ios,
            warm_up: warm_up(arguments, step),
            seed,
        };
        simulate(&run).map_err(|what| wrong(arguments, &what))
    };
    let first = of_seed(arguments.seed)?;
    let mut rates = vec![first.iops()];
    for more in 1..u64::from(arguments.runs) {
        rates.push(of_seed(arguments.seed.wrapping_add(more))?.iops());
    }
    let interval = interval(&rates);
    let disks = first.disks.iter();
    let mean = first.bytes_per_io();
    Ok(SimulatedArm {
        start_bytes: start,
        step: String::new(),
        ios: first.ios,
        iops: first.iops(),
        iops_low: interval.map(|(low, _)| low),
        iops_high: interval.map(|(_, high)| high),
        bytes_per_s: first.iops() * mean,
        latency_us: first.latency,
        disk_ios_per_io: first.disk_ios_per_io(),
        disks: disks
            .map(|disk| SimulatedDisk {
                reads: disk.reads,
                writes: disk.writes,
            })
            .collect(),
        iops_ratio: None,
        closed_form: SimulatedClosedForm {
            disk_ios_per_io: closed_form::disk_ios_per_io(geometry, step, start),
        },
    })
}
