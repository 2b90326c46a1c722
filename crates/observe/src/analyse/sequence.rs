//! Sequential I/O, by streams: an I/O is sequential when it begins where one of the last eight streams
//! of its device and operation ended, and goes on with that stream. Another one begins a stream, in
//! place of the one that has waited longest.

use ioalign_core::units::ratio;

const STREAMS: usize = 8;

/// No I/O begins here: the end of the address space.
const NOWHERE: u64 = u64::MAX;

/// The streams of one operation on one device.
pub struct Streams {
    /// Where each stream ended, from `newest` on around, the one used last first.
    ends: [u64; STREAMS],
    newest: usize,
    /// The same folded to 32 bits: all eight are compared in two steps of the oldest SIMD.
    keys: [u32; STREAMS],
    ios: u64,
    sequential: u64,
}

#[inline]
#[allow(clippy::cast_possible_truncation)] // a fold; the whole number is compared after a hit
const fn key(end: u64) -> u32 {
    (end >> 9) as u32 ^ (end >> 41) as u32
}

impl Default for Streams {
    fn default() -> Self {
        Self {
            ends: [NOWHERE; STREAMS],
            newest: 0,
            keys: [key(NOWHERE); STREAMS],
            ios: 0,
            sequential: 0,
        }
    }
}

impl Streams {
    #[inline]
    pub fn add(&mut self, start: u64, len: u64) {
        self.ios += 1;
        if self.any(start) {
            self.go_on(start);
        }
        // The one that has waited longest, or was just freed, lies before the newest.
        self.newest = (self.newest + STREAMS - 1) % STREAMS;
        self.put(self.newest, start.wrapping_add(len));
    }

    /// Compares with all without a branch each: most I/O of most traces is random.
    #[inline]
    fn any(&self, start: u64) -> bool {
        let wanted = key(start);
        let same = |any, key: &u32| any | (*key == wanted);
        self.keys.iter().fold(false, same)
    }

    /// Frees the place of the stream that goes on, if there is one: those that waited longer move up.
    fn go_on(&mut self, start: u64) {
        let at = |age: usize| (self.newest + age) % STREAMS;
        let age = (0..STREAMS).find(|age| self.ends.get(at(*age)) == Some(&start));
        let Some(age) = age else { return };
        self.sequential += 1;
        for age in age..STREAMS - 1 {
            let older = (self.newest + age + 1) % STREAMS;
            let end = self.ends.get(older).copied().unwrap_or(NOWHERE);
            self.put((self.newest + age) % STREAMS, end);
        }
    }

    #[inline]
    fn put(&mut self, place: usize, end: u64) {
        if let (Some(to), Some(folded)) = (self.ends.get_mut(place), self.keys.get_mut(place)) {
            (*to, *folded) = (end, key(end));
        }
    }

    /// The share that is sequential; `None` without I/O.
    pub fn ratio(&self) -> Option<f64> {
        (self.ios > 0).then(|| ratio(self.sequential, self.ios))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_streams_are_sequential() {
        let mut streams = Streams::default();
        for i in 0..100_u64 {
            for stream in 0..4_u64 {
                streams.add((stream << 30) + i * 4096, 4096);
            }
        }
        assert_eq!(streams.ratio(), Some(396.0 / 400.0));
    }

    #[test]
    fn the_first_at_zero_is_not_sequential() {
        let mut streams = Streams::default();
        streams.add(0, 512);
        assert_eq!(streams.ratio(), Some(0.0));
    }
}
