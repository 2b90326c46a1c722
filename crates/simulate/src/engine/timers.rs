//! What happens at a time of its own: acknowledgements of caches and buffers, arrivals of an open load.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::clock::NEVER;

/// What happens.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimedEvent {
    /// A part of a group is in the write buffer of its disk.
    Part {
        /// The request.
        slot: u32,
        /// Its group.
        group: u32,
    },
    /// The cache has answered a request.
    Answered {
        /// The request.
        slot: u32,
    },
    /// The next request of a load that does not wait.
    Arrival {
        /// Whose.
        tenant: u32,
    },
}

/// All of them, in order of time and then of their making.
#[derive(Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(u64, u64, TimedEvent)>>,
    made: u64,
}

impl Timers {
    pub fn add(&mut self, time: u64, event: TimedEvent) {
        self.heap.push(Reverse((time, self.made, event)));
        self.made += 1;
    }

    /// The time of the first; never, if there is none.
    #[inline]
    pub fn first(&self) -> u64 {
        self.heap.peek().map_or(NEVER, |one| one.0.0)
    }

    pub fn take(&mut self) -> Option<(u64, TimedEvent)> {
        self.heap.pop().map(|one| (one.0.0, one.0.2))
    }
}
