//! Data that all workers of a load share, and the result of each.

use ioalign_core::workload::Workload;

use super::board::Board;
use super::report::Tap;
use super::tally::LoadTally;
use crate::engine::{CpuTimes, EngineOptions, Files, PlaceLaw, PlaceStream};
use crate::{Error, ErrorKind, Result};

/// Data that all workers of a load share.
pub(super) struct Shared<'a> {
    pub(super) files: &'a Files,
    pub(super) workload: &'a Workload,
    pub(super) options: &'a EngineOptions,
    pub(super) board: &'a Board,
    pub(super) tap: Option<&'a dyn Tap>,
}

/// The work of a worker.
pub(super) struct Work {
    pub(super) tally: LoadTally,
    pub(super) elapsed_ns: u64,
    pub(super) times: CpuTimes,
    pub(super) errors: u64,
    pub(super) failed: Option<Error>,
}

/// The target of a worker.
pub(super) fn places(shared: &Shared<'_>, seed: u64) -> Result<PlaceStream> {
    let (workload, files) = (shared.workload, shared.files);
    let law = PlaceLaw {
        sizes: &workload.sizes,
        read_ratio: workload.read_ratio,
        pattern: workload.pattern,
        align_bytes: workload.align_bytes,
        offset_bytes: workload.offset_bytes,
    };
    let sizes: Vec<_> = files
        .targets()
        .iter()
        .flat_map(|target| files.sizes_of(target))
        .collect();
    PlaceStream::new(&law, &sizes, seed).ok_or_else(|| {
        Error::new(
            ErrorKind::Unsupported,
            "the targets are too small for the workload",
        )
    })
}
