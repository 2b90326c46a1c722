//! What happens next: events in order of time. Of those at the same time the ends of disk I/Os come first, the
//! disk with the lowest number before the others, then everything else in the order in which it was planned.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// What happens.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CalendarEvent {
    /// A part of a group of I/Os is complete, or all of it.
    Part(QueuedPart),
    /// A disk that chooses among its I/Os has finished one.
    Disk {
        /// Its queue.
        queue: u32,
    },
    /// The cache has answered a request.
    Answered {
        /// The request.
        slot: u32,
    },
    /// The next request of a load that does not wait.
    Arrival {
        /// Whose.
        tenant: u32,
    },
}

/// Who waits for an I/O: a request, and the group of its I/Os.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueuedPart {
    pub slot: u32,
    pub group: u32,
}

/// When something happens, and its turn among what happens at the same time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventTurn(u128);

/// Of turns of the same time: what is not the end of an I/O comes after all that are.
const TIMED: u64 = 1 << 63;

impl EventTurn {
    /// Before everything.
    pub const FIRST: Self = Self(0);

    #[inline]
    fn new(time: u64, turn: u64) -> Self {
        Self(u128::from(time) << 64 | u128::from(turn))
    }

    /// The end of an I/O of a disk; of I/Os that are complete as one the lower `place` comes first.
    #[inline]
    pub fn of_disk(time: u64, queue: u32, place: u32) -> Self {
        Self::new(time, u64::from(queue) << 32 | u64::from(place))
    }

    /// The last of a time.
    #[inline]
    pub fn last_of(time: u64) -> Self {
        Self::new(time, u64::MAX)
    }

    #[inline]
    pub fn time(self) -> u64 {
        u64::try_from(self.0 >> 64).unwrap_or(u64::MAX)
    }

    #[inline]
    fn turn(self) -> u64 {
        u64::try_from(self.0 & u128::from(u64::MAX)).unwrap_or(u64::MAX)
    }

    /// Whether an I/O of a queue that ends then is complete by now.
    #[inline]
    pub fn has_seen(self, end: u64, queue: u32) -> bool {
        let time = self.time();
        end < time || (end == time && u64::from(queue) <= self.turn() >> 32)
    }

    /// Whether both are ends of the same I/O.
    #[inline]
    fn is_with(self, other: Self) -> bool {
        self.turn() & TIMED == 0 && self.0 >> 32 == other.0 >> 32
    }
}

#[derive(Copy, Clone, Debug)]
struct CalendarLine {
    turn: EventTurn,
    event: CalendarEvent,
}

/// All events to come.
#[derive(Debug)]
pub struct EventCalendar {
    heap: BinaryHeap<CalendarLine>,
    /// The first line is the one that happens now.
    is_at_first: bool,
    current: EventTurn,
    planned: u64,
}

impl EventCalendar {
    pub fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            is_at_first: false,
            current: EventTurn::last_of(0),
            planned: 0,
        }
    }

    /// The turn of what happens now.
    #[inline]
    pub const fn current(&self) -> EventTurn {
        self.current
    }

    #[inline]
    pub fn now(&self) -> u64 {
        self.current.time()
    }

    /// The turn of something that is no I/O, `ns` from now.
    #[inline]
    pub fn after(&mut self, ns: u64) -> EventTurn {
        self.planned += 1;
        EventTurn::new(self.now().saturating_add(ns), TIMED | self.planned)
    }

    #[inline]
    pub fn add(&mut self, turn: EventTurn, event: CalendarEvent) {
        let line = CalendarLine { turn, event };
        if std::mem::take(&mut self.is_at_first)
            && let Some(mut first) = self.heap.peek_mut()
        {
            // In the place of the one that happens now: the heap is put in order once.
            *first = line;
            return;
        }
        self.heap.push(line);
    }

    /// Something that happens after `ns`.
    pub fn later(&mut self, ns: u64, event: CalendarEvent) {
        let turn = self.after(ns);
        self.add(turn, event);
    }

    /// The next event; the time is its time then.
    #[inline]
    pub fn next(&mut self) -> Option<CalendarEvent> {
        self.leave();
        let CalendarLine { turn, event } = *self.heap.peek()?;
        self.current = turn;
        self.is_at_first = true;
        Some(event)
    }

    /// The event that happened is over.
    #[inline]
    pub fn leave(&mut self) {
        if std::mem::take(&mut self.is_at_first)
            && let Some(first) = self.heap.peek_mut()
        {
            PeekMut::pop(first);
        }
    }

    /// When the next event happens, once the one that happened is over.
    pub fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|line| line.turn.time())
    }

    /// Whether the next event is the end of the same I/O, which several wait for.
    #[inline]
    pub fn goes_on(&self) -> bool {
        let next = self.heap.peek();
        next.is_some_and(|line| line.turn.is_with(self.current))
    }

    /// Lets time pass in which nothing happens.
    pub fn wait_until(&mut self, now: u64) {
        self.current = self.current.max(EventTurn::last_of(now));
    }
}

// The earliest is the greatest, because a heap gives the greatest first. No two turns are equal.
impl Ord for CalendarLine {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.turn.cmp(&self.turn)
    }
}

impl PartialOrd for CalendarLine {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CalendarLine {
    fn eq(&self, other: &Self) -> bool {
        self.turn == other.turn
    }
}

impl Eq for CalendarLine {}
