//! Disks with I/Os that wait.
//!
//! A disk has one I/O under way and, behind md, one that the kernel has taken out of its scheduler: nothing is
//! joined with that one any more (`blk_mq_do_dispatch_sched` takes an I/O before the device is free for
//! it). All others that wait can be joined with one that goes on where they end.

use std::collections::VecDeque;

use super::DiskIoCount;
use super::clock::{NEVER, NextDone};
use super::neighbours::NeighbourFilter;
use super::progress::DonePart;
use super::timers::{TimedEvent, Timers};
use crate::disk::{DiskModel, DiskRequest};
use crate::geometry::{ArrayGeometry, DiskIo};

/// No I/O, and no request that waits for one.
pub const NONE: u32 = u32::MAX;
/// The longest joined I/O: that of a driver that sets none (`BLK_SAFE_MAX_SECTORS`).
const LONGEST: u64 = 255 * 512;
/// I/Os that are looked at for one to join with.
const LOOKED_AT: usize = 64;

/// An I/O that waits, and the group that waits for it.
#[derive(Copy, Clone, Debug)]
pub struct QueuedIo {
    at: u64,
    len: u64,
    slot: u32,
    group: u32,
    /// The next one that is joined with it.
    joined: u32,
    pub write: bool,
    /// Whether it is an I/O of the disk that counts.
    counts: bool,
}

impl QueuedIo {
    // Slots and groups are bounded far below.
    #[allow(clippy::cast_possible_truncation)]
    pub const fn of(slot: usize, group: usize, counts: bool) -> Self {
        Self {
            at: 0,
            len: 0,
            slot: slot as u32,
            group: group as u32,
            joined: NONE,
            write: false,
            counts,
        }
    }

    /// The request that waits for it; `None`: a write that was in the disk's own buffer.
    pub fn slot(&self) -> Option<usize> {
        (self.slot != NONE).then_some(self.slot as usize)
    }

    /// What is complete of that request.
    pub const fn part(&self) -> DonePart {
        DonePart {
            group: self.group as usize,
            write: self.write,
        }
    }

    const fn request(&self, follows: bool) -> DiskRequest {
        DiskRequest {
            at: self.at,
            len: self.len,
            write: self.write,
            follows,
        }
    }
}

#[derive(Debug)]
struct DiskQueue {
    waiting: VecDeque<u32>,
    under_way: u32,
    taken: u32,
    head: u64,
    touched: bool,
    neighbours: NeighbourFilter,
}

/// What happens next.
#[derive(Copy, Clone, Debug)]
pub enum NextEvent {
    /// A disk has finished an I/O, with all that are joined.
    Disk(u32),
    /// A moment has come.
    Time(TimedEvent),
}

/// All queues of all disks: one a channel.
#[derive(Debug)]
pub struct DiskQueues {
    geometry: ArrayGeometry,
    disk: DiskModel,
    channels: u32,
    joins: bool,
    queues: Vec<DiskQueue>,
    touched: Vec<u32>,
    all: Vec<QueuedIo>,
    free: Vec<u32>,
    next: NextDone,
    timers: Timers,
    /// Of each disk the bytes of its write buffer that are free.
    buffers: Vec<u64>,
    now: u64,
    random: u64,
    counts: Vec<DiskIoCount>,
}

impl DiskQueues {
    /// The disks of `groups` arrays that are alike.
    pub fn new(geometry: &ArrayGeometry, groups: u32, disk: &DiskModel, seed: u64) -> Self {
        let channels = disk.channels();
        let disks = geometry.disks() * groups;
        let count = (disks * channels) as usize;
        let joins = geometry.is_md() && channels == 1;
        let queue = |_| DiskQueue {
            waiting: VecDeque::new(),
            under_way: NONE,
            taken: NONE,
            head: 0,
            touched: false,
            neighbours: NeighbourFilter::new(joins),
        };
        Self {
            geometry: geometry.clone(),
            disk: disk.clone(),
            channels,
            joins,
            queues: (0..count).map(queue).collect(),
            touched: Vec::new(),
            all: Vec::new(),
            free: Vec::new(),
            next: NextDone::new(count),
            timers: Timers::default(),
            buffers: vec![disk.buffer_bytes(); disks as usize],
            now: 0,
            random: seed ^ 0x5bd1_e995,
            counts: vec![DiskIoCount::default(); disks as usize],
        }
    }

    pub const fn now(&self) -> u64 {
        self.now
    }

