//! Where I/Os start, in few kinds: what is counted of starts follows from how many are of each kind.

/// Kinds of starts: the multiples of 4096 by their power of two; the seven other whole sectors; what
/// lies within one of eight sectors, by its power of two.
pub const CLASSES: usize = WITHIN + 9 * 8;
const SECTORS: usize = 64;
const WITHIN: usize = 72;

/// The kind of a start. Without a branch, because which starts are multiples of what is anybody's guess.
#[inline(always)]
pub fn kind_of(start: u64) -> usize {
    let sector = (start >> 9) & 7;
    // The lowest bit alone: its place is the power of two.
    let lowest = start | 1 << 63;
    // Not by `ilog2`, which tests for zero.
    let power = u64::from(63 - (lowest & lowest.wrapping_neg()).leading_zeros());
    let within = WITHIN as u64 + power * 8 + sector;
    let whole = if power < 12 {
        SECTORS as u64 + sector
    } else {
        power
    };
    // Below 144: any width of `usize` holds it.
    #[allow(clippy::cast_possible_truncation)]
    {
        (if power < 9 { within } else { whole }) as usize
    }
}

/// Starts of one kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Starts {
    /// The power of two that they are multiples of.
    pub power: usize,
    /// In which of eight sectors they begin.
    pub sector: usize,
    /// How many.
    pub ios: u64,
}

impl Starts {
    /// One of them, which stands for all: where lengths are whole sectors, the others lie in the same
    /// cells of any power of two up to 4096, as far within a sector as they may be.
    pub const fn first(&self) -> u64 {
        let within = if self.power < 9 { 1 << self.power } else { 0 };
        self.sector as u64 * 512 + within
    }
}

/// How many start so.
pub const fn starts(kind: usize, ios: u32) -> Starts {
    let (power, sector) = match kind {
        ..SECTORS => (kind, 0),
        SECTORS..WITHIN => (
            9 + (kind - SECTORS).trailing_zeros() as usize,
            kind - SECTORS,
        ),
        _ => ((kind - WITHIN) / 8, (kind - WITHIN) % 8),
    };
    Starts {
        power,
        sector,
        ios: ios as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::power_of;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_start_is_told_by_its_kind(start in any::<u64>(), shift in 0..64_u32) {
            let start = start >> shift << shift;
            let told = starts(kind_of(start), 1);
            let sector = usize::try_from(start / 512 % 8).unwrap();
            prop_assert_eq!((told.power, told.sector), (power_of(start), sector));
        }
    }
}
