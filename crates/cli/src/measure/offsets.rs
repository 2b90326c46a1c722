//! The same I/O at given offsets of one target, for other verbs.

use std::path::Path;

use anyhow::Result;
use ioalign_core::comparison::Comparison;
use ioalign_core::workload::Data;
use ioalign_measure::engine::CellSpec;

use super::arms::{self, Arms};
use super::session::{MeasureRequest, MeasureSession};
use super::start;
use crate::args::HowArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;

/// What is measured.
pub struct OffsetMeasurement<'a> {
    pub target: &'a Path,
    /// The first is the baseline.
    pub offsets: &'a [u64],
    pub specs: &'a [CellSpec],
    pub how: &'a HowArgs,
    /// Load before a cell counts.
    pub ramp_ms: u64,
    /// The most for a cell.
    pub time_ms: u64,
}

/// Measures, and shows nothing but its progress.
pub fn measured_at(
    wanted: &OffsetMeasurement<'_>,
    interrupt: &Interrupt,
) -> Result<(Comparison, Exit)> {
    let begins = start::on_disk(wanted.target);
    let arms = Arms {
        list: wanted
            .offsets
            .iter()
            .map(|offset| arms::at(*offset, begins))
            .collect(),
        targets: vec![wanted.target.to_owned()],
        ..Arms::default()
    };
    let request = MeasureRequest {
        arms: &arms,
        specs: wanted.specs,
        atomic: &[],
        usual_size: None,
        data: Data::default(),
        like: None,
        notes: &[],
        ramp_ms: wanted.ramp_ms,
        time_ms: wanted.time_ms,
    };
    let session = MeasureSession::open(&request, wanted.how, interrupt)?;
    session.all(wanted.specs)
}
