//! The jobs and targets: a named job, a job file, a fio job, or the default load.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::units::ratio;
use ioalign_core::workload::Workload;
use ioalign_device::are_aliases;
use ioalign_measure::jobs::LoadJob;

use super::super::{cells, open};
use super::fio;
use super::measure_plan::MeasurePlan;
use crate::args::{DataArgs, LoadArgs, RunArgs};
use crate::exit::UsageError;

/// By the arguments.
pub fn plan(arguments: &RunArgs) -> Result<MeasurePlan> {
    let mut plan = match &arguments.from_fio {
        Some(path) => fio::read(path, arguments)?,
        None => named(arguments)?,
    };
    if plan.targets.is_empty() {
        let what = "no target: name a block device, a file or a folder";
        return Err(UsageError(what.to_owned()).into());
    }
    named_once(&plan.targets)?;
    for step in &mut plan.job.steps {
        typed(step, &arguments.load, &arguments.data);
    }
    Ok(plan)
}

/// A target that is named twice would have twice the load, and be counted as two.
fn named_once(targets: &[PathBuf]) -> Result<()> {
    for (index, target) in targets.iter().enumerate() {
        let others = targets.iter().take(index);
        if let Some(other) = others.into_iter().find(|other| are_aliases(other, target)) {
            let (a, b) = (other.display(), target.display());
            let what = if other == target {
                format!("{a} is named twice: name each target once, and --workers for more load")
            } else {
                format!("{a} and {b} are the same target: name it once")
            };
            return Err(UsageError(what).into());
        }
    }
    Ok(())
}

fn named(arguments: &RunArgs) -> Result<MeasurePlan> {
    let (job, targets) = match arguments.what.split_first() {
        Some((first, rest)) if is_job(first) || is_no_target(first, rest) => {
            (cells::job(&first.display().to_string())?, rest)
        }
        _ => (usual(), arguments.what.as_slice()),
    };
    Ok(MeasurePlan {
        job,
        targets: targets.to_vec(),
        io: arguments.io.clone(),
        engine: arguments.engine.clone(),
        notes: Vec::new(),
    })
}

fn is_job(path: &Path) -> bool {
    path.to_str().is_some_and(cells::is_job)
}

/// Whether a first word of several is a job by a name that there is none of: no path, and nothing that is there.
fn is_no_target(first: &Path, rest: &[PathBuf]) -> bool {
    let is_word = first
        .to_str()
        .is_some_and(|word| !word.contains(['/', '.']));
    is_word && !rest.is_empty() && !first.exists()
}

/// The default load.
fn usual() -> LoadJob {
    const DEPTH: u32 = 16;
    LoadJob::of(Workload {
        name: "load".to_owned(),
        queue_depth: DEPTH,
        ..Workload::default()
    })
}

/// Arguments override the job.
fn typed(step: &mut Workload, load: &LoadArgs, data: &DataArgs) {
    if let Some(sizes) = &load.sizes {
        step.sizes.clone_from(&sizes.0);
    }
    step.read_ratio = load.op.unwrap_or(step.read_ratio);
    step.pattern = load.pattern.unwrap_or(step.pattern);
    step.offset_bytes = load.offset.unwrap_or(step.offset_bytes);
    step.align_bytes = load.align.or(step.align_bytes);
    step.queue_depth = load.depth.unwrap_or(step.queue_depth);
    step.workers = load.workers.unwrap_or(step.workers);
    if let Some(every) = load.fsync {
        step.fsync_every_writes = (every > 0).then_some(every);
    }
    step.atomic |= load.atomic;
    let rate = load.rate.map(|rate| ratio(rate, 1));
    step.rate_iops = rate.or(step.rate_iops);
    step.ramp_ms = load.ramp.unwrap_or(step.ramp_ms);
    step.run_ms = load.time.unwrap_or(step.run_ms);
    step.data = open::data(&step.data, data);
}
