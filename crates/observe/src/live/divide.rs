//! Division by a grid that is no power of two, as the program does it: one multiplication.

/// The form of a size in `struct grid`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Divisor {
    /// 2^`by` by the odd part of the size, rounded up; 0 where that is larger than what it divides.
    pub factor: u64,
    /// The size's power of two.
    pub down: u16,
    pub by: u16,
}

/// Bits of what is divided by the odd part; the program takes the slow way with more (`EXACT`).
const EXACT: u16 = 31;

fn zeros(number: u64) -> u16 {
    u16::try_from(number.trailing_zeros()).unwrap_or(0)
}

impl Divisor {
    /// A factor of 31 bits more than the odd part has is exact for every number of 31 bits (Granlund
    /// and Montgomery), and the product fits into 64.
    pub fn of(size: u64) -> Self {
        let down = zeros(size) & 63;
        let odd = (size >> down).max(1);
        if odd >> EXACT > 0 {
            return Self {
                factor: 0,
                down,
                by: 0,
            };
        }
        let by = EXACT + zeros(odd.next_power_of_two());
        Self {
            factor: (1_u64 << by).div_ceil(odd),
            down,
            by,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As `past_boundary` of `bpf/grids.h`.
    fn past(size: u64, start: u64) -> u64 {
        let divisor = Divisor::of(size);
        let blocks = start >> divisor.down;
        if blocks >> EXACT > 0 {
            return start % size;
        }
        start - ((blocks * divisor.factor) >> divisor.by) * size
    }

    proptest! {
        #[test]
        fn it_divides_as_division_does(
            odd in 0_u64..1 << 33,
            down in 0_u32..20,
            start in any::<u64>(),
            bits in 0_u32..64,
        ) {
            let size = (odd | 1) << down;
            let start = start >> bits;
            prop_assert_eq!(past(size, start), start % size);
        }

        #[test]
        fn at_the_edges_of_multiples_too(odd in 1_u64..1 << 16, times in 0_u64..1 << 31) {
            let size = (odd | 1) << 9;
            let edge = (times % ((1 << EXACT) / (odd | 1))) * size;
            for start in [edge, edge + size - 1, edge.saturating_sub(1)] {
                prop_assert_eq!(past(size, start), start % size);
            }
        }
    }
}