    pub const fn geometry(&self) -> &ArrayGeometry {
        &self.geometry
    }

    /// When something happens next.
    pub fn next_ns(&self) -> Option<u64> {
        let next = self.next.first().1.min(self.timers.first());
        (next != NEVER).then_some(next)
    }

    /// Lets time pass in which nothing happens.
    pub fn wait_until(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    pub fn counts(self) -> Vec<DiskIoCount> {
        self.counts
    }

    /// Something that happens after `ns`.
    pub fn later(&mut self, ns: u64, event: TimedEvent) {
        self.timers.add(self.now.saturating_add(ns), event);
    }

    /// Adds an I/O, and says how many completions it has: one a piece of flash.
    #[inline]
    pub fn add(&mut self, io: DiskIo, pending: QueuedIo) -> u32 {
        let io = if io.any_copy { self.best_copy(io) } else { io };
        let pending = QueuedIo {
            at: io.at,
            len: io.len,
            write: io.write,
            ..pending
        };
        match &self.disk {
            DiskModel::Flash(flash) => {
                let sizes = (flash.unit_bytes, flash.buffer_ns);
                self.add_pages(io.disk, pending, sizes)
            }
            _ => {
                self.add_to(io.disk, pending);
                1
            }
        }
    }

    /// The copy whose disk has the fewest I/Os.
    fn best_copy(&self, io: DiskIo) -> DiskIo {
        let (mut best, mut least) = (io, usize::MAX);
        let group = io.disk / self.geometry.disks() * self.geometry.disks();
        let one = DiskIo {
            disk: io.disk - group,
            ..io
        };
        self.geometry.each_copy(&one, |disk, at| {
            let disk = disk + group;
            let load = self.load(disk);
            if load < least {
                (best, least) = (DiskIo { disk, at, ..io }, load);
            }
        });
        best
    }

    /// I/Os of a disk that are not complete.
    #[inline]
    fn load(&self, disk: u32) -> usize {
        let first = (disk * self.channels) as usize;
        let queues = &self.queues[first..first + self.channels as usize];
        let busy = |queue: &DiskQueue| {
            usize::from(queue.under_way != NONE) + usize::from(queue.taken != NONE)
        };
        queues
            .iter()
            .map(|queue| queue.waiting.len() + busy(queue))
            .sum()
    }

    /// The units of flash that an I/O touches, each on its channel. A write that finds room in the buffer of
    /// the disk is complete when it is there.
    fn add_pages(&mut self, disk: u32, whole: QueuedIo, (unit, buffer_ns): (u64, u64)) -> u32 {
        let (mut at, end) = (whole.at, whole.at + whole.len);
        let mut pages = 0;
        while at < end {
            let len = (unit - at % unit).min(end - at);
            let channel = u32::try_from(at / unit % u64::from(self.channels)).unwrap_or(0);
            let mut part = QueuedIo {
                at,
                len,
                counts: whole.counts && pages == 0,
                ..whole
            };
            let room = &mut self.buffers[disk as usize];
            if whole.write && *room >= unit {
                *room -= unit;
                let ack = TimedEvent::Part {
                    slot: whole.slot,
                    group: whole.group,
                };
                part.slot = NONE;
                self.later(buffer_ns, ack);
            }
            self.add_to(disk * self.channels + channel, part);
            at += len;
            pages += 1;
        }
        pages
    }

    #[inline]
    fn add_to(&mut self, queue: u32, pending: QueuedIo) {
        if self.joins {
            if self.join(queue, pending) {
                return;
            }
            let neighbours = &mut self.queues[queue as usize].neighbours;
            neighbours.add(pending.at, pending.len);
        }
        let id = self.keep(pending);
        let queue_state = &mut self.queues[queue as usize];
        queue_state.waiting.push_back(id);
        if !queue_state.touched {
            queue_state.touched = true;
            self.touched.push(queue);
        }
    }

    #[inline]
    fn keep(&mut self, pending: QueuedIo) -> u32 {
        match self.free.pop() {
            Some(id) => {
                self.all[id as usize] = pending;
                id
            }
            None => {
                self.all.push(pending);
                u32::try_from(self.all.len() - 1).unwrap_or(NONE)
            }
        }
    }

    /// Joins an I/O with one that waits and lies next to it.
    #[inline]
    fn join(&mut self, queue: u32, pending: QueuedIo) -> bool {
        let state = &self.queues[queue as usize];
        state.neighbours.may_have(pending.at, pending.len) && self.join_found(queue, pending)
    }

    fn join_found(&mut self, queue: u32, pending: QueuedIo) -> bool {
        let waiting = &self.queues[queue as usize].waiting;
        let found = waiting.iter().rev().take(LOOKED_AT).find(|id| {
            let one = &self.all[**id as usize];
            let next_to = one.at + one.len == pending.at || pending.at + pending.len == one.at;
            next_to && one.write == pending.write && one.len + pending.len <= LONGEST
        });
        let Some(&first) = found else {
            return false;
        };
        let id = self.keep(QueuedIo {
            counts: false,
            ..pending
        });
        let one = &mut self.all[first as usize];
        let (at, len) = (one.at, one.len);
        one.at = one.at.min(pending.at);
        one.len += pending.len;
        one.counts |= pending.counts;
        let rest = std::mem::replace(&mut one.joined, id);
        let neighbours = &mut self.queues[queue as usize].neighbours;
        neighbours.remove(at, len);
        neighbours.add(at.min(pending.at), len + pending.len);
        self.all[id as usize].joined = rest;
        true
    }

    /// Starts what can be started on the queues that got something.
    #[inline]
    pub fn start_touched(&mut self) {
        while let Some(queue) = self.touched.pop() {
            self.queues[queue as usize].touched = false;
            self.start(queue as usize, false);
        }
    }

    #[inline]
    fn start(&mut self, index: usize, follows: bool) {
        if self.queues[index].under_way == NONE {
            let id = match std::mem::replace(&mut self.queues[index].taken, NONE) {
                NONE => self.choose(index, follows),
                id => id,
            };
            if id == NONE {
                self.next.set(index, NEVER);
                return;
            }
            let io = self.all[id as usize];
            let queue = &mut self.queues[index];
            let wanted = io.request(follows);
            let time = self
                .disk
                .time(wanted, queue.head, self.now, &mut self.random)
                .max(1);
            queue.head = io.at + io.len;
            queue.under_way = id;
            self.next.set(index, self.now + time);
            if io.counts {
                let count = &mut self.counts[index / self.channels as usize];
                if io.write {
                    count.writes += 1;
                } else {
                    count.reads += 1;
                }
            }
        }
        if self.joins && self.queues[index].taken == NONE {
            self.queues[index].taken = self.choose(index, true);
        }
    }

    /// The next I/O of those that wait: the first, or the one that the head reaches first.
    #[inline]
    fn choose(&mut self, index: usize, follows: bool) -> u32 {
        let queue = &mut self.queues[index];
        let found = match &self.disk {
            DiskModel::Spinning(disk) if queue.waiting.len() > 1 && disk.queue > 1 => {
                let first = queue.waiting.iter().take(disk.queue).enumerate();
                let best = first.min_by_key(|(_, id)| {
                    let io = self.all[**id as usize].request(follows);
                    disk.positioning(io, queue.head, self.now + disk.fixed_ns)
                });
                let best = best.map(|(place, _)| place);
                best.and_then(|place| queue.waiting.remove(place))
            }
            _ => queue.waiting.pop_front(),
        };
        let id = found.unwrap_or(NONE);
        if self.joins && id != NONE {
            let io = &self.all[id as usize];
            queue.neighbours.remove(io.at, io.len);
        }
        id
    }

    /// What happens next; the disk goes on with another I/O.
    #[inline]
    pub fn next_event(&mut self) -> Option<NextEvent> {
        let (queue, time) = self.next.first();
        if self.timers.first() < time {
            let (time, event) = self.timers.take()?;
            self.now = time;
            return Some(NextEvent::Time(event));
        }
        if time == NEVER {
            return None;
        }
        self.now = time;
        let done = std::mem::replace(&mut self.queues[queue].under_way, NONE);
        if self.all[done as usize].slot == NONE {
            let disk = queue / self.channels as usize;
            self.buffers[disk] += self.disk.unit_bytes();
        }
        // What starts now has waited.
        self.start(queue, true);
        Some(NextEvent::Disk(done))
    }

    /// One after the other of those that were joined.
    #[inline]
    pub fn take(&mut self, done: &mut u32) -> Option<QueuedIo> {
        if *done == NONE {
            return None;
        }
        let pending = self.all[*done as usize];
        self.free.push(*done);
        *done = pending.joined;
        Some(pending)
    }
}
