//! Disks with heads that choose among their I/Os, or whose I/Os grow while they wait: when one is complete is known
//! only once it has begun.
//!
//! A disk has one I/O under way and, behind md, one that the kernel has taken out of its scheduler: nothing is
//! joined with that one any more (`blk_mq_do_dispatch_sched` takes an I/O before the device is free for
//! it). All others that wait can be joined with one that goes on where they end.

use super::deadline::{DeadlineOrder, ScheduledIo};
use super::waiting::{QueuedIo, QueuedIos};
use crate::disk::{DiskModel, DiskRequest};
use crate::engine::DiskScheduler;
use crate::engine::calendar::{CalendarEvent, EventCalendar, EventTurn, QueuedPart};

/// Those that wait for an I/O: the first, and those that were joined with it.
#[derive(Clone, Debug)]
struct WaitingParts {
    first: QueuedPart,
    joined: Vec<QueuedPart>,
    number: u64,
    came: u64,
}

impl ScheduledIo for WaitingParts {
    fn number(&self) -> u64 {
        self.number
    }

    fn came(&self) -> u64 {
        self.came
    }
}

type ChosenIo = QueuedIo<WaitingParts>;

#[derive(Debug)]
struct ChosenQueue {
    waiting: QueuedIos<WaitingParts>,
    under_way: Option<ChosenIo>,
    taken: Option<ChosenIo>,
    head: u64,
    /// Where its last read ended.
    read_to: u64,
    touched: bool,
    /// The kernel's scheduler; `None`: it takes them as they came.
    deadline: Option<DeadlineOrder>,
}

/// What an I/O that came changes in the number of I/Os that count.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedIo {
    /// It is one.
    pub more: bool,
    /// Two that were counted are one now.
    pub less: bool,
}

/// All of them.
#[derive(Debug)]
pub struct ChosenQueues {
    disk: DiskModel,
    random: u64,
    joins: bool,
    queues: Vec<ChosenQueue>,
    touched: Vec<u32>,
    numbers: u64,
}

impl ChosenQueues {
    /// `joins`: the longest write that is joined in front of another one; `None` where nothing is joined.
    pub fn new(
        disk: &DiskModel,
        count: usize,
        joins: Option<u64>,
        scheduler: DiskScheduler,
        random: u64,
    ) -> Self {
        let deadline = scheduler == DiskScheduler::Deadline;
        let most_in_front = joins.unwrap_or(0);
        let queue = |_| ChosenQueue {
            waiting: QueuedIos::new(most_in_front),
            under_way: None,
            taken: None,
            head: 0,
            read_to: 0,
            touched: false,
            deadline: deadline.then(DeadlineOrder::default),
        };
        Self {
            disk: disk.clone(),
            random,
            joins: joins.is_some(),
            queues: (0..count).map(queue).collect(),
            touched: Vec::new(),
            numbers: 0,
        }
    }

    /// Adds an I/O, which may be joined with one that waits.
    pub fn add(&mut self, number: u32, io: QueuedIo<()>, part: QueuedPart, now: u64) -> CountedIo {
        let queue = &mut self.queues[number as usize];
        if self.joins
            && let Some(counted) = queue.join(&io, part)
        {
            return counted;
        }
        self.numbers += 1;
        queue.waiting.push(QueuedIo {
            at: io.at,
            len: io.len,
            write: io.write,
            counts: io.counts,
            known: WaitingParts {
                first: part,
                joined: Vec::new(),
                number: self.numbers,
                came: now,
            },
        });
        if !queue.touched {
            queue.touched = true;
            self.touched.push(number);
        }
        CountedIo {
            more: io.counts,
            less: false,
        }
    }

    /// I/Os that are not complete.
    pub fn load(&self, number: u32) -> usize {
        let queue = &self.queues[number as usize];
        let busy = usize::from(queue.under_way.is_some()) + usize::from(queue.taken.is_some());
        queue.waiting.len() + busy
    }

