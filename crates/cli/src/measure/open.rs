//! Targets as the arguments want them, and what a refusal means for the exit code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use ioalign_core::comparison::Conditions;
use ioalign_core::workload::Data;
use ioalign_core::{move_words, shell};
use ioalign_device::{Target, TargetRequest, same};
use ioalign_inspect::moving;
use ioalign_inspect::source::{FileSource, Source};
use ioalign_measure::engine::{Api, EngineOptions};
use ioalign_measure::{Error, ErrorKind};

use crate::args::{DataArgs, EngineArgs, TargetArgs, TheApi};
use crate::exit::{Stopped, UsageError};
use crate::interrupt::Interrupt;

/// Opens targets by the arguments.
pub struct Opener<'a> {
    /// The permissions on them.
    pub arguments: &'a TargetArgs,
    /// Whether anything is written.
    pub write: bool,
    /// Sizes of writes that have to be atomic.
    pub atomic: Vec<u64>,
    /// How much of each is used, where the arguments do not say.
    pub usual_size: Option<u64>,
    /// Ctrl-C ends the filling of files.
    pub interrupt: &'a Interrupt,
}

impl Opener<'_> {
    /// All of them; names in `--destroy-data` have to be among them.
    pub fn all(&self, paths: &[PathBuf]) -> Result<Vec<Arc<Target>>> {
        let named = &self.arguments.destroy_data;
        let stray = named
            .iter()
            .find(|name| !paths.iter().any(|path| same(name, path)));
        if let Some(stray) = stray {
            let what = format!(
                "--destroy-data {}: it is no target of this run",
                stray.display()
            );
            return Err(UsageError(what).into());
        }
        paths.iter().map(|path| self.one(path)).collect()
    }

    fn one(&self, path: &Path) -> Result<Arc<Target>> {
        let destroy = self.arguments.destroy_data.iter();
        let want = TargetRequest {
            write: self.write,
            destroy: destroy.clone().find(|name| same(name, path)).cloned(),
            size_bytes: self.size_of(path),
            direct: !self.arguments.buffered,
            atomic: self.atomic.clone(),
            stop: Some(self.interrupt.flag()),
        };
        if self.write {
            no_image_in_flight(path)?;
        }
        Target::open(path, &want).map(Arc::new).map_err(refusal)
    }

    /// The typed size; else the usual size, limited by the target.
    pub fn size_of(&self, path: &Path) -> Option<u64> {
        let usual = || {
            let usual = self.usual_size?;
            // A missing file is created only if --size is given: the name may be a typing error.
            let data = path.metadata().ok()?;
            if data.is_dir() {
                return Some(usual);
            }
            // Anything but a file or a device is refused later, and never opened here: a FIFO would
            // block.
            let whole = FileSource::open(path).map_or(data.len(), |source| source.len());
            (whole > usual).then_some(usual)
        };
        self.arguments.size.or_else(usual)
    }
}

/// Refuses an image of any format with a disk in it whose partitions are being moved.
fn no_image_in_flight(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let Ok(Some(found)) = moving::marker_of(path) else {
        return Ok(());
    };
    let (name, state) = (shell::path(path), move_words::state(&found));
    Err(anyhow!("{name}: {state}; {}", move_words::ways(path, None)))
}

/// A refusal that other arguments would lift is wrong usage, 64; any other is 65.
pub fn refusal(error: Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused | ErrorKind::Unsupported => UsageError(error.to_string()).into(),
        ErrorKind::Interrupted => Stopped(error.to_string()).into(),
        _ => anyhow!(error),
    }
}

/// Writes have to be allowed before anything is opened for them.
pub fn allowed(writes: bool, arguments: &TargetArgs) -> Result<()> {
    if writes && !arguments.write {
        let what = "it would write, which needs --write (and --destroy-data TARGET where the target holds data)";
        return Err(UsageError(what.to_owned()).into());
    }
    Ok(())
}

/// The typed arguments, and those of an earlier run.
pub fn like(typed: &TargetArgs, then: Option<&Conditions>) -> TargetArgs {
    let mut io = typed.clone();
    if let Some(then) = then {
        io.cold |= then.cold;
        io.buffered |= then.buffered;
        io.size = io.size.or(then.size_bytes);
    }
    io
}

/// Notes on targets for the reader of a report.
pub fn notes(targets: &[Arc<Target>]) -> Vec<String> {
    let of = |target: &Arc<Target>| {
        let named = |note: &String| format!("{}: {note}", target.path().display());
        target.notes().iter().map(named).collect::<Vec<_>>()
    };
    targets.iter().flat_map(of).collect()
}

/// How the engine is to work.
pub fn options(io: &TargetArgs, engine: &EngineArgs, data: Data) -> EngineOptions {
    EngineOptions {
        api: engine.api.map(|api| match api {
            TheApi::Uring => Api::Uring,
            TheApi::Sync => Api::Sync,
        }),
        iopoll: engine.iopoll,
        sqpoll: engine.sqpoll,
        cold: io.cold,
        seed: engine.seed,
        data,
        write: io.write,
        ..EngineOptions::default()
    }
}

/// The written data of a job, with the typed arguments instead.
pub fn data(job: &Data, arguments: &DataArgs) -> Data {
    Data {
        compressible_ratio: arguments.compressible.unwrap_or(job.compressible_ratio),
        duplicate_ratio: arguments.dedup.unwrap_or(job.duplicate_ratio),
        pattern_hex: arguments
            .buffer_pattern
            .clone()
            .or_else(|| job.pattern_hex.clone()),
        refill: job.refill && !arguments.no_refill,
    }
}
