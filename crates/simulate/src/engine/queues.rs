//! Disks with I/Os that wait.
//!
//! A disk has one I/O under way and, behind md, one that the kernel has taken out of its scheduler: nothing is
//! joined with that one any more (`blk_mq_do_dispatch_sched` takes an I/O before the device is free for
//! it). All others that wait can be joined with one that goes on where they end.

use std::collections::VecDeque;

use super::DiskIoCount;
use super::clock::{NEVER, NextDone};
use crate::disk::{DiskModel, DiskRequest};
use crate::geometry::{ArrayGeometry, DiskIo};

/// No I/O.
const NONE: u32 = u32::MAX;
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

    pub const fn slot(&self) -> usize {
        self.slot as usize
    }

    pub const fn group(&self) -> usize {
        self.group as usize
    }
}

#[derive(Debug)]
struct DiskQueue {
    waiting: VecDeque<u32>,
    under_way: u32,
    taken: u32,
    head: u64,
    touched: bool,
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
    now: u64,
    random: u64,
    counts: Vec<DiskIoCount>,
}

impl DiskQueues {
    pub fn new(geometry: &ArrayGeometry, disk: &DiskModel, seed: u64) -> Self {
        let channels = disk.channels();
        let count = (geometry.disks() * channels) as usize;
        let queue = |_| DiskQueue {
            waiting: VecDeque::new(),
            under_way: NONE,
            taken: NONE,
            head: 0,
            touched: false,
        };
        Self {
            geometry: geometry.clone(),
            disk: disk.clone(),
            channels,
            joins: geometry.is_md() && channels == 1,
            queues: (0..count).map(queue).collect(),
            touched: Vec::new(),
            all: Vec::new(),
            free: Vec::new(),
            next: NextDone::new(count),
            now: 0,
            random: seed ^ 0x5bd1_e995,
            counts: vec![DiskIoCount::default(); geometry.disks() as usize],
        }
    }

    pub const fn now(&self) -> u64 {
        self.now
    }

    pub const fn geometry(&self) -> &ArrayGeometry {
        &self.geometry
    }

    /// When the next I/O is complete.
    pub fn next_ns(&self) -> Option<u64> {
        self.next.first().map(|(_, time)| time)
    }

    /// Lets time pass in which nothing completes.
    pub fn wait_until(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    pub fn counts(self) -> Vec<DiskIoCount> {
        self.counts
    }

    /// Adds an I/O, and says how many completions it has: one a page of flash.
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
            DiskModel::Flash(flash) => self.add_pages(io.disk, pending, flash.page_bytes),
            _ => {
                self.add_to(io.disk, pending);
                1
            }
        }
    }

    /// The copy whose disk has the fewest I/Os.
    fn best_copy(&self, io: DiskIo) -> DiskIo {
        let (mut best, mut least) = (io, usize::MAX);
        self.geometry.each_copy(&io, |disk, at| {
            let first = disk * self.channels;
            let queues = (first..first + self.channels).map(|queue| &self.queues[queue as usize]);
            let load = queues
                .map(|queue| {
                    let busy =
                        usize::from(queue.under_way != NONE) + usize::from(queue.taken != NONE);
                    queue.waiting.len() + busy
                })
                .sum();
            if load < least {
                (best, least) = (DiskIo { disk, at, ..io }, load);
            }
        });
        best
    }

    fn add_pages(&mut self, disk: u32, whole: QueuedIo, page: u64) -> u32 {
        let (mut at, end) = (whole.at, whole.at + whole.len);
        let mut pages = 0;
        while at < end {
            let len = (page - at % page).min(end - at);
            let channel = u32::try_from(at / page % u64::from(self.channels)).unwrap_or(0);
            let counts = whole.counts && pages == 0;
            self.add_to(
                disk * self.channels + channel,
                QueuedIo {
                    at,
                    len,
                    counts,
                    ..whole
                },
            );
            at += len;
            pages += 1;
        }
        pages
    }

    #[inline]
    fn add_to(&mut self, queue: u32, pending: QueuedIo) {
        if self.joins && self.join(queue, pending) {
            return;
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
    fn join(&mut self, queue: u32, pending: QueuedIo) -> bool {
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
        one.at = one.at.min(pending.at);
        one.len += pending.len;
        one.counts |= pending.counts;
        let rest = std::mem::replace(&mut one.joined, id);
        self.all[id as usize].joined = rest;
        true
    }

    /// Starts what can be started on the queues that got something.
    #[inline]
    pub fn start_touched(&mut self) {
        while let Some(queue) = self.touched.pop() {
            self.queues[queue as usize].touched = false;
            self.start(queue as usize);
        }
    }

    #[inline]
    fn start(&mut self, index: usize) {
        if self.queues[index].under_way == NONE {
            let id = match std::mem::replace(&mut self.queues[index].taken, NONE) {
                NONE => self.choose(index),
                id => id,
            };
            if id == NONE {
                self.next.set(index, NEVER);
                return;
            }
            let io = self.all[id as usize];
            let queue = &mut self.queues[index];
            let wanted = DiskRequest {
                at: io.at,
                len: io.len,
                write: io.write,
            };
            let time = self
                .disk
                .time(wanted, queue.head, self.now, &mut self.random);
            queue.head = io.at + io.len;
            queue.under_way = id;
            self.next.set(index, self.now + time.max(1));
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
            self.queues[index].taken = self.choose(index);
        }
    }

    /// The next I/O of those that wait: the first, or the one that the head reaches first.
    #[inline]
    fn choose(&mut self, index: usize) -> u32 {
        let queue = &mut self.queues[index];
        let DiskModel::Spinning(disk) = &self.disk else {
            return queue.waiting.pop_front().unwrap_or(NONE);
        };
        let first = queue.waiting.iter().take(disk.queue.max(1)).enumerate();
        let best = first.min_by_key(|(_, id)| {
            disk.positioning(
                self.all[**id as usize].at,
                queue.head,
                self.now + disk.fixed_ns,
            )
        });
        let best = best.map(|(place, _)| place);
        best.and_then(|place| queue.waiting.remove(place))
            .unwrap_or(NONE)
    }

    /// The I/O that is complete next, with all that are joined; its disk goes on with another one.
    #[inline]
    pub fn next_done(&mut self) -> Option<u32> {
        let (queue, time) = self.next.first()?;
        self.now = time;
        let done = std::mem::replace(&mut self.queues[queue].under_way, NONE);
        self.start(queue);
        Some(done)
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
