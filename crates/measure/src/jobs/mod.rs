//! Jobs: workloads with a name, one after the other; from the list, from a file, from a job of fio.

mod file;
pub mod fio;
mod named;
pub mod values;

use ioalign_core::workload::Workload;

pub use file::parse;
pub use named::{NAMED, NamedJob, named};

/// The I/O, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadJob {
    /// Its name.
    pub name: String,
    /// One after the other.
    pub steps: Vec<Workload>,
    /// How much of a larger target is used, where the operator does not say; `None`: all of it.
    pub size_bytes: Option<u64>,
}

impl LoadJob {
    /// One step under its own name.
    pub fn of(workload: Workload) -> Self {
        Self {
            name: workload.name.clone(),
            steps: vec![workload],
            size_bytes: None,
        }
    }

    /// Whether any step writes.
    pub fn writes(&self) -> bool {
        self.steps.iter().any(Workload::writes)
    }
}
