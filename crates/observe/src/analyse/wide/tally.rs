//! How many rows have each class, where there are few classes: by a comparison of all rows with each.

use crate::analyse::device::TOGETHER;

/// How many are `wanted`.
#[inline(always)]
pub fn equal(all: &[u8; TOGETHER], wanted: u8) -> u64 {
    let mut count = 0;
    // Halves, so that eight bits hold the count of each.
    for half in all.chunks_exact(TOGETHER / 2) {
        let mut found = 0_u8;
        for one in half {
            found += u8::from(*one == wanted);
        }
        count += u64::from(found);
    }
    count
}

/// For each class below 64 of `group`, which is in the upper two bits, how many are of it.
#[inline(always)]
pub fn tally(all: &[u8; TOGETHER], group: u8, mut each: impl FnMut(usize, u64)) {
    let mut present = 0_u64;
    for one in all {
        let bit = 1 << (one & 63);
        present |= if one >> 6 == group { bit } else { 0 };
    }
    while present != 0 {
        // Below 64.
        #[allow(clippy::cast_possible_truncation)]
        let class = present.trailing_zeros() as u8;
        each(usize::from(class), equal(all, group << 6 | class));
        present &= present - 1;
    }
}
