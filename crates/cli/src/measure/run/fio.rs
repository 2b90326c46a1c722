//! Jobs of fio: in, out, and what stays behind.

use std::path::Path;

use anyhow::{Context, Result};
use ioalign_measure::jobs::fio::{self, Target};

use super::plan::Plan;
use crate::args::{RunArgs, TheApi};
use crate::exit::UsageError;

/// A job file as a plan; targets that were typed win over those in the file.
pub fn read(path: &Path, arguments: &RunArgs) -> Result<Plan> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let taken = fio::read(&name, &text);
    let taken = taken.map_err(|what| UsageError(format!("{}: {what}", path.display())))?;
    let (mut io, mut engine) = (arguments.io.clone(), arguments.engine.clone());
    let settings = taken.settings;
    io.size = io.size.or(settings.size_bytes);
    io.buffered |= settings.buffered;
    engine.api = engine.api.or(settings.sync.then_some(TheApi::Sync));
    engine.iopoll |= settings.iopoll;
    engine.sqpoll |= settings.sqpoll;
    engine.seed = settings.seed.unwrap_or(engine.seed);
    let targets = if arguments.what.is_empty() {
        taken.files
    } else {
        arguments.what.clone()
    };
    Ok(Plan {
        job: taken.job,
        targets,
        io,
        engine,
        notes: taken
            .not_taken
            .into_iter()
            .map(|line| format!("not taken: {line}"))
            .collect(),
    })
}

/// What was not taken is said before anything runs.
pub fn tell(plan: &Plan) {
    for note in &plan.notes {
        anstream::eprintln!("ioalign: {note}");
    }
}

/// The plan as a job file.
pub fn emit(plan: &Plan) -> Result<String> {
    let folders = plan.targets.iter().filter(|path| path.is_dir()).count();
    if folders > 0 && plan.targets.len() > 1 {
        let what = "fio takes one folder, or files and devices";
        return Err(UsageError(what.to_owned()).into());
    }
    let files: Vec<_> = plan
        .targets
        .iter()
        .map(std::path::PathBuf::as_path)
        .collect();
    let target = Target {
        files: &files,
        folder: folders > 0,
    };
    Ok(fio::emit(&plan.job, &target, &plan.settings()))
}
