//! Written data that are not on disks yet: extents that grow together where they touch.

use std::collections::BTreeMap;

/// Extents by start, and the place from which the next is taken.
#[derive(Debug)]
pub struct DirtyExtents {
    ends: BTreeMap<u64, u64>,
    bytes: u64,
    /// They are taken in the order of places, round and round.
    hand: u64,
    /// No extent is taken over the end of a stripe.
    stripe: u64,
}

impl DirtyExtents {
    pub const fn new(stripe: u64) -> Self {
        Self {
            ends: BTreeMap::new(),
            bytes: 0,
            hand: 0,
            stripe,
        }
    }

    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds an extent to those that it touches.
    pub fn add(&mut self, at: u64, len: u64) {
        let (mut from, mut to) = (at, at + len);
        while let Some((start, end)) = self.last_up_to(to).filter(|one| one.1 >= from) {
            self.ends.remove(&start);
            self.bytes -= end - start;
            (from, to) = (from.min(start), to.max(end));
        }
        self.ends.insert(from, to);
        self.bytes += to - from;
    }

    /// Whether all of it is here.
    pub fn covers(&self, at: u64, len: u64) -> bool {
        self.last_up_to(at).is_some_and(|one| one.1 >= at + len)
    }

    /// Takes the next extent, up to the end of its stripe.
    pub fn take(&mut self) -> Option<(u64, u64)> {
        let next = self.ends.range(self.hand..).next();
        let (at, end) = next.or_else(|| self.ends.first_key_value()).map(copied)?;
        let stop = end.min((at / self.stripe + 1) * self.stripe);
        self.ends.remove(&at);
        if stop < end {
            self.ends.insert(stop, end);
        }
        self.bytes -= stop - at;
        self.hand = stop;
        Some((at, stop - at))
    }

    fn last_up_to(&self, at: u64) -> Option<(u64, u64)> {
        self.ends.range(..=at).next_back().map(copied)
    }
}

const fn copied((start, end): (&u64, &u64)) -> (u64, u64) {
    (*start, *end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::random::split_mix;

    #[test]
    fn extents_grow_together_and_lose_no_byte() {
        let mut dirty = DirtyExtents::new(100);
        let mut sectors = std::collections::BTreeSet::new();
        let mut seed = 1;
        for _ in 0..500 {
            let at = split_mix(&mut seed) % 1000;
            let len = split_mix(&mut seed) % 30 + 1;
            dirty.add(at, len);
            sectors.extend(at..at + len);
            assert_eq!(dirty.bytes(), sectors.len() as u64);
            let probe = split_mix(&mut seed) % 1000;
            let all = (probe..probe + 10).all(|one| sectors.contains(&one));
            assert_eq!(dirty.covers(probe, 10), all);
        }
        while let Some((at, len)) = dirty.take() {
            assert!((at % 100) + len <= 100, "over the end of a stripe");
            assert!((at..at + len).all(|one| sectors.remove(&one)));
        }
        assert!(sectors.is_empty() && dirty.bytes() == 0);
    }

    #[test]
    fn they_are_taken_round_and_round() {
        let mut dirty = DirtyExtents::new(1 << 20);
        dirty.add(500, 10);
        assert_eq!(dirty.take(), Some((500, 10)));
        dirty.add(100, 10);
        dirty.add(900, 10);
        dirty.add(910, 5);
        assert_eq!(dirty.take(), Some((900, 15)));
        assert_eq!(dirty.take(), Some((100, 10)));
        assert_eq!(dirty.take(), None);
    }
}
