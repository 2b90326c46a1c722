//! Requests of the cache's own: extents that go to disks, windows that are read ahead.

use super::cache::ReadAhead;
use super::calendar::CalendarEvent;
use super::event_loop::EventLoop;
use super::slot::{RequestStage, SlotRole};

impl EventLoop<'_> {
    /// Writes of the cache to disks, as many as may be under way.
    pub(super) fn destage(&mut self) {
        while let Some((at, len)) = self.cache.as_mut().and_then(|cache| cache.destage()) {
            let index = self.own_slot(SlotRole::Destage(at));
            self.slots[index].stages.push_back(RequestStage {
                pieces: vec![(at, len)],
                write: true,
                cached: false,
            });
            self.advance(index);
        }
    }

    pub(super) fn read_ahead(&mut self, ahead: ReadAhead) {
        let index = self.own_slot(SlotRole::ReadAhead(ahead));
        self.slots[index].stages.push_back(RequestStage {
            pieces: vec![(ahead.at, ahead.len)],
            write: false,
            cached: false,
        });
        self.advance(index);
    }

    /// A place for a request of the cache's own.
    fn own_slot(&mut self, role: SlotRole) -> usize {
        let index = self.take_slot();
        let counts = self.began.is_some();
        let slot = &mut self.slots[index];
        (slot.role, slot.counts) = (role, counts);
        slot.stages.clear();
        index
    }

    /// An extent is on disks: requests that waited for room go on.
    pub(super) fn destaged(&mut self, at: u64) {
        if let Some(cache) = &mut self.cache {
            cache.destaged(at);
        }
        loop {
            let Some(cache) = &mut self.cache else { return };
            let Some(index) = cache.parked.front().copied() else {
                break;
            };
            let Some(stage) = self.slots[index].stages.front() else {
                cache.parked.pop_front();
                continue;
            };
            if !cache.takes(&stage.pieces) {
                break;
            }
            cache.parked.pop_front();
            self.slots[index].stages.pop_front();
            let slot = u32::try_from(index).unwrap_or(0);
            let answer_ns = cache.how.answer_ns;
            self.queues
                .later(answer_ns, CalendarEvent::Answered { slot });
        }
        self.destage();
    }

    /// A window was read ahead.
    pub(super) fn arrived(&mut self, ahead: ReadAhead) {
        let mut answered = Vec::new();
        if let Some(cache) = &mut self.cache {
            cache.keep(&[(ahead.at, ahead.len)]);
            cache.streams.arrived(ahead, &mut answered);
        }
        for index in answered {
            self.advance(index);
        }
    }
}
