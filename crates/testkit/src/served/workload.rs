//! Where the I/O of a workload goes.

use super::ServedIo;
use crate::Random;

/// How much of a device is used.
const SPAN: u64 = 1 << 30;

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedWorkload {
    /// Sizes with their weights.
    pub sizes: Vec<(u64, u64)>,
    /// Share of reads, in hundredths.
    pub reads_percent: u64,
    /// One after the other, or anywhere.
    pub sequential: bool,
    /// I/Os in flight.
    pub depth: usize,
}

/// The I/O of a workload one by one: at multiples of its size, from a start of the whole.
#[derive(Clone, Debug)]
pub struct Places {
    workload: ServedWorkload,
    start: u64,
    next: Option<u64>,
    random: Random,
}

impl Places {
    /// Of a partition that begins at byte `start`; the same seed gives the same I/O wherever that is.
    pub fn new(workload: &ServedWorkload, start: u64, seed: u64) -> Self {
        Self {
            workload: workload.clone(),
            start,
            next: None,
            random: Random(seed),
        }
    }

    /// A walk goes on from another place.
    pub const fn jump(&mut self) {
        self.next = None;
    }

    /// The next I/O.
    pub fn draw(&mut self) -> ServedIo {
        let bytes = self.size();
        let write = self.random.below_u64(100) >= self.workload.reads_percent;
        let walk = self.next.filter(|_| self.workload.sequential);
        let walk = walk.filter(|next| next + bytes <= SPAN);
        let place = walk.unwrap_or_else(|| self.random.below_u64(SPAN / bytes) * bytes);
        self.next = Some(place + bytes);
        ServedIo {
            write,
            offset: self.start + place,
            bytes,
            sequential: walk.is_some(),
        }
    }

    fn size(&mut self) -> u64 {
        let sizes = &self.workload.sizes;
        let all = sizes.iter().map(|(_, weight)| weight).sum();
        let mut drawn = self.random.below_u64(all);
        for (bytes, weight) in sizes {
            match drawn.checked_sub(*weight) {
                Some(rest) => drawn = rest,
                None => return *bytes,
            }
        }
        sizes[0].0
    }
}
