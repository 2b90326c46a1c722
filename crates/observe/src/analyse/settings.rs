//! What is counted, and where the devices lie.

use std::sync::Arc;

use ioalign_core::GridClaim;

use super::below::StackIndex;
use super::placed::PlacedGrid;
use super::placement::DevicePlacement;
use crate::record::TraceDevice;

/// What is counted.
#[derive(Clone, Debug)]
pub struct AnalysisSettings {
    /// Grids to judge against, beside all powers of two.
    pub grids: Vec<GridClaim>,
    /// Bytes added to every offset: the start of the traced device on the judged one.
    pub shift: i64,
    /// The same for single devices, by name or number.
    pub device_shifts: Vec<(String, i64)>,
    /// The stack in which devices are looked up: their I/O is also judged on the layers below.
    pub stack: Option<Arc<StackIndex>>,
    /// Whether I/O is also counted by process.
    pub processes: bool,
    /// Idle time that ends a burst, in nanoseconds.
    pub burst_gap: u64,
    /// Sampling periods in nanoseconds: the profile gives what a monitor with each would have shown.
    pub samplers: Vec<u64>,
    /// Length of an interval of rates over time, in nanoseconds.
    pub interval: Option<u64>,
    /// A read at most this many nanoseconds before a write of the same cell belongs to it.
    pub read_before_write: u64,
    /// The profile keeps what a merge needs, and samples begin at multiples of their interval on the clock.
    pub mergeable: bool,
}

impl Default for AnalysisSettings {
    fn default() -> Self {
        const SECOND: u64 = 1_000_000_000;
        Self {
            grids: vec![GridClaim::assumed_block()],
            shift: 0,
            device_shifts: Vec::new(),
            stack: None,
            processes: true,
            burst_gap: SECOND / 10,
            samplers: vec![SECOND, 20 * SECOND],
            interval: None,
            read_before_write: SECOND,
            mergeable: false,
        }
    }
}

impl AnalysisSettings {
    /// The place and the grids of a device.
    pub fn placement(&self, device: Option<&TraceDevice>, absolute: bool) -> DevicePlacement {
        let stack = self.stack.as_ref().zip(device);
        let found = stack.and_then(|(stack, device)| stack.placement(device, absolute));
        let mut placement = found.unwrap_or_default();
        placement.shift = self.shift_of(device);
        // With a stack, the grids of its layers replace the assumed grid.
        let assumed =
            (self.grids.is_empty() && placement.layer.is_none()).then(GridClaim::assumed_block);
        let own = self
            .grids
            .iter()
            .cloned()
            .chain(assumed)
            .map(PlacedGrid::own);
        placement.grids = own.chain(placement.grids).collect();
        placement
    }

    fn shift_of(&self, device: Option<&TraceDevice>) -> i64 {
        let name = device.map(ToString::to_string);
        let mut named = self.device_shifts.iter();
        let own = named.find(|(of, _)| Some(of) == name.as_ref());
        own.map_or(self.shift, |(_, shift)| *shift)
    }
}
