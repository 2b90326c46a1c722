//! A request on its way: the I/Os of its groups, and what is still missing.

use super::calendar::QueuedPart;
use super::queues::DiskQueues;
use crate::geometry::DiskSteps;
use crate::requests::ArrayRequest;

/// A request that waits for its I/Os.
#[derive(Debug, Default)]
pub struct RequestProgress {
    /// All its I/Os.
    pub steps: DiskSteps,
    groups: Vec<GroupProgress>,
    groups_left: usize,
}

#[derive(Copy, Clone, Debug)]
struct GroupProgress {
    /// What is missing of the phase that it is in.
    waiting: u32,
    /// It reads, and writes what then follows.
    writes_next: bool,
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
        self.groups.clear();
        for (number, group) in (0..).zip(&self.steps.groups) {
            let reads = !group.reads.is_empty();
            let first = if reads { &group.reads } else { &group.writes };
            let waiting =
                queues.add_all(&self.steps.ios[first.clone()], part(index, number), counts);
            self.groups.push(GroupProgress {
                waiting,
                writes_next: reads && !group.writes.is_empty(),
            });
        }
    }

    /// I/Os of a group are complete: maybe all of them, and then the request. Whether the request is.
    #[inline]
    pub fn finished(&mut self, queues: &mut DiskQueues, done: QueuedPart, counts: bool) -> bool {
        let number = done.group as usize;
        let group = &mut self.groups[number];
        group.waiting -= 1;
        if group.waiting > 0 {
            return false;
        }
        if std::mem::take(&mut group.writes_next) {
            let writes = self.steps.groups[number].writes.clone();
            group.waiting = queues.add_all(&self.steps.ios[writes], done, counts);
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

// Requests and groups are bounded far below.
#[allow(clippy::cast_possible_truncation)]
const fn part(index: usize, group: u32) -> QueuedPart {
    QueuedPart {
        slot: index as u32,
        group,
    }
}
