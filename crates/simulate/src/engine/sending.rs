//! A request is sent: its place in the arrays, and the I/Os of disks that it becomes.

use super::calendar::CalendarEvent;
use super::event_loop::EventLoop;
use crate::geometry::DiskSteps;

impl EventLoop<'_> {
    /// The next request of a slot, if there is one.
    #[inline]
    pub(super) fn send(&mut self, index: usize) -> bool {
        let counts = self.warm_up_left == 0;
        let left = if counts {
            &mut self.left
        } else {
            &mut self.warm_up_left
        };
        if *left == 0 {
            return false;
        }
        let slot = &mut self.slots[index];
        let tenant = &mut self.tenants[slot.tenant];
        let Some(request) = tenant.next(slot.worker, counts) else {
            return false;
        };
        *left -= 1;
        slot.counts = counts;
        let now = self.queues.now();
        if counts {
            self.began.get_or_insert(now);
            tenant.ios += 1;
            tenant.bytes += request.len;
        }
        slot.sent_at = now;
        if !tenant.is_plain {
            self.begin(index, request);
            return true;
        }
        slot.progress.steps.clear();
        let place = tenant.about.place;
        if let (Some(at), 1) = (place.shifted(request.at), self.system.groups) {
            self.geometry
                .add_steps(at, request.len, request.write, &mut slot.progress.steps);
        } else {
            let mut steps = std::mem::take(&mut slot.progress.steps);
            place.each_piece(request.at, request.len, |at, len| {
                self.lay(at, len, request.write, &mut steps);
            });
            self.slots[index].progress.steps = steps;
        }
        self.start_groups(index);
        true
    }

    /// What a range of the arrays becomes.
    pub(super) fn lay(&self, at: u64, len: u64, write: bool, steps: &mut DiskSteps) {
        if self.system.groups == 1 {
            // Rounding may go past the end of the last stripe.
            let len = len.min(self.geometry.capacity().saturating_sub(at));
            return self.geometry.add_steps(at, len, write, steps);
        }
        let capacity = self.geometry.capacity();
        let (mut at, end) = (at, (at + len).min(self.system.capacity()));
        while at < end {
            let (group, within) = (at / capacity, at % capacity);
            let part = (capacity - within).min(end - at);
            let first = steps.ios.len();
            self.geometry.add_steps(within, part, write, steps);
            let disks = u32::try_from(group).unwrap_or(0) * self.geometry.disks();
            for io in steps.ios.iter_mut().skip(first) {
                io.disk += disks;
            }
            at += part;
        }
    }

    /// Sends the I/Os of all groups: reads, or where there are none, writes.
    #[inline]
    pub(super) fn start_groups(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        slot.progress.start(&mut self.queues, index, slot.counts);
        if slot.progress.is_complete() {
            let slot = u32::try_from(index).unwrap_or(0);
            self.queues.later(0, CalendarEvent::Answered { slot });
        }
    }
}
