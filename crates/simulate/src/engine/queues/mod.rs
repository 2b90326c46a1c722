//! The queues of all disks, one a channel: an I/O that comes is planned, or waits until its disk chooses it.

mod chosen;
mod deadline;
mod edges;
mod planned;
mod units;
mod waiting;

use super::calendar::{CalendarEvent, EventCalendar, EventTurn, QueuedPart};
use super::{DiskIoCount, DiskScheduler};
use crate::disk::DiskModel;
use crate::geometry::{ArrayGeometry, DiskIo};
use chosen::ChosenQueues;
use planned::{PlannedQueues, QueueMoment};
use units::DiskUnits;
use waiting::{QueuedIo, most_in_front};

/// How disks serve what waits.
#[derive(Debug)]
enum QueueOrder {
    Planned(PlannedQueues),
    Chosen(ChosenQueues),
}

/// All queues of all disks, and the calendar of what they finish.
#[derive(Debug)]
pub struct DiskQueues {
    geometry: ArrayGeometry,
    channels: u32,
    order: QueueOrder,
    calendar: EventCalendar,
    /// What happens together: of an I/O that several wait for it is one.
    moment: u64,
    /// The units of disks that write through buffers, and the bytes of each that are free.
    units: Option<DiskUnits>,
    counts: Vec<DiskIoCount>,
}

impl DiskQueues {
    /// The disks of `groups` arrays that are alike.
    pub fn new(
        geometry: &ArrayGeometry,
        groups: u32,
        (disk, scheduler): (&DiskModel, DiskScheduler),
        seed: u64,
    ) -> Self {
        // Heads choose, and joining changes how long they take.
        let chooses = match disk {
            DiskModel::Spinning(disk) => disk.queue > 1 || geometry.is_md(),
            _ => false,
        };
        let scheduled = scheduler == DiskScheduler::Deadline && geometry.is_md();
        let chosen = (chooses || scheduled).then_some(scheduler);
        Self::ordered(geometry, groups, disk, seed, chosen)
    }

    /// `chosen`: by the disk, or by this scheduler.
    fn ordered(
        geometry: &ArrayGeometry,
        groups: u32,
        disk: &DiskModel,
        seed: u64,
        chosen: Option<DiskScheduler>,
    ) -> Self {
        let channels = disk.channels();
        let disks = (geometry.disks() * groups) as usize;
        let count = disks * channels as usize;
        let random = seed ^ 0x5bd1_e995;
        let (joins, units) = match disk {
            DiskModel::Flash(flash) => (false, Some(DiskUnits::of(flash, disks))),
            _ => (geometry.is_md(), None),
        };
        let order = if let Some(scheduler) = chosen {
            let joins = joins.then(|| most_in_front(geometry, scheduler));
            QueueOrder::Chosen(ChosenQueues::new(disk, count, joins, scheduler, random))
        } else {
            let remembers = geometry.copies() > 1;
            QueueOrder::Planned(PlannedQueues::new(disk, count, joins, remembers, random))
        };
        Self {
            geometry: geometry.clone(),
            channels,
            order,
            calendar: EventCalendar::new(),
            moment: 0,
            units,
            counts: vec![DiskIoCount::default(); disks],
        }
    }

    pub fn now(&self) -> u64 {
        self.calendar.now()
    }

    pub const fn geometry(&self) -> &ArrayGeometry {
        &self.geometry
    }

    /// When something happens next.
    pub fn next_ns(&self) -> Option<u64> {
        self.calendar.next_ns()
    }

    /// Lets time pass in which nothing happens.
    pub fn wait_until(&mut self, now: u64) {
        self.calendar.wait_until(now);
    }

    pub fn counts(self) -> Vec<DiskIoCount> {
        self.counts
    }

    /// Something that happens after `ns`.
    pub fn later(&mut self, ns: u64, event: CalendarEvent) {
        self.calendar.later(ns, event);
    }

    /// Adds I/Os that a part waits for: how often it is called when they are complete.
    #[inline]
    pub fn add_all(&mut self, ios: &[DiskIo], part: QueuedPart, counts: bool) -> u32 {
        let mut last = EventTurn::FIRST;
        let mut calls = 0;
        for io in ios {
            let io = if io.any_copy {
                self.best_copy(*io)
            } else {
                *io
            };
            match self.add(io, part, counts) {
                Some(turn) => last = last.max(turn),
                None => calls += 1,
            }
        }
        if last > EventTurn::FIRST {
            // All of them at once, when the last is complete.
            self.calendar.add(last, CalendarEvent::Part(part));
            calls += 1;
        }
        calls
    }

