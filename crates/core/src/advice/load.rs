//! The workload: the kinds of I/O that weigh a loss, and its amount.

use std::collections::HashMap;

use serde::Serialize;

use crate::profile::{DeviceProfile, OpProfile};
use crate::units::ratio;

/// A device that is busy for less than this share of the time has a light load.
pub const LIGHT_BUSY: f64 = 0.10;
/// More than this share of the I/O makes a workload one of that kind.
pub const MOSTLY: f64 = 0.5;

/// The workload in a few numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoadSummary {
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
    /// I/Os in flight while there are any, on average; `None`: the profile does not tell.
    pub queue_depth: Option<f64>,
    /// Share of the time with any I/O in flight, of the busiest device.
    pub busy_ratio: Option<f64>,
    /// Busy for less than a tenth of the time.
    pub light: bool,
    /// Whether the devices were found in the stack that was checked.
    pub in_stack: bool,
    #[serde(skip)]
    pub(super) kinds: Vec<IoKind>,
}

impl LoadSummary {
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
    /// Share of reads among the I/O of this size and order.
    pub(super) reads_ratio: f64,
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

/// Sums up these devices. Of a part of their I/O it is not known how busy they are.
pub(super) fn sum<'a>(
    devices: impl Iterator<Item = &'a DeviceProfile>,
    in_stack: bool,
    is_part: bool,
) -> LoadSummary {
    let mut load = LoadSummary {
        in_stack,
        ..LoadSummary::default()
    };
    let mut depth = Depth::default();
    for device in devices {
        load.devices.push(device.device.clone());
        add(&mut load, device);
        depth.take(device);
    }
    load.queue_depth = depth.mean();
    if is_part {
        load.busy_ratio = None;
    }
    mixes(&mut load.kinds);
    shares(&mut load);
    load
}

/// The mean depth of several devices, each by how many I/Os it has.
#[derive(Default)]
struct Depth {
    sum: f64,
    ios: f64,
}

impl Depth {
    fn take(&mut self, device: &DeviceProfile) {
        let Some(depth) = &device.queue_depth else {
            return;
        };
        if depth.mean_while_busy > 0.0 {
            let ops = ["read", "write"].map(|op| device.by_op.get(op));
            let ios: f64 = ops.into_iter().flatten().map(|op| ratio(op.ios, 1)).sum();
            self.sum += depth.mean_while_busy * ios;
            self.ios += ios;
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.ios > 0.0).then(|| self.sum / self.ios)
    }
}

fn add(load: &mut LoadSummary, device: &DeviceProfile) {
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
    for size in op
        .size_histogram
        .iter()
        .filter(|size| size.bytes > 0 && size.ios > 0)
    {
        let whole = ratio(size.ios, 1);
        let some = parts.iter().filter(|(_, share)| *share > 0.0);
        out.extend(some.map(|(sequential, share)| IoKind {
            write,
            bytes: size.bytes,
            ios: whole * share,
            sequential: *sequential,
            reads_ratio: 0.0,
            seen: seen.to_vec(),
        }));
    }
}

/// How much of each size and order is reads: what a cell that sends both is compared with.
fn mixes(kinds: &mut [IoKind]) {
    let mut sums: HashMap<(u64, Option<bool>), [f64; 2]> = HashMap::new();
    for kind in kinds.iter() {
        let [reads, all] = sums.entry((kind.bytes, kind.sequential)).or_default();
        *reads += if kind.write { 0.0 } else { kind.ios };
        *all += kind.ios;
    }
    for kind in kinds {
        let sum = sums.get(&(kind.bytes, kind.sequential));
        let sum = sum.filter(|[_, all]| *all > 0.0);
        kind.reads_ratio = sum.map_or(0.0, |[reads, all]| reads / all);
    }
}

fn shares(load: &mut LoadSummary) {
    let all: f64 = load.kinds.iter().map(|kind| kind.ios).sum();
    if all <= 0.0 {
        return;
    }
    let share = |test: &dyn Fn(&IoKind) -> bool| {
        let some = load.kinds.iter().filter(|kind| test(kind));
        some.map(|kind| kind.ios).sum::<f64>() / all
    };
    let stated = load.kinds.iter().any(|kind| kind.sequential.is_some());
    let reads = share(&|kind| !kind.write);
    let sequential_reads = share(&|kind| !kind.write && kind.sequential == Some(true));
    let random_writes = share(&|kind| kind.write && kind.sequential == Some(false));
    load.reads_ratio = reads;
    load.sequential_reads_ratio = stated.then_some(sequential_reads);
    load.random_writes_ratio = stated.then_some(random_writes);
    load.light = load.busy_ratio.is_some_and(|busy| busy < LIGHT_BUSY);
}
