//! What was found, as a document.

use std::sync::Arc;

use ioalign_core::geometry_document::{FoundGrid, GeometryDocument, RMW_UNIT, SCHEMA, STRIPE};
use ioalign_device::Target;
use ioalign_measure::probe::{ProbeOutcome, ProbedGrid, ProbedKind, Redundancy, TimedDevice};

use ioalign_check::machine;

/// The probability that an effect above the limit was not missed, by which the limit is defined.
const NOTHING_MISSED: f64 = 0.99;
/// That of `none` where something was seen that no geometry explains.
const UNCLEAR: f64 = 0.5;

/// Before anything is measured.
pub fn empty(target: &Arc<Target>, device: &impl TimedDevice) -> GeometryDocument {
    GeometryDocument {
        schema: SCHEMA.to_owned(),
        tool: crate::check::tool(),
        machine: machine::read(&[target.path().to_owned()]).unwrap_or_default(),
        target: target.path().display().to_string(),
        size_bytes: device.size_bytes(),
        sector_bytes: device.sector_bytes(),
        ..GeometryDocument::default()
    }
}

/// Takes over what a probe found.
pub fn fill(document: &mut GeometryDocument, outcome: &ProbeOutcome) {
    document.confidence_ratio = match (&outcome.partial, outcome.unclear) {
        (Some(_), _) => 0.0,
        (None, true) => UNCLEAR,
        (None, false) => NOTHING_MISSED,
    };
    document.set_grids(outcome.grids.iter().map(grid).collect());
    document.detection_limit = Some(outcome.detection_limit).filter(|limit| limit.is_finite());
    document.write_detection_limit = outcome.write_detection_limit;
    document.reads = outcome.reads;
    document.writes = outcome.writes;
    document.duration_us = u64::try_from(outcome.elapsed.as_micros()).unwrap_or(u64::MAX);
    document.redundancy = outcome.redundancy.map(|seen| {
        let name = match seen {
            Redundancy::Unseen => "none",
            Redundancy::Mirror => "mirror",
            Redundancy::Parity => "parity",
        };
        name.to_owned()
    });
    document.partial.clone_from(&outcome.partial);
    document.notes.extend(outcome.notes.iter().cloned());
    if document.sector_bytes > 512 {
        document.notes.push(format!(
            "it takes I/O in multiples of {} bytes: a boundary is known to that",
            document.sector_bytes
        ));
    }
}

fn grid(found: &ProbedGrid) -> FoundGrid {
    let kind = match found.kind {
        ProbedKind::Stripe => STRIPE,
        ProbedKind::RmwUnit => RMW_UNIT,
    };
    FoundGrid {
        kind: kind.to_owned(),
        unit_bytes: found.unit_bytes,
        phase_bytes: found.phase_bytes,
        columns: found.columns,
        confidence_ratio: found.confidence_ratio,
        effect_ratio: found.effect_ratio,
        grid: String::new(),
    }
}
