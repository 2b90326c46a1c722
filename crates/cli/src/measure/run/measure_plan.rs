//! What a run is to do.

use std::path::PathBuf;

use ioalign_measure::jobs::LoadJob;
use ioalign_measure::jobs::fio::FioSettings;

use crate::args::{EngineArgs, TargetArgs, TheApi};

/// Everything that is known before a target is opened.
pub struct MeasurePlan {
    pub job: LoadJob,
    pub targets: Vec<PathBuf>,
    pub io: TargetArgs,
    pub engine: EngineArgs,
    /// Notes for the reader of the report.
    pub notes: Vec<String>,
}

impl MeasurePlan {
    /// How much of a target the job uses where nothing is typed; of files in a folder as much as ever.
    pub fn usual_size(&self) -> Option<u64> {
        let has_folder = self.targets.iter().any(|path| path.is_dir());
        self.job.size_bytes.filter(|_| !has_folder)
    }

    /// The same as options of fio.
    pub fn settings(&self) -> FioSettings {
        FioSettings {
            size_bytes: self.io.size,
            buffered: self.io.buffered,
            cold: self.io.cold,
            sync: self.engine.api == Some(TheApi::Sync),
            iopoll: self.engine.iopoll,
            sqpoll: self.engine.sqpoll,
            seed: Some(self.engine.seed),
        }
    }
}
