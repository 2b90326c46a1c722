//! The geometry of a device, from the time of its I/O alone.
//!
//! Two reads that lie on one disk wait for each other. [`probe`] measures pairs of reads at many distances (`pairs`), looks for the unit and
//! the number of columns that explain which of them are slow (`search`, `fit`, `family`), checks them with new distances (`confirm`), and
//! looks for the first boundary (`phase`). Only a [`TimedDevice`] is needed: a model with a clock of its own is one. Reasons
//! and limits: `docs/probe.md`.

mod confirm;
mod device;
mod distances;
mod family;
mod fit;
mod layout;
mod mixture;
mod outcome;
mod pairs;
mod phase;
mod redundancy;
mod rmw;
mod sampler;
mod scale;
mod search;
mod stripe;

use std::time::Duration;

use ioalign_core::Bytes;

use crate::{Error, ErrorKind, Result};
use family::StripeFamily;
use sampler::{ProbeHalt, Sampler};
use stripe::stripe;

pub use device::{ProbeIo, TimedDevice};
pub use outcome::{ProbeOutcome, ProbeProgress, ProbeStage, ProbedGrid, ProbedKind, Redundancy};
pub use sampler::ProbeWatch;

/// A device below this size has too few places.
const LEAST_SIZE: u64 = 32 << 20;

/// How a probe is made.
#[derive(Copy, Clone, Debug)]
pub struct ProbeDesign {
    /// The most time.
    pub max_time: Duration,
    /// Seed of all places.
    pub seed: u64,
    /// Writes are sent as well.
    pub write: bool,
}

/// Probes a device.
pub fn probe(
    device: &mut dyn TimedDevice,
    design: &ProbeDesign,
    watch: &mut ProbeWatch<'_>,
) -> Result<ProbeOutcome> {
    if device.size_bytes() < LEAST_SIZE {
        let what = format!(
            "is {} long: a probe needs {} or more",
            Bytes::new(device.size_bytes()),
            Bytes::new(LEAST_SIZE)
        );
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let mut outcome = ProbeOutcome {
        detection_limit: f64::INFINITY,
        ..ProbeOutcome::default()
    };
    let mut sampler = Sampler::new(device, watch, design.max_time, design.seed);
    let halted = all(&mut sampler, &mut outcome, design.write);
    outcome.reads = sampler.reads;
    outcome.writes = sampler.writes;
    outcome.elapsed = sampler.device.elapsed();
    match halted {
        Ok(()) => {}
        Err(ProbeHalt::Time) => outcome.partial = Some("the time is over".to_owned()),
        Err(ProbeHalt::Asked) => outcome.partial = Some("interrupted".to_owned()),
        Err(ProbeHalt::Failed(error)) => return Err(error),
    }
    Ok(outcome)
}

fn all(
    sampler: &mut Sampler<'_>,
    outcome: &mut ProbeOutcome,
    write: bool,
) -> Result<(), ProbeHalt> {
    let turn = reads(sampler, outcome)?;
    if !write {
        return Ok(());
    }
    if let (Some(turn), Some(grid)) = (turn, outcome.grids.first()) {
        outcome.redundancy = redundancy::redundancy(sampler, grid, turn)?;
    }
    sampler.group = 1;
    let (unit, limit) = rmw::unit(sampler)?;
    outcome.write_detection_limit = Some(limit);
    outcome.grids.extend(unit);
    Ok(())
}

/// What reads show, with as many reads at a place as keep it busy; if that is more than one and shows nothing, with one.
fn reads(sampler: &mut Sampler<'_>, outcome: &mut ProbeOutcome) -> Result<Option<u64>, ProbeHalt> {
    let busy = sampler.saturation()?;
    let groups = match busy {
        Some(1) => vec![1],
        Some(group) => vec![group, 1],
        None => vec![1],
    };
    let family = StripeFamily::new(sampler.device.size_bytes());
    for group in groups {
        sampler.group = group;
        if let Some((grid, turn)) = stripe(sampler, &family, outcome)? {
            outcome.grids.push(grid);
            return Ok(Some(turn));
        }
    }
    if busy.is_none() {
        let what = "16 reads at one place do not wait for each other: a device with much parallelism of its own, or a cache, hides \
                    what lies below";
        outcome.notes.push(what.to_owned());
    }
    Ok(None)
}
