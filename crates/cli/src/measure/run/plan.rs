//! What is run on what: a named job, a job file, a job of fio, or the usual load.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::workload::Workload;
use ioalign_measure::jobs::Job;
use ioalign_measure::jobs::fio::Settings;

use super::super::{cells, open};
use super::fio;
use crate::args::{EngineArgs, RunArgs, TargetArgs, TheApi};
use crate::exit::UsageError;

/// Everything that is known before a target is opened.
pub struct Plan {
    pub job: Job,
    pub targets: Vec<PathBuf>,
    pub io: TargetArgs,
    pub engine: EngineArgs,
    /// What the reader of the report should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// How fio would be told the same.
    pub fn settings(&self) -> Settings {
        Settings {
            size_bytes: self.io.size,
            buffered: self.io.buffered,
            sync: self.engine.api == Some(TheApi::Sync),
            iopoll: self.engine.iopoll,
            sqpoll: self.engine.sqpoll,
            seed: Some(self.engine.seed),
        }
    }
}

/// By the arguments.
pub fn plan(arguments: &RunArgs) -> Result<Plan> {
    let mut plan = match &arguments.from_fio {
        Some(path) => fio::read(path, arguments)?,
        None => named(arguments)?,
    };
    if plan.targets.is_empty() {
        let what = "no target: name a block device, a file or a folder";
        return Err(UsageError(what.to_owned()).into());
    }
    for step in &mut plan.job.steps {
        typed(step, arguments);
    }
    Ok(plan)
}

fn named(arguments: &RunArgs) -> Result<Plan> {
    let (job, targets) = match arguments.what.split_first() {
        Some((first, rest)) if is_job(first) => (cells::job(&first.display().to_string())?, rest),
        _ => (usual(), arguments.what.as_slice()),
    };
    Ok(Plan {
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

/// What is sent where nobody says what.
fn usual() -> Job {
    const DEPTH: u32 = 16;
    Job::of(Workload {
        name: "random-reads".to_owned(),
        queue_depth: DEPTH,
        ..Workload::default()
    })
}

/// What was typed wins over the job.
fn typed(step: &mut Workload, arguments: &RunArgs) {
    let set = |value: &mut u64, typed: Option<u64>| *value = typed.unwrap_or(*value);
    set(&mut step.ramp_ms, arguments.ramp);
    set(&mut step.run_ms, arguments.time);
    set(&mut step.offset_bytes, arguments.offset);
    step.queue_depth = arguments.depth.unwrap_or(step.queue_depth);
    step.workers = arguments.workers.unwrap_or(step.workers);
    step.data = open::data(&step.data, &arguments.data);
}
