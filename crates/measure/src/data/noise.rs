//! Random bytes, fast: several xorshift generators side by side, which the compiler turns into vector
//! instructions. They need not be good numbers, only bytes that no compressor shortens.

use ioalign_core::Random;

const LANES: usize = 8;

/// Random bytes.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    lanes: [u64; LANES],
}

impl Noise {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self {
            // A state of zero would stay zero.
            lanes: [(); LANES].map(|()| random.next() | 1),
        }
    }

    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(LANES * 8) {
            self.step();
            for (place, lane) in part.chunks_mut(8).zip(self.lanes) {
                let word = lane.to_le_bytes();
                if let Some(word) = word.get(..place.len()) {
                    place.copy_from_slice(word);
                }
            }
        }
    }

    /// xorshift64 (Marsaglia, 13, 7, 17): never zero.
    #[inline]
    fn step(&mut self) {
        for lane in &mut self.lanes {
            *lane ^= *lane << 13;
            *lane ^= *lane >> 7;
            *lane ^= *lane << 17;
        }
    }
}
