//! Sequential I/O, by streams: an I/O is sequential when it begins where one of the last eight streams
//! of its device and operation ended, and goes on with that stream. Another one begins a stream, in
//! place of the one that has waited longest.

use ioalign_core::units::ratio;

const STREAMS: usize = 8;

/// The streams of one operation on one device.
#[derive(Default)]
pub struct Streams {
    /// Where each stream ended.
    ends: [u64; STREAMS],
    /// When each was last used.
    used: [u64; STREAMS],
    clock: u64,
    sequential: u64,
}

impl Streams {
    #[inline]
    pub fn add(&mut self, start: u64, len: u64) {
        self.clock += 1;
        let end = start.wrapping_add(len);
        // A stream that was never used ends nowhere: its clock is 0.
        let found =
            (self.ends.iter().zip(&self.used)).position(|(e, used)| *e == start && *used > 0);
        let slot = match found {
            Some(slot) => {
                self.sequential += 1;
                slot
            }
            None => self.oldest(),
        };
        if let (Some(e), Some(used)) = (self.ends.get_mut(slot), self.used.get_mut(slot)) {
            (*e, *used) = (end, self.clock);
        }
    }

    #[inline]
    fn oldest(&self) -> usize {
        let mut oldest = 0;
        let mut least = u64::MAX;
        for (slot, used) in self.used.iter().enumerate() {
            if *used < least {
                (oldest, least) = (slot, *used);
            }
        }
        oldest
    }

    /// The share that is sequential; `None` without I/O.
    pub fn ratio(&self) -> Option<f64> {
        (self.clock > 0).then(|| ratio(self.sequential, self.clock))
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
