//! One arm: an array, a start, a step of a workload.

use anyhow::Result;
use ioalign_core::simulation_document::{SimulatedArm, SimulatedClosedForm, SimulatedDisk};
use ioalign_core::workload::Workload;
use ioalign_simulate::closed_form;
use ioalign_simulate::description::DescribedArray;
use ioalign_simulate::engine::{SimulationOutcome, SystemRun, TenantLoad, interval, run_system};
use ioalign_simulate::geometry::ArrayGeometry;

use super::array::ArrayVariant;
use crate::args::SimulatedLoadArgs;
use crate::exit::UsageError;

/// How long runs are, and how many.
#[derive(Copy, Clone, Debug)]
pub struct TrialCounts {
    pub ios: u64,
    /// `None`: what the array needs.
    pub warm_up: Option<u64>,
    pub seed: u64,
    pub runs: u32,
}

impl From<&SimulatedLoadArgs> for TrialCounts {
    fn from(load: &SimulatedLoadArgs) -> Self {
        Self {
            ios: load.ios,
            warm_up: load.warm_up,
            seed: load.seed,
            runs: load.runs,
        }
    }
}

/// An arm with what it takes to make it again.
pub struct ArmTrial {
    pub arm: SimulatedArm,
    pub step: Workload,
    pub warm_up: u64,
    /// Of the volume; `None`: all.
    pub size: Option<u64>,
    /// The rates of all seeds.
    pub rates: Vec<f64>,
    /// The mean latencies of all seeds, in µs.
    pub means: Vec<f64>,
}

impl ArmTrial {
    /// Runs it, once for each seed.
    pub fn new(
        counts: &TrialCounts,
        variant: &ArrayVariant,
        step: &Workload,
        start: u64,
        size: Option<u64>,
    ) -> Result<Self> {
        let wrong = |what: String| UsageError(format!("{}: {what}", variant.name));
        let warm_up = counts
            .warm_up
            .unwrap_or_else(|| warm_up(&variant.array, step));
        let of_seed = |more: u64| {
            let seed = counts.seed.wrapping_add(more);
            once(
                &variant.array,
                step,
                (start, size),
                (counts.ios, warm_up),
                seed,
            )
            .map_err(wrong)
        };
        let first = of_seed(0)?;
        let mut rates = vec![first.iops()];
        let mut means = vec![first.latency.mean];
        for more in 1..u64::from(counts.runs) {
            let next = of_seed(more)?;
            rates.push(next.iops());
            means.push(next.latency.mean);
        }
        let geometry = ArrayGeometry::new(variant.array.shape.clone()).map_err(wrong)?;
        let mut arm = arm(&first, start, interval(&rates));
        arm.array.clone_from(&variant.label);
        arm.closed_form = SimulatedClosedForm {
            disk_ios_per_io: formula(&variant.array, &geometry, step, start),
        };
        Ok(Self {
            arm,
            step: step.clone(),
            warm_up,
            size,
            rates,
            means,
        })
    }
}

/// One run.
pub fn once(
    array: &DescribedArray,
    step: &Workload,
    (start, size): (u64, Option<u64>),
    (ios, warm_up): (u64, u64),
    seed: u64,
) -> Result<SimulationOutcome, String> {
    let geometry = ArrayGeometry::new(array.shape.clone())?;
    let mut array = array.clone();
    array.above.size = match (array.above.size, size) {
        (Some(own), Some(typed)) => Some(own.min(typed)),
        (own, typed) => own.or(typed),
    };
    let place = array.place(start, geometry.capacity())?;
    let tenant = array.tenant(TenantLoad::Workload(step), &place);
    let outcome = run_system(&SystemRun {
        system: &array.system(&geometry),
        tenants: &[tenant],
        ios,
        warm_up,
        seed,
    })?;
    outcome.only().ok_or_else(|| "nothing was run".to_owned())
}

/// Ten requests for each that is in flight, and what fills the cache: then disks and caches are as at any other
/// moment.
pub fn warm_up(array: &DescribedArray, step: &Workload) -> u64 {
    const EACH: u64 = 10;
    let in_flight = u64::from(step.queue_depth) * u64::from(step.workers);
    let size = step.largest_bytes().max(512);
    let cache = array.cache.as_ref();
    let writes = cache
        .filter(|cache| cache.write_back && step.writes())
        .map_or(0, |cache| cache.write_bytes / size * 11 / 10);
    (in_flight * EACH).max(writes)
}

/// The formula knows the array alone, not what lies above it.
fn formula(
    array: &DescribedArray,
    geometry: &ArrayGeometry,
    step: &Workload,
    start: u64,
) -> Option<f64> {
    let above = &array.above;
    let shift = above.maps.iter().try_fold(start, |sum, map| match map {
        ioalign_core::map::Map::Shift { start } => Some(sum + start.get()),
        _ => None,
    })?;
    let plain = above.block_bytes == 0 && array.unit_bytes == 0;
    let formula = || closed_form::disk_ios_per_io(geometry, step, shift);
    plain.then(formula).flatten()
}

/// An outcome as a document has it.
pub fn arm(outcome: &SimulationOutcome, start: u64, interval: Option<(f64, f64)>) -> SimulatedArm {
    SimulatedArm {
        start_bytes: start,
        ios: outcome.ios,
        iops: outcome.iops(),
        iops_low: interval.map(|(low, _)| low),
        iops_high: interval.map(|(_, high)| high),
        bytes_per_s: outcome.iops() * outcome.bytes_per_io(),
        disk_ios_per_io: outcome.disk_ios_per_io(),
        disks: outcome
            .disks
            .iter()
            .map(|disk| SimulatedDisk {
                reads: disk.reads,
                writes: disk.writes,
            })
            .collect(),
        latency_us: outcome.latency,
        ..SimulatedArm::default()
    }
}
