//! Jobs of fio: in, out, and what stays behind.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_inspect::source::{FileSource, Source};
use ioalign_measure::jobs::fio::{self, FioTarget};

use super::measure_plan::MeasurePlan;
use crate::args::{RunArgs, TheApi};
use crate::exit::UsageError;

/// A job file as a plan; targets that were typed win over those in the file.
pub fn read(path: &Path, arguments: &RunArgs) -> Result<MeasurePlan> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let taken = fio::read(&name, &text);
    let taken = taken.map_err(|what| UsageError(format!("{}: {what}", path.display())))?;
    let refused = &taken.refused;
    if !arguments.lenient && !refused.is_empty() {
        let what = format!(
            "{}: this would be another job:\n  {}\nGive --lenient to run what is left of it",
            path.display(),
            refused.join("\n  ")
        );
        return Err(UsageError(what).into());
    }
    let (mut io, mut engine) = (arguments.io.clone(), arguments.engine.clone());
    let settings = taken.settings;
    io.size = io.size.or(settings.size_bytes);
    io.buffered |= settings.buffered;
    io.cold |= settings.cold;
    engine.api = engine.api.or(settings.sync.then_some(TheApi::Sync));
    engine.iopoll |= settings.iopoll;
    engine.sqpoll |= settings.sqpoll;
    engine.seed = settings.seed.unwrap_or(engine.seed);
    let targets = if arguments.what.is_empty() {
        taken.files
    } else {
        arguments.what.clone()
    };
    Ok(MeasurePlan {
        job: taken.job,
        targets,
        io,
        engine,
        notes: taken
            .refused
            .into_iter()
            .chain(taken.not_taken)
            .map(|line| format!("not taken: {line}"))
            .collect(),
    })
}

/// Ignored keys are named before anything runs.
pub fn say(plan: &MeasurePlan) {
    for note in &plan.notes {
        crate::say::note(note);
    }
}

/// The plan as a job file.
pub fn emit(plan: &MeasurePlan) -> Result<String> {
    let folders = plan.targets.iter().filter(|path| path.is_dir()).count();
    if folders > 0 && plan.targets.len() > 1 {
        let what = "fio takes one folder, or files and devices";
        return Err(UsageError(what.to_owned()).into());
    }
    let files: Vec<_> = plan.targets.iter().map(PathBuf::as_path).collect();
    let room = room(&plan.targets);
    let target = FioTarget {
        files: &files,
        folder: folders > 0,
        file_bytes: room,
    };
    let mut settings = plan.settings();
    let usual = plan.usual_size();
    let usual = usual.filter(|usual| room.is_none_or(|room| room > *usual));
    settings.size_bytes = settings.size_bytes.or(usual);
    Ok(fio::emit(&plan.job, &target, &settings))
}

/// The size of the only target, where it is there.
fn room(targets: &[PathBuf]) -> Option<u64> {
    let [only] = targets else {
        return None;
    };
    let kind = only.metadata().ok()?.file_type();
    let is_disk = kind.is_file() || kind.is_block_device();
    is_disk.then(|| FileSource::open(only).ok().map(|source| source.len()))?
}
