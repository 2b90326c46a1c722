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
        let (place, counts_now) = self.join_at(io)?;
        let one = self.ios.get_mut(place)?;
        Some((&mut one.known, counts_now))
    }

    /// The same; where that one waits.
    #[inline]
    pub fn join_at<U>(&mut self, io: &QueuedIo<U>) -> Option<(usize, bool)> {
        let ios = self.ios.iter_mut().enumerate();
        let (place, one) = ios
            .rev()
            .take(LOOKED_AT)
            .find(|(_, one)| touches(one, io))?;
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