    /// Adds an I/O: when it is complete, if that is known.
    #[inline]
    fn add(&mut self, io: DiskIo, part: QueuedPart, counts: bool) -> Option<EventTurn> {
        let DiskIo { disk, write, .. } = io;
        if self.units.is_some() {
            self.count(disk, write, counts);
            return Some(self.add_units(io));
        }
        let queued = QueuedIo {
            at: io.at,
            len: io.len,
            write,
            counts,
            known: (),
        };
        match &mut self.order {
            QueueOrder::Planned(queues) => {
                let moment = QueueMoment {
                    turn: self.calendar.current(),
                    number: self.moment,
                };
                let end = queues.add(disk, queued, moment);
                self.count(disk, write, end.counts);
                Some(end.turn)
            }
            QueueOrder::Chosen(queues) => {
                let counted = queues.add(disk, queued, part, self.calendar.now());
                self.count(disk, write, counted.more);
                if counted.less {
                    let count = &mut self.counts[disk as usize];
                    let one = if write {
                        &mut count.writes
                    } else {
                        &mut count.reads
                    };
                    *one -= 1;
                }
                None
            }
        }
    }

    #[inline]
    fn count(&mut self, disk: u32, write: bool, counts: bool) {
        let count = &mut self.counts[disk as usize];
        count.reads += u64::from(counts && !write);
        count.writes += u64::from(counts && write);
    }

    /// The copy whose disk has the fewest I/Os; in RAID 10 of md, whose head is nearest. Of equals the first.
    #[inline]
    fn best_copy(&mut self, io: DiskIo) -> DiskIo {
        let now = self.calendar.current();
        if self.geometry.has_pairs() {
            let (first, second) = (io.disk & !1, io.disk | 1);
            let costs = [first, second].map(|disk| match &self.order {
                QueueOrder::Chosen(queues) if self.geometry.balances_by_distance() => {
                    queues.distance(disk, io.at)
                }
                _ => self.order.load(disk, self.channels, now) as u64,
            });
            let disk = first + u32::from(costs[1] < costs[0]);
            return DiskIo { disk, ..io };
        }
        let (mut best, mut least) = (io, usize::MAX);
        let group = io.disk / self.geometry.disks() * self.geometry.disks();
        let one = DiskIo {
            disk: io.disk - group,
            ..io
        };
        let (order, channels) = (&mut self.order, self.channels);
        self.geometry.each_copy(&one, |disk, at| {
            let disk = disk + group;
            let load = order.load(disk, channels, now);
            if load < least {
                (best, least) = (DiskIo { disk, at, ..io }, load);
            }
        });
        best
    }

    /// What happens next.
    #[inline]
    pub fn next_event(&mut self) -> Option<CalendarEvent> {
        loop {
            match (self.calendar.next()?, &mut self.order) {
                (CalendarEvent::Disk { queue }, QueueOrder::Chosen(queues)) => {
                    queues.finish(queue, &mut self.calendar);
                }
                (event, _) => return Some(event),
            }
        }
    }

    /// A moment is over: disks start what came in it.
    #[inline]
    pub fn settle(&mut self) {
        self.calendar.leave();
        if self.calendar.goes_on() {
            return;
        }
        self.moment += 1;
        if let QueueOrder::Chosen(queues) = &mut self.order {
            queues.start_touched(&mut self.calendar);
        }
    }
}

impl QueueOrder {
    /// I/Os of a disk that are not complete.
    #[inline]
    fn load(&mut self, disk: u32, channels: u32, now: EventTurn) -> usize {
        let queues = disk * channels..(disk + 1) * channels;
        match self {
            Self::Planned(all) if channels == 1 => all.load(disk, now),
            Self::Planned(all) => queues.map(|one| all.load(one, now)).sum(),
            Self::Chosen(all) => queues.map(|one| all.load(one)).sum(),
        }
    }
}

#[cfg(test)]
mod tests;
