//! I/Os that cannot lie where they are said to: past the end of a device whose size the stack says, or before
//! its first byte. The trace is another device's then, or the shift is wrong.

use crate::record::Io;

/// Their counter.
pub struct Outside {
    bytes: Option<u64>,
    shift: i64,
    ios: u64,
}

impl Outside {
    /// A check for a device of this size; `None` if no I/O could be outside.
    pub fn new(bytes: Option<u64>, shift: i64) -> Option<Self> {
        let stated = bytes.is_some() || shift < 0;
        stated.then_some(Self {
            bytes,
            shift,
            ios: 0,
        })
    }

    /// Looks at an I/O that is not shifted yet.
    pub fn add(&mut self, io: &Io) {
        self.ios += u64::from(self.is_outside(io));
    }

    fn is_outside(&self, io: &Io) -> bool {
        let start = i128::from(io.offset) + i128::from(self.shift);
        let end = start + i128::from(io.len);
        let past = self.bytes.is_some_and(|bytes| end > i128::from(bytes));
        io.op.has_place() && (past || start < 0)
    }

    /// How many there were.
    pub const fn ios(&self) -> u64 {
        self.ios
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Op;

    fn outside(bytes: Option<u64>, shift: i64) -> Option<u64> {
        let one = |(op, offset)| Io {
            op,
            offset,
            len: 4096,
            ..Io::default()
        };
        let places = [0, 4096, 4608, 8192, u64::MAX].map(|offset| (Op::Write, offset));
        let ios = [&places[..], &[(Op::Flush, u64::MAX)]].concat();
        let ios: Vec<_> = ios.into_iter().map(one).collect();
        let mut counted = Outside::new(bytes, shift)?;
        ios.iter().for_each(|io| counted.add(io));
        Some(counted.ios())
    }

    #[test]
    fn what_is_past_the_end_or_before_the_beginning() {
        assert_eq!(outside(None, 0), None);
        assert_eq!(outside(Some(8192), 0), Some(3));
        assert_eq!(outside(Some(8192), 512), Some(4));
        assert_eq!(outside(Some(8192), -512), Some(3));
        assert_eq!(outside(None, -4097), Some(2));
    }
}
