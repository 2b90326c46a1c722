//! I/Os that wait in the queue of a disk. Behind md the kernel joins one that comes with one that waits and goes
//! on where it ends, or ends where it begins.

use std::collections::VecDeque;

/// The longest joined I/O: that of a driver that sets none (`BLK_SAFE_MAX_SECTORS`).
const LONGEST: u64 = 255 * 512;
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

/// All that wait, the first in front.
#[derive(Debug)]
pub struct QueuedIos<T> {
    ios: VecDeque<QueuedIo<T>>,
}

impl<T> QueuedIos<T> {
    pub const fn new() -> Self {
        Self {
            ios: VecDeque::new(),
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
        let end = io.at + io.len;
        let one = self.ios.iter_mut().rev().take(LOOKED_AT).find(|one| {
            let next_to = one.at + one.len == io.at || end == one.at;
            next_to && one.write == io.write && one.len + io.len <= LONGEST
        })?;
        one.at = one.at.min(io.at);
        one.len += io.len;
        let counts_now = io.counts && !one.counts;
        one.counts |= io.counts;
        Some((&mut one.known, counts_now))
    }
}
