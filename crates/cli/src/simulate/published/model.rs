//! What a row takes: runs of the model, and whether it is a hit.

use anyhow::Result;
use ioalign_core::simulation_document::PublishedFigure;
use ioalign_core::workload::{Pattern, SizeShare, Workload};
use ioalign_simulate::description::{self, DescribedArray};

use crate::exit::UsageError;
use crate::simulate::arms::{once, warm_up};

pub const ALIGNED: u64 = 2048 * 512;
pub const SECTOR_63: u64 = 63 * 512;
/// Points that a gain may be off: what the mean over the rows with a model has to be below.
pub const POINTS: f64 = 6.0;

/// How long each run is.
pub struct PublishedModel {
    pub ios: u64,
    pub seed: u64,
}

/// A figure without what the model says.
const fn figure(array: String, what: String, published: f64, source: String) -> PublishedFigure {
    PublishedFigure {
        array,
        what,
        published,
        simulated: 0.0,
        unit: String::new(),
        tolerance: POINTS,
        hit: false,
        mechanical: true,
        source,
        note: String::new(),
    }
}

/// Its unit, the model's figure, and how far they may be apart.
pub fn filled(row: PublishedFigure, unit: &str, simulated: f64, tolerance: f64) -> PublishedFigure {
    // Within a point of nothing there is no direction.
    let same_way = row.published < 1.0 || simulated > -1.0;
    PublishedFigure {
        unit: unit.to_owned(),
        simulated,
        tolerance,
        hit: same_way && (simulated - row.published).abs() <= tolerance,
        ..row
    }
}

pub fn row(array: &str, what: &str, published: f64, source: &str) -> PublishedFigure {
    figure(
        array.to_owned(),
        what.to_owned(),
        published,
        source.to_owned(),
    )
}

pub fn load(bytes: u64, reads: f64, pattern: Pattern, workers: u32) -> Workload {
    Workload {
        sizes: vec![SizeShare::only(bytes)],
        read_ratio: reads,
        pattern,
        workers,
        ..Workload::default()
    }
}

pub fn preset(name: &str) -> Result<DescribedArray> {
    description::named(name).map_err(|what| UsageError(what).into())
}

impl PublishedModel {
    /// Requests a second, and the mean latency in µs.
    pub fn rate(
        &self,
        array: &DescribedArray,
        load: &Workload,
        start: u64,
        size: Option<u64>,
    ) -> Result<(f64, f64)> {
        let counts = (self.ios, warm_up(array, load));
        let outcome = once(array, load, (start, size), counts, self.seed).map_err(UsageError)?;
        Ok((outcome.iops(), outcome.latency.mean))
    }

    /// What an aligned start gives, in percent.
    pub fn gain(
        &self,
        array: &DescribedArray,
        load: &Workload,
        [on, off]: [u64; 2],
        size: Option<u64>,
    ) -> Result<f64> {
        let (aligned, misaligned) = (
            self.rate(array, load, on, size)?.0,
            self.rate(array, load, off, size)?.0,
        );
        Ok((aligned / misaligned - 1.0) * 100.0)
    }
}