    /// How far md takes the head of this disk to be from an address: an idle one is there at once (`read_balance` in
    /// drivers/md/raid10.c, of rotating disks with near copies).
    pub fn distance(&self, number: u32, at: u64) -> u64 {
        match self.load(number) {
            0 => 0,
            _ => self.queues[number as usize].read_to.abs_diff(at),
        }
    }

    /// Starts what can be started on the queues that got something.
    pub fn start_touched(&mut self, calendar: &mut EventCalendar) {
        while let Some(number) = self.touched.pop() {
            self.queues[number as usize].touched = false;
            self.start(number, false, calendar);
        }
    }

    /// A disk has finished an I/O: those that waited for it are next, and the disk goes on with another.
    pub fn finish(&mut self, number: u32, calendar: &mut EventCalendar) {
        let done = self.queues[number as usize].under_way.take();
        let now = calendar.now();
        if let Some(done) = done {
            if !done.write {
                self.queues[number as usize].read_to = done.at + done.len;
            }
            let parts = std::iter::once(done.known.first);
            let parts = parts.chain(done.known.joined.into_iter().rev());
            for (place, part) in (1..).zip(parts) {
                let turn = EventTurn::of_disk(now, number, place);
                calendar.add(turn, CalendarEvent::Part(part));
            }
        }
        // What starts now has waited.
        self.start(number, true, calendar);
    }

    fn start(&mut self, number: u32, follows: bool, calendar: &mut EventCalendar) {
        let now = calendar.now();
        let queue = &mut self.queues[number as usize];
        if queue.under_way.is_none() {
            let next = queue.taken.take();
            let next = next.or_else(|| queue.choose(&self.disk, now, follows));
            let Some(io) = next else { return };
            let wanted = request(&io, follows);
            let time = self
                .disk
                .time(wanted, queue.head, now, &mut self.random)
                .max(1);
            queue.head = io.at + io.len;
            queue.under_way = Some(io);
            let turn = EventTurn::of_disk(now + time, number, 0);
            calendar.add(turn, CalendarEvent::Disk { queue: number });
        }
        if self.joins && queue.taken.is_none() {
            queue.taken = queue.choose(&self.disk, now, true);
        }
    }
}

impl ChosenQueue {
    /// Joins an I/O with one that waits. The scheduler then closes gaps: what it joined may touch another one.
    fn join(&mut self, io: &QueuedIo<()>, part: QueuedPart) -> Option<CountedIo> {
        let (place, more) = self.waiting.join_at(io)?;
        self.waiting.at_mut(place)?.known.joined.push(part);
        let mut counted = CountedIo { more, less: false };
        let Some(order) = &mut self.deadline else {
            return Some(counted);
        };
        let Some((place, gone)) = self.waiting.absorb(place) else {
            return Some(counted);
        };
        order.forget(&self.waiting, &gone);
        let kept = self.waiting.at_mut(place)?;
        kept.known.came = kept.known.came.min(gone.known.came);
        kept.known.joined.push(gone.known.first);
        kept.known.joined.extend(gone.known.joined);
        counted.less = kept.counts && gone.counts;
        kept.counts |= gone.counts;
        Some(counted)
    }

    /// The next I/O of those that wait: that of the scheduler, the first, or the one that the head reaches first.
    fn choose(&mut self, disk: &DiskModel, now: u64, follows: bool) -> Option<ChosenIo> {
        if let Some(order) = &mut self.deadline {
            let place = order.choose(&self.waiting, now)?;
            return self.waiting.take(place);
        }
        let DiskModel::Spinning(disk) = disk else {
            return self.waiting.take_first();
        };
        let some = self.waiting.iter().take(disk.queue.max(1)).enumerate();
        let best = some.min_by_key(|(_, io)| {
            disk.positioning(request(io, follows), self.head, now + disk.fixed_ns)
        });
        let place = best.map(|(place, _)| place)?;
        self.waiting.take(place)
    }
}

const fn request(io: &ChosenIo, follows: bool) -> DiskRequest {
    DiskRequest {
        at: io.at,
        len: io.len,
        write: io.write,
        follows,
    }
}
