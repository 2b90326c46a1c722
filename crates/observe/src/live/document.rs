//! WatchTotals as what `watch` shows of them.

use ioalign_core::GridClaim;
use ioalign_core::watch_document::{
    DeviceFigures, StraddlingIo, WatchLosses, WatchedBursts, WatchedOp,
};

use super::counters::OpCounters;
use super::device::WatchedDevice;
use super::moments::Timeline;
use super::profile::{grids, placed};
use super::samples::StraddleSample;
use super::totals::{DeviceTotals, WatchTotals};
use crate::record::Op;

impl DeviceTotals {
    /// The counters of `device` as they are shown: those of an interval, or since the beginning.
    pub fn document(&self, device: &WatchedDevice) -> DeviceFigures {
        let assumed = GridClaim::assumed_block();
        let unit = device.grids.first().unwrap_or(&assumed);
        let ops = Op::ALL.into_iter().zip(&self.ops);
        DeviceFigures {
            name: device.name.clone(),
            unit_bytes: unit.size.get(),
            ios: self.ios(),
            read_before_overwrite: self.read_before_overwrite(),
            discards: self.discards(device),
            ops: ops
                .map(|(op, counters)| watched(op, counters, device, unit))
                .collect(),
            ..DeviceFigures::default()
        }
    }
}

fn watched(op: Op, counters: &OpCounters, device: &WatchedDevice, unit: &GridClaim) -> WatchedOp {
    #[allow(clippy::cast_precision_loss)] // a display value
    let in_flight_s = counters.time() as f64 / 1e9;
    WatchedOp {
        name: op.name(),
        counted: placed(counters),
        grids: grids(counters, op, device),
        past_pow2: counters.past(unit),
        past_bytes: counters.grid(0, unit).past,
        in_flight_s,
    }
}

impl WatchTotals {
    /// What was not counted, or not whole.
    pub fn losses(&self) -> WatchLosses {
        let sum = |what: fn(&DeviceTotals) -> u64| self.devices.iter().map(what).sum::<u64>();
        WatchLosses {
            dropped: self.dropped(),
            requeued: sum(DeviceTotals::requeued),
            partial: sum(DeviceTotals::partial),
            unmatched: sum(DeviceTotals::unmatched),
            untimed: sum(DeviceTotals::untimed),
            unfinished: sum(DeviceTotals::unfinished),
            mixed: sum(DeviceTotals::mixed),
        }
    }
}

impl Timeline {
    /// The bursts of a device, and how many of its I/Os in `totals` are in none.
    pub fn document(&self, slot: usize, totals: &DeviceTotals) -> WatchedBursts {
        let (largest, total) = self.bursts(slot);
        WatchedBursts {
            largest,
            total,
            unseen_ios: self.unseen(slot, totals),
        }
    }
}

impl StraddleSample {
    /// With the names of the boundaries that it crosses; `None` for a device that is not among them.
    pub fn document(&self, devices: &[WatchedDevice]) -> Option<StraddlingIo> {
        let device = devices.get(self.slot)?;
        let crossed = device.grids.iter().zip(0_u32..);
        let crossed = crossed.filter(|(_, bit)| self.grids & (1 << bit) != 0);
        Some(StraddlingIo {
            device: device.name.clone(),
            op: self.op.name(),
            offset: self.offset,
            len: u64::from(self.len),
            pid: self.pid,
            process: self.name.clone(),
            crossed: crossed
                .map(|(grid, _)| (grid.size, grid.kind.to_string()))
                .collect(),
        })
    }
}
