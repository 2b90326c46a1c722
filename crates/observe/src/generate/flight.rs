//! I/Os in flight: never more than the plan's depth, never two at one place.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::record::{Io, NO_LATENCY};

/// After a completion its place is not used for this time, because the events of an I/O have
/// different times.
const APART: u64 = 10_000;

type DeviceOffset = (u32, u64);

/// The I/Os in flight.
pub struct GeneratedInFlight {
    depth: usize,
    ends: BinaryHeap<Reverse<(u64, DeviceOffset)>>,
    at: HashMap<DeviceOffset, ()>,
}

impl GeneratedInFlight {
    pub fn new(depth: usize) -> Self {
        Self {
            depth: depth.max(1),
            ends: BinaryHeap::new(),
            at: HashMap::new(),
        }
    }

    /// From `time` on, the moment when fewer than the depth are in flight.
    pub fn wait_for_room(&mut self, time: u64) -> u64 {
        self.upto(time);
        let mut time = time;
        while self.ends.len() >= self.depth {
            let Some(Reverse((end, _))) = self.ends.peek() else {
                break;
            };
            time = time.max(*end);
            self.upto(time);
        }
        time
    }

    fn upto(&mut self, time: u64) {
        while let Some(Reverse((end, place))) = self.ends.peek().copied() {
            if end > time {
                return;
            }
            self.ends.pop();
            self.at.remove(&place);
        }
    }

    pub fn is_at(&self, io: &Io) -> bool {
        self.at.contains_key(&(io.device, io.offset))
    }

    pub fn add(&mut self, io: &Io) {
        if io.latency == NO_LATENCY {
            return;
        }
        let start = u64::try_from(io.time).unwrap_or(0);
        let end = start.saturating_add(io.latency).saturating_add(APART);
        let place = (io.device, io.offset);
        self.at.insert(place, ());
        self.ends.push(Reverse((end, place)));
    }
}
