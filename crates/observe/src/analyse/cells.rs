//! Which cells of a grid a range of bytes touches.

/// A grid ready for counting.
#[derive(Copy, Clone, Debug)]
pub struct GridCells {
    size: u64,
    phase: u64,
    /// The size as a shift, where it is a power of two.
    shift: Option<u32>,
    /// Otherwise 2^64 divided by the size, rounded down: a division would cost as much as
    /// everything else.
    inverse: u64,
}

/// The cells of a range.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CellSpan {
    /// Number of the first cell; the one at the phase is 1.
    pub first: u64,
    /// Number of the last.
    pub last: u64,
    /// Whether the range begins within the first.
    pub head: bool,
    /// Whether it ends within the last.
    pub tail: bool,
}

impl GridCells {
    /// Boundaries at `phase`, `phase + size`, ….
    pub fn new(size: u64, phase: u64) -> Self {
        let size = size.max(1);
        Self {
            size,
            phase: phase % size,
            shift: size.is_power_of_two().then(|| size.trailing_zeros()),
            inverse: u64::MAX / size,
        }
    }

    /// Quotient and remainder by the size.
    #[inline]
    pub const fn split(&self, value: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (value >> shift, value & (self.size - 1)),
            None => self.divide(value),
        }
    }

    /// The same for a size that is no power of two: the quotient by the inverse is right or one less.
    #[inline]
    const fn divide(&self, value: u64) -> (u64, u64) {
        #[allow(clippy::cast_possible_truncation)] // the upper half
        let quotient = ((value as u128 * self.inverse as u128) >> 64) as u64;
        let rest = value - quotient * self.size;
        if rest < self.size {
            (quotient, rest)
        } else {
            (quotient + 1, rest - self.size)
        }
    }

    /// The cells of `[start, start + len)`, for a `len` that is not zero.
    #[inline]
    pub const fn span(&self, start: u64, len: u64) -> CellSpan {
        // One cell up, so that what lies before the first boundary has a cell too.
        let start = start.wrapping_sub(self.phase).wrapping_add(self.size);
        let (first, past) = self.split(start);
        // An I/O that ends past the last address ends there: no block is before the first.
        let (last, at) = self.split(start.saturating_add(len.saturating_sub(1)));
        CellSpan {
            first,
            last,
            head: past != 0,
            tail: at != self.size - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_size_divides(value in any::<u64>(), shift in 0..64_u32, size in 1..u64::MAX, less in 0..64_u32) {
            let (value, size) = (value >> shift, (size >> less).max(1));
            let cells = GridCells::new(size, 0);
            prop_assert_eq!(cells.split(value), (value / size, value % size));
        }
    }
}
