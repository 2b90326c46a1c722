//! One operation on one device: starts, lengths, straddling on every power of two at once.
//!
//! An I/O `[start, end)` crosses a boundary of 2^k bytes for every k up to the highest bit in which
//! `start` and `end - 1` differ, and fits into a block of 2^k for every k from the length's
//! logarithm on. The k in between straddle: two counters of a difference array are enough for all
//! powers of two.

use std::ops::AddAssign;

use ioalign_core::profile::part::GridPart;
use ioalign_core::profile::{GridProfile, OpProfile};

use super::below::Route;
use super::grid::GridState;
use super::latency::Histogram;
use super::limits::DeviceLimits;
use super::placement::DevicePlacement;
use super::sequence::Streams;
use super::sizes::SizeHistogram;
use crate::record::{Io, NO_LATENCY, Op};

/// Powers of two from 1 byte on.
const POWERS: usize = 64;

/// Counters of one operation.
pub struct OpState {
    ios: u64,
    bytes: u64,
    starts: [u64; POWERS],
    lengths: [u64; POWERS],
    /// The lowest straddling powers minus the ends of straddling.
    straddle: [i64; POWERS + 1],
    sectors: [u64; 8],
    whole_sectors: [u64; 8],
    sizes: SizeHistogram,
    streams: Streams,
    latency: Histogram,
    grids: Vec<GridState>,
    /// Grids of layers where an I/O becomes several.
    below: Vec<GridState>,
}

/// The power of two that a start or length is a multiple of; 63 for zero.
#[inline]
pub fn power_of(value: u64) -> usize {
    (value | 1 << 63).trailing_zeros() as usize
}

impl OpState {
    pub fn new(placement: &DevicePlacement, limits: &DeviceLimits) -> Self {
        let below = placement.route.iter().flat_map(|route| route.grids());
        Self {
            ios: 0,
            bytes: 0,
            starts: [0; POWERS],
            lengths: [0; POWERS],
            straddle: [0; POWERS + 1],
            sectors: [0; 8],
            whole_sectors: [0; 8],
            sizes: SizeHistogram::new(limits.sizes),
            streams: Streams::default(),
            latency: Histogram::default(),
            grids: placement.grids.iter().map(GridState::new).collect(),
            below: below.map(GridState::below).collect(),
        }
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        self.ios += 1;
        self.bytes += u64::from(io.len);
        if io.op.has_place() {
            self.place(io);
        }
        if io.latency != NO_LATENCY {
            self.latency.add(io.latency);
        }
    }

    #[inline]
    fn place(&mut self, io: &Io) {
        let len = u64::from(io.len);
        add_at(&mut self.starts, power_of(io.offset), 1);
        add_at(&mut self.lengths, power_of(len), 1);
        self.sector(io.offset, len);
        self.straddles(io.offset, len);
        self.sizes.add(io.len, !io.offset.is_multiple_of(4096));
        if io.op != Op::Flush {
            self.streams.add(io.offset, len);
        }
        for grid in &mut self.grids {
            grid.add(io);
        }
    }

    #[inline]
    fn sector(&mut self, start: u64, len: u64) {
        let sector = ((start >> 9) & 7) as usize;
        add_at(&mut self.sectors, sector, 1);
        if len.is_multiple_of(4096) {
            add_at(&mut self.whole_sectors, sector, 1);
        }
    }

    #[inline]
    fn straddles(&mut self, start: u64, len: u64) {
        if len >= 2 {
            add_at(&mut self.straddle, fits(len), 1);
            self.crosses(start, len);
        }
    }

    /// The end of straddling, which is never before its begin: two numbers differ in their bits by no
    /// less than in value. If both are equal they cancel, without a branch that no processor could
    /// predict.
    #[inline]
    fn crosses(&mut self, start: u64, len: u64) {
        let last = start.wrapping_add(len - 1);
        // The lowest bit changes no answer, and a number that is not zero needs no test for zero.
        let crossed = 64 - ((start ^ last) | 1).leading_zeros();
        add_at(&mut self.straddle, crossed as usize, -1);
    }

    /// Counts it on the layers where it becomes several; `counted`: only its latency is new.
    pub fn add_below(&mut self, io: &Io, route: &Route, counted: bool) {
        let below = &mut self.below;
        route.walk(io.offset, u64::from(io.len), &mut |grid, address, len| {
            if let Some(grid) = below.get_mut(grid) {
                grid.add_piece(address, len, !counted);
            }
        });
        below.iter_mut().for_each(|grid| grid.end_of_pieces(io));
    }

    /// The latency of an I/O that was counted without.
    pub fn add_latency(&mut self, io: &Io) {
        self.latency.add(io.latency);
        for grid in &mut self.grids {
            grid.add_latency(io);
        }
    }

    pub fn profile(&self) -> OpProfile {
        let mut sum = 0_i64;
        let straddling = self.straddle.iter().take(POWERS).map(|step| {
            sum += step;
            u64::try_from(sum).unwrap_or(0)
        });
        OpProfile {
            ios: self.ios,
            bytes: self.bytes,
            size_histogram: self.sizes.counts(),
            start_pow2_histogram: self.starts.to_vec(),
            length_pow2_histogram: self.lengths.to_vec(),
            straddling_pow2: straddling.collect(),
            start_mod_4096: self.sectors,
            whole_start_mod_4096: self.whole_sectors,
            sequential_ratio: self.streams.ratio(),
            latency_us: self.latency.summary(),
            latency_histogram_ns: self.latency.classes(),
            ..OpProfile::default()
        }
    }

    /// The histograms of each grid, in the same order.
    pub fn grid_parts(&self) -> impl Iterator<Item = GridPart> {
        self.grids.iter().chain(&self.below).map(GridState::part)
    }

    /// Each grid, the device's own first.
    pub fn grids(&self, op: &str, placement: &DevicePlacement) -> Vec<GridProfile> {
        let own = self.grids.iter().zip(&placement.grids);
        let route = placement.route.iter().flat_map(|route| route.grids());
        let all = own.chain(self.below.iter().zip(route));
        all.map(|(state, grid)| state.profile(op, grid, &self.latency))
            .collect()
    }
}

/// The smallest block that holds this many bytes, at least two.
#[inline]
const fn fits(len: u64) -> usize {
    (64 - ((len - 1) | 1).leading_zeros()) as usize
}

#[inline]
fn add_at<T: AddAssign>(all: &mut [T], index: usize, value: T) {
    if let Some(slot) = all.get_mut(index) {
        *slot += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn straddling(start: u64, len: u64) -> Vec<u64> {
        let mut state = OpState::new(&DevicePlacement::default(), &DeviceLimits::after(0));
        state.straddles(start, len);
        state.profile().straddling_pow2
    }

    proptest! {
        #[test]
        fn straddling_is_what_its_definition_says(start in 0..1_u64 << 40, len in 1..1_u64 << 22) {
            let all = straddling(start, len);
            for (k, counted) in all.iter().enumerate().take(50) {
                let cell = 1_u64 << k;
                let two = len <= cell && start / cell != (start + len - 1) / cell;
                prop_assert_eq!(*counted == 1, two, "cell {}", cell);
            }
        }
    }

    #[test]
    fn powers() {
        assert_eq!((power_of(0), power_of(512), power_of(3)), (63, 9, 0));
    }
}
