//! Which cells of a grid a range of bytes touches.

/// A grid ready for counting.
#[derive(Copy, Clone, Debug)]
pub struct Cells {
    size: u64,
    phase: u64,
    /// The size as a shift, where it is a power of two: a division costs as much as all the rest.
    shift: Option<u32>,
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

impl Cells {
    /// Boundaries at `phase`, `phase + size`, ….
    pub fn new(size: u64, phase: u64) -> Self {
        let size = size.max(1);
        Self {
            size,
            phase: phase % size,
            shift: size.is_power_of_two().then(|| size.trailing_zeros()),
        }
    }

    /// Quotient and remainder by the size.
    #[inline]
    pub const fn split(&self, value: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (value >> shift, value & (self.size - 1)),
            None => (value / self.size, value % self.size),
        }
    }

    /// The cells of `[start, start + len)`, for a `len` that is not zero.
    #[inline]
    pub const fn span(&self, start: u64, len: u64) -> CellSpan {
        // One cell up, so that what lies before the first boundary has a cell too.
        let start = start.wrapping_sub(self.phase).wrapping_add(self.size);
        let (first, past) = self.split(start);
        let (last, at) = self.split(start.wrapping_add(len.saturating_sub(1)));
        CellSpan {
            first,
            last,
            head: past != 0,
            tail: at != self.size - 1,
        }
    }
}
