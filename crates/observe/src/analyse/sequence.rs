//! Sequential I/O, by streams: an I/O is sequential when it begins where one of the last eight streams
//! of its device and operation ended, and goes on with that stream. Another one begins a stream, in
//! place of the one that has waited longest.

use ioalign_core::units::ratio;

const STREAMS: usize = 8;

/// No I/O begins here: the end of the address space.
const NOWHERE: u64 = u64::MAX;

/// The streams of one operation on one device.
pub struct Streams {
    /// The end of each stream, from `newest` on around, most recently used first.
    ends: [u64; STREAMS],
    newest: usize,
    ios: u64,
    sequential: u64,
}

impl Default for Streams {
    fn default() -> Self {
        Self {
            ends: [NOWHERE; STREAMS],
            newest: 0,
            ios: 0,
            sequential: 0,
        }
    }
}

impl Streams {
    #[inline]
    pub fn add(&mut self, start: u64, len: u64) {
        self.ios += 1;
        // One by one, not as `contains` does it: the end that was stored last cannot be loaded yet together
        // with others.
        #[allow(clippy::manual_contains)]
        if self.ends.iter().any(|end| *end == start) {
            self.go_on(start);
        }
        // The one that has waited longest, or was just freed, lies before the newest.
        self.newest = (self.newest + STREAMS - 1) % STREAMS;
        if let Some(end) = self.ends.get_mut(self.newest) {
            *end = start.wrapping_add(len);
        }
    }

    /// Frees the place of the stream that goes on: those that waited longer move up.
    fn go_on(&mut self, start: u64) {
        let at = |age: usize| (self.newest + age) % STREAMS;
        let age = (0..STREAMS).find(|age| self.ends.get(at(*age)) == Some(&start));
        let Some(age) = age else { return };
        self.sequential += 1;
        for age in age..STREAMS - 1 {
            let older = (self.newest + age + 1) % STREAMS;
            let end = self.ends.get(older).copied().unwrap_or(NOWHERE);
            if let Some(place) = self.ends.get_mut((self.newest + age) % STREAMS) {
                *place = end;
            }
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
