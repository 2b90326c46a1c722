//! I/Os that wait in the queue of a disk. Behind md the kernel joins one that comes with one that waits and goes
//! on where it ends, or ends where it begins.

use std::collections::VecDeque;

use crate::engine::DiskScheduler;
use crate::geometry::{ArrayGeometry, PAGE};

/// The longest joined I/O: that of a driver that sets none (`BLK_SAFE_MAX_SECTORS`).
pub const LONGEST: u64 = 255 * 512;
/// I/Os that are looked at for one to join with.
const LOOKED_AT: usize = 64;

/// An I/O that waits, and what its queue knows of it.
#[derive(Copy, Clone, Debug)]
pub struct QueuedIo<T> {
    pub at: u64,
    pub len: u64,
    pub write: bool,
    /// Whether it is an I/O of the disk that counts.
    pub counts: bool,
    pub known: T,
}

/// The longest write that is joined in front of one that waits. RAID 5 and 6 of md write page by page, and the kernel
/// gathers the pages of a moment in a plug: the scheduler puts such a request behind another one, never before it
/// (`elv_attempt_insert_merge` in `block/elevator.c`). A single page is a bio, which goes to either end.
pub fn most_in_front(geometry: &ArrayGeometry, scheduler: DiskScheduler) -> u64 {
    if geometry.has_parity() && scheduler == DiskScheduler::Deadline {
        return PAGE;
    }
    LONGEST
}

/// All that wait, the first in front.
#[derive(Debug)]
pub struct QueuedIos<T> {
    ios: VecDeque<QueuedIo<T>>,
    most_in_front: u64,
}

impl<T> QueuedIos<T> {
    pub const fn new(most_in_front: u64) -> Self {
        Self {
            ios: VecDeque::new(),
            most_in_front,
        }
    }

    pub fn len(&self) -> usize {
        self.ios.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &QueuedIo<T>> {
        self.ios.iter()
    }

    #[inline]
    pub fn first(&self) -> Option<&QueuedIo<T>> {
        self.ios.front()
    }

    #[inline]
    pub fn push(&mut self, io: QueuedIo<T>) {
        self.ios.push_back(io);
    }

    /// Takes the first one out: nothing is joined with it any more.
    #[inline]
    pub fn take_first(&mut self) -> Option<QueuedIo<T>> {
        self.ios.pop_front()
    }

    pub fn take(&mut self, place: usize) -> Option<QueuedIo<T>> {
        self.ios.remove(place)
    }

    /// Joins an I/O with one that waits: what is known of that one, and whether it counts only now.
    #[inline]
    pub fn join<U>(&mut self, io: &QueuedIo<U>) -> Option<(&mut T, bool)> {
        let (place, counts_now) = self.join_at(io)?;
        let one = self.ios.get_mut(place)?;
        Some((&mut one.known, counts_now))
    }

    /// The same; where that one waits.
    #[inline]
    pub fn join_at<U>(&mut self, io: &QueuedIo<U>) -> Option<(usize, bool)> {
        let ios = self.ios.iter_mut().enumerate();
        let most_in_front = self.most_in_front;
        let fits = |one: &QueuedIo<T>| {
            let behind = one.at + one.len == io.at;
            touches(one, io) && (behind || !io.write || io.len <= most_in_front)
        };
        let (place, one) = ios.rev().take(LOOKED_AT).find(|(_, one)| fits(one))?;
        one.at = one.at.min(io.at);
        one.len += io.len;
        let counts_now = io.counts && !one.counts;
        one.counts |= io.counts;
        Some((place, counts_now))
    }

    /// Takes out another one that waits and that touches the one at this place, which takes its bytes: the gap between
    /// them was closed. The older of the two places is theirs.
    pub fn absorb(&mut self, place: usize) -> Option<(usize, QueuedIo<T>)> {
        let one = self.ios.get(place)?;
        let mut all = self.ios.iter().enumerate();
        let (other, _) = all.find(|(at, io)| *at != place && touches(one, io))?;
        let gone = self.ios.remove(other)?;
        let mut kept = self.ios.remove(place - usize::from(other < place))?;
        kept.at = kept.at.min(gone.at);
        kept.len += gone.len;
        let older = place.min(other);
        self.ios.insert(older, kept);
        Some((older, gone))
    }

    pub fn at_mut(&mut self, place: usize) -> Option<&mut QueuedIo<T>> {
        self.ios.get_mut(place)
    }
}

/// Whether one goes on where the other ends, and both can be one I/O.
fn touches<T, U>(one: &QueuedIo<T>, io: &QueuedIo<U>) -> bool {
    let next_to = one.at + one.len == io.at || io.at + io.len == one.at;
    next_to && one.write == io.write && one.len + io.len <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn write(at: u64, len: u64) -> QueuedIo<()> {
        QueuedIo {
            at,
            len,
            write: true,
            counts: true,
            known: (),
        }
    }

    #[test]
    fn several_pages_go_behind_a_write_and_not_before_it() {
        let mut waiting = QueuedIos::new(PAGE);
        waiting.push(write(8 * PAGE, PAGE));
        assert_eq!(waiting.join_at(&write(5 * PAGE, 3 * PAGE)), None);
        assert_eq!(
            waiting.join_at(&write(9 * PAGE, 3 * PAGE)),
            Some((0, false))
        );
        assert_eq!(waiting.join_at(&write(7 * PAGE, PAGE)), Some((0, false)));
        let mut waiting = QueuedIos::new(LONGEST);
        waiting.push(write(8 * PAGE, PAGE));
        assert_eq!(
            waiting.join_at(&write(5 * PAGE, 3 * PAGE)),
            Some((0, false))
        );
    }
}
