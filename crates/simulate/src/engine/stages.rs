//! The long way of a request: rounded to blocks, through maps and the cache, with reads before a write.

use super::blocks::rounded;
use super::cache::StreamAnswer;
use super::calendar::CalendarEvent;
use super::event_loop::EventLoop;
use super::slot::RequestStage;
use crate::requests::ArrayRequest;

impl EventLoop<'_> {
    /// Begins a request that the short way cannot take.
    pub(super) fn begin(&mut self, index: usize, request: ArrayRequest) {
        let tenant = &self.tenants[self.slots[index].tenant];
        let about = tenant.about;
        // The last block of the volume may be a part of one.
        let (whole, partial) = rounded(request.at, request.len, about.block_bytes);
        let map = |ranges: &[(u64, u64)]| {
            let mut pieces = Vec::with_capacity(ranges.len());
            for (at, len) in ranges {
                let len = (*len).min(about.place.size().saturating_sub(*at));
                about
                    .place
                    .each_piece(*at, len, |at, len| pieces.push((at, len)));
            }
            pieces
        };
        let slot = &mut self.slots[index];
        slot.stages.clear();
        if request.write && !partial.is_empty() {
            slot.stages.push_back(RequestStage {
                pieces: map(&partial),
                write: false,
                cached: true,
            });
        }
        slot.stages.push_back(RequestStage {
            pieces: map(&[whole]),
            write: request.write,
            cached: true,
        });
        self.advance(index);
    }

    /// Goes on with the next stage of a request; without one it is complete.
    pub(super) fn advance(&mut self, index: usize) {
        let Some(stage) = self.slots[index].stages.pop_front() else {
            return self.complete(index);
        };
        if stage.cached && self.cache.is_some() && !self.goes_to_disks(index, &stage) {
            return;
        }
        if stage.write && self.reads_first(index, &stage) {
            return;
        }
        self.send_to_disks(index, &stage.pieces, stage.write);
    }

    /// Asks the cache: `false` where it answers, or the request waits in it.
    fn goes_to_disks(&mut self, index: usize, stage: &RequestStage) -> bool {
        let Some(cache) = &mut self.cache else {
            return true;
        };
        let answer_ns = cache.how.answer_ns;
        let slot = u32::try_from(index).unwrap_or(0);
        let fits = |cache: &super::cache::CacheState| {
            let len: u64 = stage.pieces.iter().map(|piece| piece.1).sum();
            cache.how.write_back && len <= cache.how.write_bytes
        };
        if stage.write && fits(cache) {
            let first = cache.parked.is_empty();
            if first && cache.takes(&stage.pieces) {
                self.queues
                    .later(answer_ns, CalendarEvent::Answered { slot });
            } else {
                cache.parked.push_back(index);
                self.slots[index].stages.push_front(stage.clone());
            }
            self.destage();
            return false;
        }
        if stage.write {
            cache.keep(&stage.pieces);
            return true;
        }
        // First, so that a stream goes on also where its data are kept.
        let mut wanted = Vec::new();
        let answer = match stage.pieces.as_slice() {
            [one] => cache.streams.read(*one, index, &mut wanted),
            _ => StreamAnswer::Miss,
        };
        let kept = answer == StreamAnswer::Miss && cache.has(&stage.pieces);
        for ahead in wanted {
            self.read_ahead(ahead);
        }
        match answer {
            StreamAnswer::Miss if kept => {
                self.queues
                    .later(answer_ns, CalendarEvent::Answered { slot });
                false
            }
            StreamAnswer::Miss => {
                let slot = &mut self.slots[index];
                slot.kept.clone_from(&stage.pieces);
                true
            }
            StreamAnswer::Ready => {
                self.queues
                    .later(answer_ns, CalendarEvent::Answered { slot });
                false
            }
            StreamAnswer::Waits => false,
        }
    }

    /// A write of parts of the storage's units: their reads come first.
    fn reads_first(&mut self, index: usize, stage: &RequestStage) -> bool {
        let unit = self.system.unit_bytes;
        if unit == 0 {
            return false;
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (at, len) in &stage.pieces {
            let (whole, partial) = rounded(*at, *len, unit);
            reads.extend(partial);
            writes.push(whole);
        }
        reads.dedup();
        if reads.is_empty() {
            return false;
        }
        let slot = &mut self.slots[index];
        slot.stages.push_front(RequestStage {
            pieces: writes,
            write: true,
            cached: false,
        });
        self.send_to_disks(index, &reads, false);
        true
    }

    /// Pieces become I/Os of disks.
    fn send_to_disks(&mut self, index: usize, pieces: &[(u64, u64)], write: bool) {
        let mut steps = std::mem::take(&mut self.slots[index].progress.steps);
        steps.clear();
        for (at, len) in pieces {
            let (at, len) = rounded(*at, *len, self.system.unit_bytes).0;
            self.lay(at, len, write, &mut steps);
        }
        self.slots[index].progress.steps = steps;
        self.start_groups(index);
    }
}
