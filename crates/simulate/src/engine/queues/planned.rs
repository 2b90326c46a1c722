//! Queues that serve I/Os in order of arrival, over disks whose times do not depend on what comes later: when an
//! I/O will be complete is known when it comes, and no event is needed for its start.

use std::collections::VecDeque;

use super::edges::WaitingEdges;
use super::waiting::{LONGEST, QueuedIo, QueuedIos};
use crate::disk::{DiskModel, DiskRequest};
use crate::engine::calendar::EventTurn;

/// I/Os that are remembered before those that are complete are looked for: many at once cost less.
const AT_ONCE: usize = 64;

/// Of an I/O that others may be joined with.
#[derive(Copy, Clone, Debug)]
struct JoinableIo {
    end: u64,
    /// When the one before it starts: from then on the kernel has taken this one out of its scheduler.
    taken: u64,
    /// The moment in which it came; it is not taken out in that.
    moment: u64,
    joined: u32,
}

#[derive(Debug)]
struct PlannedQueue {
    /// The end of the last I/O, and of the one before it.
    end: u64,
    end_before: u64,
    /// Where the last I/O ends.
    head: u64,
    /// The ends of those that are not complete.
    ends: VecDeque<u64>,
    joinable: QueuedIos<JoinableIo>,
    /// Where nothing is joined there are none.
    edges: Option<WaitingEdges>,
}

/// When an I/O is complete.
#[derive(Copy, Clone, Debug)]
pub struct PlannedEnd {
    pub turn: EventTurn,
    /// Whether it is an I/O that counts, and none that is joined with one.
    pub counts: bool,
}

/// Now, and the number of the moment: what happens together.
#[derive(Copy, Clone, Debug)]
pub struct QueueMoment {
    pub turn: EventTurn,
    pub number: u64,
}

/// All of them.
#[derive(Debug)]
pub struct PlannedQueues {
    disk: DiskModel,
    queues: Vec<PlannedQueue>,
    /// Whether someone asks how many I/Os are not complete.
    remembers: bool,
    random: u64,
}

impl PlannedQueues {
    pub fn new(disk: &DiskModel, count: usize, joins: bool, remembers: bool, random: u64) -> Self {
        let queue = |_| PlannedQueue {
            end: 0,
            end_before: 0,
            head: 0,
            ends: VecDeque::new(),
            joinable: QueuedIos::new(LONGEST),
            edges: joins.then(WaitingEdges::new),
        };
        Self {
            disk: disk.clone(),
            queues: (0..count).map(queue).collect(),
            remembers,
            random,
        }
    }

    /// Adds an I/O.
    #[inline]
    pub fn add(&mut self, number: u32, io: QueuedIo<()>, moment: QueueMoment) -> PlannedEnd {
        let queue = &mut self.queues[number as usize];
        let lines = WaitingEdges::lines(io.at, io.len);
        if let Some(joined) = queue.join(number, &io, lines, moment) {
            return joined;
        }
        let follows = !moment.turn.has_seen(queue.end, number);
        let start = queue.end.max(moment.turn.time());
        let wanted = DiskRequest {
            at: io.at,
            len: io.len,
            write: io.write,
            follows,
        };
        let time = self
            .disk
            .time(wanted, queue.head, start, &mut self.random)
            .max(1);
        if let Some(edges) = &mut queue.edges {
            edges.add(lines, start + time);
            queue.joinable.push(QueuedIo {
                at: io.at,
                len: io.len,
                write: io.write,
                counts: io.counts,
                known: JoinableIo {
                    end: start + time,
                    taken: queue.end_before,
                    moment: moment.number,
                    joined: 0,
                },
            });
        }
        (queue.end_before, queue.end) = (queue.end, start + time);
        queue.head = io.at + io.len;
        if self.remembers {
            if queue.ends.len() >= AT_ONCE {
                forget(&mut queue.ends, number, moment.turn);
            }
            queue.ends.push_back(queue.end);
        }
        PlannedEnd {
            turn: EventTurn::of_disk(queue.end, number, 0),
            counts: io.counts,
        }
    }

    /// I/Os that are not complete.
    #[inline]
    pub fn load(&mut self, number: u32, now: EventTurn) -> usize {
        let ends = &mut self.queues[number as usize].ends;
        forget(ends, number, now);
        ends.len()
    }
}

/// Takes out the ends that have come: how many there were.
#[inline]
pub fn forget(ends: &mut VecDeque<u64>, number: u32, now: EventTurn) -> u64 {
    let mut gone = 0;
    while let Some(end) = ends.front()
        && now.has_seen(*end, number)
    {
        ends.pop_front();
        gone += 1;
    }
    gone
}

impl PlannedQueue {
    #[inline]
    fn join(
        &mut self,
        number: u32,
        io: &QueuedIo<()>,
        lines: [usize; 2],
        moment: QueueMoment,
    ) -> Option<PlannedEnd> {
        let edges = self.edges.as_mut()?;
        let touches = edges.may_touch(lines, moment.turn.time());
        if !touches && self.joinable.len() < AT_ONCE {
            return None;
        }
        while let Some(first) = self.joinable.first()
            && first.known.moment != moment.number
            && moment.turn.has_seen(first.known.taken, number)
        {
            self.joinable.take_first();
        }
        if !touches {
            return None;
        }
        let (known, counts) = self.joinable.join(io)?;
        known.joined += 1;
        edges.add(lines, known.end);
        Some(PlannedEnd {
            // The first is complete before the others, of which the last is complete first.
            turn: EventTurn::of_disk(known.end, number, u32::MAX - known.joined),
            counts,
        })
    }
}
