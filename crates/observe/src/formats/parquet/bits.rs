//! The two packings that Parquet has for numbers of a few bits each (Encodings.md of the
//! parquet-format project: "RLE / bit-packing hybrid" and "delta encoding").

use super::unpack::{Kernel, ROOM, STEP, Sums};

/// Packed numbers that are being read.
struct Reader<'a> {
    rest: &'a [u8],
    /// For the last ones: a step is read with bytes after it, which they have not.
    room: [u8; ROOM],
}

impl<'a> Reader<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            room: [0; ROOM],
        }
    }

    /// A number of seven bits a byte; the highest bit says that there is more.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    /// One whose sign is in the lowest bit, as the 64 bits that it is.
    fn zigzag(&mut self) -> Option<u64> {
        let value = self.varint()?;
        Some(value >> 1 ^ (value & 1).wrapping_neg())
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    /// The value of a run: whole bytes.
    fn run_value(&mut self, width: u32) -> Option<u32> {
        let bytes = self.bytes(width.div_ceil(8) as usize)?;
        let above = |value, byte: &u8| value << 8 | u32::from(*byte);
        Some(bytes.iter().rev().fold(0, above))
    }

    /// The next `bytes`, with what is after them.
    #[inline]
    fn step(&mut self, bytes: usize) -> Option<&[u8; ROOM]> {
        let here = self.rest;
        let (packed, after) = here.split_at_checked(bytes)?;
        self.rest = after;
        if let Some(all) = here.first_chunk() {
            return Some(all);
        }
        self.room.get_mut(..bytes)?.copy_from_slice(packed);
        Some(&self.room)
    }

    /// `count` numbers of `width` bits, [`STEP`] at a time at most: `each` makes numbers of the bytes. They have
    /// `all` bytes; writers may leave out those that are not needed at the end.
    #[inline]
    fn steps(
        &mut self,
        (count, width, all): (usize, u32, usize),
        mut each: impl FnMut(&[u8; ROOM], usize) -> Option<()>,
    ) -> Option<()> {
        let after = self.rest.get(all..).unwrap_or_default();
        let mut left = count;
        while left > 0 {
            let now = left.min(STEP);
            each(self.step((now * width as usize).div_ceil(8))?, now)?;
            left -= now;
        }
        self.rest = after;
        Some(())
    }
}

/// The number that all `count` are, where they are one run.
pub fn constant(bytes: &[u8], width: u32, count: usize) -> Option<u32> {
    let mut reader = Reader::new(bytes);
    let header = reader.varint()?;
    let run = usize::try_from(header >> 1).ok()?;
    let one = header & 1 == 0 && run >= count && width <= 32;
    one.then(|| reader.run_value(width))?
}

/// Some of the numbers of a page.
pub enum Run<'a> {
    /// One, so many times.
    Same(u32, usize),
    /// Each of them.
    Each(&'a [u32]),
}

