//! Numbers of a few bits each: the two packings that Parquet has for them (Encodings.md of the
//! parquet-format project: "RLE / bit-packing hybrid" and "delta encoding").

/// Zeros after the packed bytes, so that every number can be loaded with its 16 bytes.
const PAD: usize = 16;
/// Values of one step of [`Unpack`]: what a miniblock has by default.
const STEP: usize = 32;

/// `count` numbers of `width` bits each, the lowest bits first.
struct Unpack {
    room: [u8; STEP * 8 + PAD],
}

impl Unpack {
    const fn new() -> Self {
        Self {
            room: [0; STEP * 8 + PAD],
        }
    }

    /// Gives the numbers to `each`; `None` where the bytes do not hold so many.
    #[inline]
    fn all(
        &mut self,
        bytes: &[u8],
        width: u32,
        count: usize,
        mut each: impl FnMut(u64),
    ) -> Option<()> {
        let mut left = count;
        let mut rest = bytes;
        while left > 0 {
            let now = left.min(STEP);
            let needed = (now * width as usize).div_ceil(8);
            let (packed, after) = rest.split_at_checked(needed)?;
            self.step(packed, width, now, &mut each);
            left -= now;
            rest = after;
        }
        Some(())
    }

    #[inline]
    fn step(&mut self, packed: &[u8], width: u32, count: usize, each: &mut impl FnMut(u64)) {
        let len = packed.len().min(STEP * 8);
        if let (Some(room), Some(packed)) = (self.room.get_mut(..len), packed.get(..len)) {
            room.copy_from_slice(packed);
        }
        if width <= 56 {
            let mask = (1_u64 << width) - 1;
            for index in 0..count {
                let bit = index * width as usize;
                let word = self.word::<8>(bit / 8).map_or(0, u64::from_le_bytes);
                each((word >> (bit % 8)) & mask);
            }
        } else {
            let mask = u64::MAX >> (64 - width.min(64));
            for index in 0..count {
                let bit = index * width as usize;
                let word = self.word::<16>(bit / 8).map_or(0, u128::from_le_bytes);
                #[allow(clippy::cast_possible_truncation)] // the mask is of 64 bits
                each((word >> (bit % 8)) as u64 & mask);
            }
        }
    }

    #[inline]
    fn word<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.room.get(at..)?.first_chunk().copied()
    }
}

/// A number of seven bits a byte; the highest bit says that there is more.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[allow(clippy::cast_possible_wrap)] // the sign is in the lowest bit
fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let value = varint(bytes)?;
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

/// `count` numbers, runs of one number or packed.
pub fn hybrid(bytes: &[u8], width: u32, count: usize, out: &mut Vec<u32>) -> Option<()> {
    out.clear();
    if width > 32 {
        return None;
    }
    let mut rest = bytes;
    let mut unpack = Unpack::new();
    while out.len() < count {
        let header = varint(&mut rest)?;
        let left = count - out.len();
        if header & 1 == 0 {
            let run = usize::try_from(header >> 1).ok()?.min(left);
            let value = run_value(&mut rest, width)?;
            out.resize(out.len() + run, value);
            if run == 0 {
                return None;
            }
            continue;
        }
        let groups = usize::try_from(header >> 1).ok()?;
        let all = groups.checked_mul(width as usize)?;
        // Writers may cut the last group where its values end.
        let (packed, after) = rest.split_at(all.min(rest.len()));
        let now = left.min(groups.checked_mul(8)?);
        if now == 0 {
            return None;
        }
        unpack.all(packed, width, now, |value| {
            out.push(u32::try_from(value).unwrap_or(u32::MAX));
        })?;
        rest = after;
    }
    Some(())
}

fn run_value(rest: &mut &[u8], width: u32) -> Option<u32> {
    let (bytes, after) = rest.split_at_checked(width.div_ceil(8) as usize)?;
    *rest = after;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u32::from(*byte)),
    )
}

/// Differences of one number to the next: at most `most` numbers, appended.
pub fn delta(bytes: &[u8], most: usize, out: &mut Vec<i64>) -> Option<()> {
    let mut rest = bytes;
    let block = usize::try_from(varint(&mut rest)?).ok()?;
    let minis = usize::try_from(varint(&mut rest)?).ok()?;
    let count = usize::try_from(varint(&mut rest)?).ok()?;
    let mut last = zigzag(&mut rest)?;
    if count == 0 {
        return Some(());
    }
    let mini = block.checked_div(minis)?;
    if mini == 0 || mini % 8 != 0 || count > most {
        return None;
    }
    out.push(last);
    let mut left = count - 1;
    let mut unpack = Unpack::new();
    while left > 0 {
        let least = zigzag(&mut rest)?;
        let (widths, after) = rest.split_at_checked(minis)?;
        rest = after;
        for width in widths {
            if left == 0 {
                break;
            }
            let width = u32::from(*width);
            if width > 64 {
                return None;
            }
            let now = left.min(mini);
            let all = mini.checked_mul(width as usize)? / 8;
            let (packed, after) = rest.split_at(all.min(rest.len()));
            unpack.all(packed, width, now, |difference| {
                #[allow(clippy::cast_possible_wrap)] // sums wrap, as the format says
                let difference = difference as i64;
                last = last.wrapping_add(least).wrapping_add(difference);
                out.push(last);
            })?;
            rest = after;
            left -= now;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_format() {
        // 0 to 7 of three bits: 88 C6 FA, as Encodings.md has it.
        let mut out = Vec::new();
        hybrid(&[3, 0x88, 0xc6, 0xfa], 3, 8, &mut out).unwrap();
        assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 7]);
        hybrid(&[20, 5], 3, 10, &mut out).unwrap();
        assert_eq!(out, [5; 10]);
        assert!(hybrid(&[20], 3, 10, &mut out).is_none());
        assert!(hybrid(&[0, 0, 0], 3, 10, &mut out).is_none());
    }

    #[test]
    fn differences() {
        // 1 to 5: blocks of 128 in 4, the first 1, all differences 1.
        let mut out = Vec::new();
        delta(&[0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0], 100, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 4, 5]);
        assert!(delta(&[0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0], 4, &mut out).is_none());
        assert!(delta(&[0x80, 1, 0, 5, 2], 100, &mut out).is_none());
    }

    #[test]
    fn wide_numbers() {
        let value = 0x0123_4567_89ab_cdef_u64;
        let mut bytes = value.to_le_bytes().to_vec();
        bytes.extend(u64::MAX.to_le_bytes());
        let mut out = Vec::new();
        Unpack::new().all(&bytes, 64, 2, |v| out.push(v)).unwrap();
        assert_eq!(out, [value, u64::MAX]);
        let mut out = Vec::new();
        Unpack::new().all(&bytes, 60, 2, |v| out.push(v)).unwrap();
        assert_eq!(
            out,
            [value & (u64::MAX >> 4), (u64::MAX << 4) & (u64::MAX >> 4)]
        );
    }
}
