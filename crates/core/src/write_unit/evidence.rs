//! All that was said of the unit, and what each of it is worth.

use serde::Serialize;

use super::{MeasuredUnit, WriteUnitClaims};
use crate::numbers::percent;

/// One source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitEvidence {
    /// Who says it.
    pub source: String,
    /// What it says; `None`: nothing.
    pub bytes: Option<u64>,
    /// What that means.
    pub means: String,
}

pub(super) fn of(
    claims: &WriteUnitClaims,
    measured: Option<&MeasuredUnit>,
    unit: Option<u64>,
) -> Vec<UnitEvidence> {
    let mut all: Vec<_> = measured.map(times).into_iter().collect();
    let mut say = |source: &str, bytes: Option<u64>, means: &str| {
        all.extend(bytes.map(|bytes| UnitEvidence {
            source: source.to_owned(),
            bytes: Some(bytes),
            means: means.to_owned(),
        }));
    };
    let granularity = "what a smaller write makes the drive read first";
    let (minimum, optimal, physical) = match claims.nvme {
        true => (
            "minimum_io_size (NPWG)",
            "optimal_io_size (NOWS)",
            "the smaller one of NPWG and AWUPF",
        ),
        false => (
            "minimum_io_size",
            "optimal_io_size",
            "what a smaller write makes the disk read first",
        ),
    };
    say("NPWG", claims.npwg, granularity);
    say("NPWA", claims.npwa, "where writes start best");
    say("NOWS", claims.nows, fast(claims.nows, unit));
    // sysfs repeats what Identify Namespace said.
    let by_kernel = claims.minimum.filter(|_| claims.npwg.is_none());
    say(minimum, by_kernel, "as the kernel passes it on");
    let by_kernel = claims.optimal.filter(|_| claims.nows.is_none());
    say(optimal, by_kernel, fast(by_kernel, unit));
    say("physical_block_size", claims.physical, physical);
    if let Some(known) = &claims.known {
        say(
            known.source,
            Some(known.bytes),
            "what others found in this model",
        );
    }
    all
}

/// What a preferred size of writes is.
fn fast(optimal: Option<u64>, unit: Option<u64>) -> &'static str {
    match optimal.is_some() && optimal == unit {
        true => "a size of writes that is fast; here it is the unit too",
        false => "a size of writes that is fast; it is not the unit",
    }
}

fn times(measured: &MeasuredUnit) -> UnitEvidence {
    let means = match (measured.bytes, measured.limit) {
        (Some(_), _) => "writes that cover it in part take longer".to_owned(),
        (None, Some(limit)) => format!(
            "no unit shows; an effect of {} would have been seen. A drive that answers from its buffer hides it",
            percent(limit)
        ),
        (None, None) => "no unit shows".to_owned(),
    };
    UnitEvidence {
        source: "times of writes (probe)".to_owned(),
        bytes: measured.bytes,
        means,
    }
}
