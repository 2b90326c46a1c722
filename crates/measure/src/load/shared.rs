//! What all workers of a load share, and what each brings back.

use ioalign_core::workload::Workload;

use super::board::Board;
use super::report::Tap;
use super::tally::Tally;
use crate::engine::{Files, Law, Options, Places, Times};
use crate::{Error, ErrorKind, Result};

/// What all workers of a load share.
pub(super) struct Shared<'a> {
    pub(super) files: &'a Files,
    pub(super) workload: &'a Workload,
    pub(super) options: &'a Options,
    pub(super) board: &'a Board,
    pub(super) tap: Option<&'a dyn Tap>,
}

/// What a worker did.
pub(super) struct Work {
    pub(super) tally: Tally,
    pub(super) elapsed_ns: u64,
    pub(super) times: Times,
    pub(super) errors: u64,
    pub(super) failed: Option<Error>,
}

/// Where a worker sends to.
pub(super) fn places(shared: &Shared<'_>, seed: u64) -> Result<Places> {
    let (workload, files) = (shared.workload, shared.files);
    let law = Law {
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
    Places::new(&law, &sizes, seed).ok_or_else(|| {
        Error::new(
            ErrorKind::Unsupported,
            "the targets are too small for the workload",
        )
    })
}
