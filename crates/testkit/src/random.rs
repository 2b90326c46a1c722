//! splitmix64: numbers that look random and are the same in every run, so that failures repeat.

/// The generator, by its state; the seed is the first.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `end`; 0 for 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.below_u64(end as u64)).unwrap()
    }

    /// The same for numbers that are no index.
    pub const fn below_u64(&mut self, end: u64) -> u64 {
        let next = self.next();
        if end == 0 { 0 } else { next % end }
    }

    /// `from` or more, below `end`.
    pub const fn within(&mut self, from: u64, end: u64) -> u64 {
        from + self.below_u64(end - from)
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 1234567 in the author's program (Vigna, `splitmix64.c`).
    #[test]
    fn it_is_splitmix64() {
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
