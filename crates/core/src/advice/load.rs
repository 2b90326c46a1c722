//! What the workload does: the kinds of I/O that a loss is weighed by, and whether there is much of it.

use serde::Serialize;

use super::{Checked, Evidence};
use crate::profile::{DeviceProfile, OpProfile, Profile};
use crate::units::ratio;

/// A device that is busy for less than this share of the time has a light load.
pub const LIGHT_BUSY: f64 = 0.10;
/// More than this share of the I/O makes a workload one of that kind.
pub const MOSTLY: f64 = 0.5;

/// The workload in a few numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Load {
    /// The devices of the profile that it is made of.
    pub devices: Vec<String>,
    /// Reads and writes.
    pub ios: u64,
    /// Share of reads.
    pub reads_ratio: f64,
    /// Share of sequential reads among all; `None`: the profile does not tell.
    pub sequential_reads_ratio: Option<f64>,
    /// Share of writes that are not sequential among all.
    pub random_writes_ratio: Option<f64>,
    /// Share of the time with any I/O in flight, of the busiest device.
    pub busy_ratio: Option<f64>,
    /// Busy for less than a tenth of the time.
    pub light: bool,
    /// Whether the devices were found in the stack that was checked.
    pub in_stack: bool,
    #[serde(skip)]
    pub(super) kinds: Vec<IoKind>,
}

impl Load {
    /// Whether sequential reads are the most of it, which gain most from alignment.
    pub fn mostly_sequential_reads(&self) -> bool {
        self.sequential_reads_ratio
            .is_some_and(|share| share > MOSTLY)
    }

    /// Whether random writes are the most of it, which caches take up.
    pub fn mostly_random_writes(&self) -> bool {
        self.random_writes_ratio.is_some_and(|share| share > MOSTLY)
    }
}

/// I/O of one operation, size and order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IoKind {
    pub(super) write: bool,
    pub(super) bytes: u64,
    /// How many, as a weight.
    pub(super) ios: f64,
    /// `None`: not known.
    pub(super) sequential: Option<bool>,
    /// Cells touched beyond the fewest an I/O, by the size of the cell: seen on the layer below.
    pub(super) seen: Vec<(u64, f64)>,
}

impl IoKind {
    /// The share that was seen to cross boundaries of this distance, where the profile follows the I/O
    /// down to the layer that they are in.
    pub(super) fn seen_crossing(&self, unit: u64) -> Option<f64> {
        let seen = self.seen.iter().find(|(size, _)| *size == unit);
        seen.map(|(_, share)| *share)
    }
}

/// Sums up the devices that are in the stack, or all where none is.
pub(super) fn of(profile: &Profile, evidence: &Evidence<'_>) -> Load {
    let known = |device: &&DeviceProfile| is_in(device, evidence.targets);
    let mut devices: Vec<_> = profile.devices.iter().filter(known).collect();
    let in_stack = !devices.is_empty();
    if !in_stack {
        devices = profile.devices.iter().collect();
    }
    let mut load = Load {
        devices: devices.iter().map(|device| device.device.clone()).collect(),
        in_stack,
        ..Load::default()
    };
    for device in &devices {
        add(&mut load, device);
    }
    shares(&mut load);
    load
}

/// Whether a layer of a finding is this device: by the layer that `--stack` found, or by its name.
fn is_in(device: &DeviceProfile, targets: &[Checked]) -> bool {
    let layers = targets.iter().flat_map(|target| &target.defects);
    let mut layers = layers.flat_map(|defect| defect.layer.iter().chain(&defect.guilty_layer));
    let name = device.device.trim_start_matches("/dev/");
    layers.any(|layer| {
        device.layer.as_ref() == Some(layer)
            || layer.rsplit_once(':').is_some_and(|(_, end)| end == name)
    })
}

fn add(load: &mut Load, device: &DeviceProfile) {
    for (op, write) in [("read", false), ("write", true)] {
        if let Some(found) = device.by_op.get(op) {
            load.ios = load.ios.saturating_add(found.ios);
            let seen = seen(device, op);
            kinds(&mut load.kinds, found, write, &seen);
        }
    }
    let busy = device.queue_depth.as_ref().map(|depth| depth.busy_ratio);
    load.busy_ratio = match (load.busy_ratio, busy) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
}

/// Only where I/O was followed into the layer of a grid does the profile know its phase.
fn seen(device: &DeviceProfile, op: &str) -> Vec<(u64, f64)> {
    let followed = device
        .grids
        .iter()
        .filter(|grid| grid.op == op && grid.layer.is_some() && grid.pieces > 0);
    followed
        .map(|grid| {
            let extra = grid.cells_touched.saturating_sub(grid.cells_minimum);
            (grid.size_bytes, ratio(extra, grid.pieces).min(1.0))
        })
        .collect()
}

fn kinds(out: &mut Vec<IoKind>, op: &OpProfile, write: bool, seen: &[(u64, f64)]) {
    let parts: &[(Option<bool>, f64)] = match op.sequential_ratio {
        Some(share) => &[(Some(true), share), (Some(false), 1.0 - share)],
        None => &[(None, 1.0)],
    };
    for size in op.size_histogram.iter().filter(|size| size.bytes > 0) {
        let whole = ratio(size.ios, 1);
        let some = parts.iter().filter(|(_, share)| *share > 0.0);
        out.extend(some.map(|(sequential, share)| IoKind {
            write,
            bytes: size.bytes,
            ios: whole * share,
            sequential: *sequential,
            seen: seen.to_vec(),
        }));
    }
}

fn shares(load: &mut Load) {
    let all: f64 = load.kinds.iter().map(|kind| kind.ios).sum();
    if all <= 0.0 {
        return;
    }
    let share = |test: &dyn Fn(&IoKind) -> bool| {
        let some = load.kinds.iter().filter(|kind| test(kind));
        some.map(|kind| kind.ios).sum::<f64>() / all
    };
    let told = load.kinds.iter().any(|kind| kind.sequential.is_some());
    let reads = share(&|kind| !kind.write);
    let sequential_reads = share(&|kind| !kind.write && kind.sequential == Some(true));
    let random_writes = share(&|kind| kind.write && kind.sequential == Some(false));
    load.reads_ratio = reads;
    load.sequential_reads_ratio = told.then_some(sequential_reads);
    load.random_writes_ratio = told.then_some(random_writes);
    load.light = load.busy_ratio.is_some_and(|busy| busy < LIGHT_BUSY);
}
