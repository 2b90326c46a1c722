//! Random numbers that are the same everywhere: xoshiro256** (Blackman and Vigna), seeded by splitmix64,
//! and distributions made of whole numbers alone.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let mut at = seed;
        let state = [(); 4].map(|()| split_mix(&mut at));
        Self { state }
    }

    /// 64 random bits.
    #[inline]
    pub const fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let out = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        out
    }

    /// A number below `end`; 0 where `end` is 0. The bias is below 2^-32 for any `end` below 2^32.
    #[inline]
    pub fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(end);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// An index into something of `len`.
    #[inline]
    pub fn below_u32(&mut self, len: usize) -> u32 {
        u32::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// Exponentially distributed with about this mean: the leading zeros of random bits are the whole
    /// part of a logarithm, the bits after them its fraction, taken for a straight line.
    #[inline]
    pub fn exponential(&mut self, mean: u64) -> u64 {
        let bits = self.next() | 1;
        let zeros = bits.leading_zeros();
        let fraction = ((bits << zeros) << 1) >> 48;
        // In 1/65536 of a power of two: the mean of zeros + (1 - fraction) is 1.5.
        let powers = (u64::from(zeros) << 16) + (65536 - fraction);
        let scaled = u128::from(mean) * u128::from(powers) * 2 / (3 << 16);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

/// The next number of splitmix64 (Steele, Lea and Flood): the stream of a seed of 64 bits, with no other state.
#[inline]
pub const fn split_mix(at: &mut u64) -> u64 {
    *at = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *at;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_generator() {
        // The reference implementation from the state 1, 2, 3, 4.
        let mut random = Random {
            state: [1, 2, 3, 4],
        };
        let all: Vec<_> = (0..5).map(|_| random.next()).collect();
        assert_eq!(
            all,
            [
                11520,
                0,
                1_509_978_240,
                1_215_971_899_390_074_240,
                1_216_172_134_540_287_360
            ]
        );
    }

    #[test]
    fn means_are_as_asked() {
        let mut random = Random::new(1);
        let sum: u64 = (0..100_000).map(|_| random.exponential(1000)).sum();
        assert!((98_000_000..102_000_000).contains(&sum), "{sum}");
        let sum: u64 = (0..100_000).map(|_| random.below(100)).sum();
        assert!((4_900_000..5_000_000).contains(&sum), "{sum}");
        assert_eq!(random.below(0), 0);
    }
}
