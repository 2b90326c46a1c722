//! Something that happens in a given share of cases, at the price of a comparison.

use ioalign_core::Random;

/// A share as a bound for 63 random bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chance(u64);

/// Always.
const ALL: u64 = 1 << 63;

impl Chance {
    /// From 0, never, to 1, always.
    pub(crate) fn of(ratio: f64) -> Self {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 2^63
        let bound = (ratio.clamp(0.0, 1.0) * 9_223_372_036_854_775_808.0) as u64;
        Self(bound)
    }

    /// Draws whether it happens this time. A certain event takes no random number.
    #[inline]
    pub(crate) const fn hits(self, random: &mut Random) -> bool {
        match self.0 {
            0 => false,
            ALL => true,
            bound => random.next() >> 1 < bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_happens_as_often_as_was_said() {
        for (ratio, least, most) in [(0.0, 0, 0), (0.3, 29_000, 31_000), (1.0, 100_000, 100_000)] {
            let (chance, mut random) = (Chance::of(ratio), Random::new(1));
            let hits = (0..100_000).filter(|_| chance.hits(&mut random)).count();
            assert!((least..=most).contains(&hits), "{ratio}: {hits}");
        }
    }
}