/// `count` numbers, runs of one number or packed; `None` where they are damaged, or where `each` wants no
/// more.
#[inline]
pub fn hybrid(
    bytes: &[u8],
    width: u32,
    count: usize,
    mut each: impl FnMut(Run<'_>) -> Option<()>,
) -> Option<()> {
    if width > 32 {
        return None;
    }
    let unpack = Kernel::best().numbers;
    let mut reader = Reader::new(bytes);
    let mut numbers = [0; STEP];
    let mut left = count;
    while left > 0 {
        let header = reader.varint()?;
        let groups = usize::try_from(header >> 1).ok()?;
        let now = if header & 1 == 0 {
            let run = groups.min(left);
            each(Run::Same(reader.run_value(width)?, run))?;
            run
        } else {
            let all = groups.checked_mul(width as usize)?;
            let now = left.min(groups.checked_mul(8)?);
            reader.steps((now, width, all), |packed, count| {
                unpack(width, packed, &mut numbers);
                each(Run::Each(numbers.get(..count)?))
            })?;
            now
        };
        // A run of nothing would go on for ever.
        left -= Some(now).filter(|now| *now > 0)?;
    }
    Some(())
}

/// Differences of one number to the next: the numbers, at most `most`, appended.
pub fn delta(bytes: &[u8], most: usize, out: &mut Vec<u64>) -> Option<()> {
    let unpack = Kernel::best().sums;
    let mut reader = Reader::new(bytes);
    let block = reader.size()?;
    let minis = reader.size()?;
    let count = reader.size()?;
    let mut last = reader.zigzag()?;
    let mini = block.checked_div(minis).unwrap_or(0);
    if count > most || count > 0 && (mini == 0 || mini % 8 != 0) {
        return None;
    }
    let before = out.len();
    out.resize(before + count, 0);
    if let Some(first) = out.get_mut(before) {
        *first = last;
    }
    let mut slots = out.get_mut(before + 1..).unwrap_or_default();
    while !slots.is_empty() {
        let least = reader.zigzag()?;
        for width in reader.bytes(minis)? {
            // Widths without numbers may be anything.
            if slots.is_empty() {
                break;
            }
            let width = u32::from(*width);
            if width > 64 {
                return None;
            }
            let all = mini.checked_mul(width as usize)? / 8;
            let (mut here, after) = slots.split_at_mut(mini.min(slots.len()));
            slots = after;
            reader.steps((here.len(), width, all), |packed, count| {
                let from = Sums { last, least };
                let (now, later) = std::mem::take(&mut here).split_at_mut_checked(count)?;
                here = later;
                if let Some(now) = now.first_chunk_mut() {
                    unpack(width, packed, from, now);
                } else {
                    let mut sums = [0; STEP];
                    unpack(width, packed, from, &mut sums);
                    now.copy_from_slice(sums.get(..count)?);
                }
                last = *now.last()?;
                Some(())
            })?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
        let mut out = Vec::new();
        hybrid(bytes, width, count, |run| {
            match run {
                Run::Same(value, times) => out.resize(out.len() + times, value),
                Run::Each(values) => out.extend_from_slice(values),
            }
            Some(())
        })?;
        Some(out)
    }

    fn sums(bytes: &[u8], most: usize) -> Option<Vec<u64>> {
        let mut out = Vec::new();
        delta(bytes, most, &mut out)?;
        Some(out)
    }

    #[test]
    fn the_examples_of_the_format() {
        // 0 to 7 of three bits: 88 C6 FA, as Encodings.md has it.
        let packed = numbers(&[3, 0x88, 0xc6, 0xfa], 3, 8);
        assert_eq!(packed.unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(numbers(&[20, 5], 3, 10).unwrap(), [5; 10]);
        assert_eq!(constant(&[20, 5], 3, 10), Some(5));
        assert!(numbers(&[20], 3, 10).is_none());
        assert!(numbers(&[0, 0, 0], 3, 10).is_none());
        assert!(numbers(&[1, 0, 0], 3, 10).is_none());
        assert!(numbers(&[3, 0x88, 0xc6], 3, 8).is_none());
    }

    #[test]
    fn runs_and_packed_ones_follow_each_other() {
        let bytes = [3, 0x88, 0xc6, 0xfa, 6, 2, 3, 0x88, 0xc6, 0xfa];
        let wanted = [0, 1, 2, 3, 4, 5, 6, 7, 2, 2, 2, 0, 1, 2, 3, 4];
        assert_eq!(numbers(&bytes, 3, 16).unwrap(), wanted);
    }

    #[test]
    fn differences() {
        // 1 to 5: blocks of 128 in 4, the first 1, all differences 1.
        let bytes = [0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0];
        assert_eq!(sums(&bytes, 100).unwrap(), [1, 2, 3, 4, 5]);
        assert!(sums(&bytes, 4).is_none());
        assert!(sums(&[0x80, 1, 0, 5, 2], 100).is_none());
    }

    proptest::proptest! {
        #[test]
        fn packed_numbers_of_any_width(all: Vec<u32>, width in 0..=32_u32) {
            let mask = if width == 0 { 0 } else { u32::MAX >> (32 - width) };
            let bits = all.iter().flat_map(|number| (0..width).map(move |bit| number >> bit & 1));
            let bits: Vec<_> = bits.collect();
            let byte = |bits: &[u32]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | *bit);
            let mut bytes = vec![u8::try_from(all.len().div_ceil(8) << 1 | 1).unwrap() & 0x7f];
            proptest::prop_assume!(all.len() <= 500);
            bytes.extend(bits.chunks(8).map(|bits| u8::try_from(byte(bits)).unwrap()));
            let wanted: Vec<_> = all.iter().map(|number| number & mask).collect();
            proptest::prop_assert_eq!(numbers(&bytes, width, all.len()), Some(wanted));
        }
    }
}
