//! What a level does better than compiled loops, by such loops.

use super::level::Vectors;

/// No vectors but those that the compiler finds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Plain;

impl Vectors for Plain {
    #[inline(always)]
    fn pick(self, flags: &[u8; 64], first: u8, to: &mut [u8; 64]) -> usize {
        let mut bits = 0_u64;
        for (eight, at) in flags.as_chunks().0.iter().zip((0..).step_by(8)) {
            // Each byte's lowest bit comes to a place of its own in the uppermost byte.
            let together = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits |= together << at;
        }
        let mut count = 0;
        while bits != 0 {
            // Below 64.
            #[allow(clippy::cast_possible_truncation)]
            let row = bits.trailing_zeros() as u8;
            to[count % 64] = first + row;
            count += 1;
            bits &= bits - 1;
        }
        count
    }

    #[inline(always)]
    fn same(self, all: &[u64; 16], wanted: u64) -> u64 {
        let mut same = 0;
        for (one, at) in all.iter().zip(0..) {
            same |= u64::from(*one == wanted) << at;
        }
        same
    }

    #[inline(always)]
    fn keep_above(self, all: &mut [u64], least: u64) -> usize {
        let mut kept = 0;
        for at in 0..all.len() {
            // Without a branch: which ones are above is anybody's guess.
            let one = all.get(at).copied().unwrap_or(0);
            if let Some(slot) = all.get_mut(kept) {
                *slot = one;
            }
            kept += usize::from(one > least);
        }
        kept
    }
}
