//! A request on its way: the I/Os of its groups, and what is still missing.

use super::queues::{DiskQueues, QueuedIo};
use crate::geometry::DiskSteps;
use crate::requests::ArrayRequest;

/// A request that waits for its I/Os.
#[derive(Debug, Default)]
pub struct RequestProgress {
    /// All its I/Os.
    pub steps: DiskSteps,
    /// I/Os of the phase that each group is in.
    waiting: Vec<u32>,
    groups_left: usize,
}

/// An I/O that is complete: of a group, and whether it wrote.
#[derive(Copy, Clone, Debug)]
pub struct DonePart {
    pub group: usize,
    pub write: bool,
}

impl RequestProgress {
    /// Hands the first I/Os of every group to the disks. `index` is how the request is named when they are complete.
    #[inline]
    pub fn begin(
        &mut self,
        queues: &mut DiskQueues,
        request: ArrayRequest,
        index: usize,
        counts: bool,
    ) {
        let geometry = queues.geometry();
        geometry.steps(request.at, request.len, request.write, &mut self.steps);
        self.start(queues, index, counts);
    }

    /// The same of steps that are there: the reads of each group, or where there are none, its writes.
    #[inline]
    pub fn start(&mut self, queues: &mut DiskQueues, index: usize, counts: bool) {
        self.groups_left = self.steps.groups.len();
        self.waiting.clear();
        self.waiting.resize(self.groups_left, 0);
        for group in 0..self.steps.groups.len() {
            let range = self.steps.groups[group].clone();
            let first = if range.reads.is_empty() {
                range.writes
            } else {
                range.reads
            };
            for io in first {
                let io = self.steps.ios[io];
                self.waiting[group] += queues.add(io, QueuedIo::of(index, group, counts));
            }
        }
    }

    /// An I/O of a disk is complete: maybe its group, then its request. Whether the request is.
    #[inline]
    pub fn finished(
        &mut self,
        queues: &mut DiskQueues,
        done: DonePart,
        index: usize,
        counts: bool,
    ) -> bool {
        let group = done.group;
        self.waiting[group] -= 1;
        if self.waiting[group] > 0 {
            return false;
        }
        let writes = self.steps.groups[group].writes.clone();
        if !done.write && !writes.is_empty() {
            for io in writes {
                let io = self.steps.ios[io];
                self.waiting[group] += queues.add(io, QueuedIo::of(index, group, counts));
            }
            return false;
        }
        self.groups_left -= 1;
        self.is_complete()
    }

    /// Whether nothing is missing: also where there was nothing to do.
    pub const fn is_complete(&self) -> bool {
        self.groups_left == 0
    }
}
