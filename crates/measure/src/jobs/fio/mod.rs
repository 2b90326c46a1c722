//! Jobs of fio: what both programs can do goes over in both ways, and what is left behind is said.

mod draft;
mod emit;
mod files;
mod implied;
mod keys;
mod left_out;
mod pattern;
mod rate;
mod read;
mod sections;
mod sizes;
pub mod table;
mod units;

use std::path::PathBuf;

use super::LoadJob;

pub use emit::{FioTarget, emit};
pub use read::read;

/// How fio opens and drives its files, apart from the workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FioSettings {
    /// Bytes of each file that are used.
    pub size_bytes: Option<u64>,
    /// Through the page cache.
    pub buffered: bool,
    /// Cached pages are dropped before a load.
    pub cold: bool,
    /// One `pread` or `pwrite` at a time.
    pub sync: bool,
    /// Completions are polled for.
    pub iopoll: bool,
    /// A thread of the kernel takes submissions.
    pub sqpoll: bool,
    /// Seed of random places.
    pub seed: Option<u64>,
}

/// A job file, as far as it can be run here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedJob {
    /// One step a section.
    pub job: LoadJob,
    /// `filename` or `directory`; empty: the command line has to name it.
    pub files: Vec<PathBuf>,
    /// The rest of what was taken.
    pub settings: FioSettings,
    /// Keys that are left behind, or have another effect; the I/O stays of the same kind: `section: key=value: why`.
    pub not_taken: Vec<String>,
    /// Keys without which this is another job, in the same form.
    pub refused: Vec<String>,
}
