//! Numbers of a few bits each: the two packings that Parquet has for them (Encodings.md of the
//! parquet-format project: "RLE / bit-packing hybrid" and "delta encoding").

/// Values of one step: what a miniblock has by default.
const STEP: usize = 32;
/// Their bytes at most, and zeros after them, so that every number can be loaded with its 16 bytes.
const ROOM: usize = STEP * 8 + 16;

/// The numbers of one step.
type Step = [u64; STEP];

/// [`STEP`] numbers of `W` bits each, the lowest bits first. Written out, so that all places and shifts
/// are constants.
fn unpack<const W: usize>(packed: &[u8; ROOM], out: &mut Step) {
    macro_rules! all {
        ($($index:literal)*) => { *out = [$(number::<W>(packed, $index)),*] };
    }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

#[inline]
fn number<const W: usize>(packed: &[u8; ROOM], index: usize) -> u64 {
    let (byte, shift) = (index * W / 8, index * W % 8);
    let mask = match W {
        0 => 0,
        _ => u64::MAX >> (64 - W),
    };
    if W <= 56 {
        load::<8>(packed, byte).map_or(0, u64::from_le_bytes) >> shift & mask
    } else {
        let wide = load::<16>(packed, byte).map_or(0, u128::from_le_bytes) >> shift;
        #[allow(clippy::cast_possible_truncation)] // the mask is of 64 bits
        let low = wide as u64;
        low & mask
    }
}

#[inline]
fn load<const N: usize>(packed: &[u8; ROOM], at: usize) -> Option<[u8; N]> {
    packed.get(at..)?.first_chunk().copied()
}

type Unpacker = fn(&[u8; ROOM], &mut Step);

/// By the number of bits.
const UNPACKERS: [Unpacker; 65] = {
    macro_rules! all {
        ($($bits:literal)*) => { [$(unpack::<$bits>),*] };
    }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
};

/// Gives `count` numbers of `width` bits to `each`, [`STEP`] at a time at most; `None` where the bytes do
/// not hold so many.
#[inline]
fn steps(bytes: &[u8], width: u32, count: usize, mut each: impl FnMut(&[u64])) -> Option<()> {
    let unpack = UNPACKERS.get(width as usize)?;
    let mut room = [0; ROOM];
    let mut numbers = [0; STEP];
    let mut rest = bytes;
    let mut left = count;
    while left > 0 {
        let now = left.min(STEP);
        let (packed, after) = rest.split_at_checked((now * width as usize).div_ceil(8))?;
        room.get_mut(..packed.len())?.copy_from_slice(packed);
        unpack(&room, &mut numbers);
        each(numbers.get(..now)?);
        left -= now;
        rest = after;
    }
    Some(())
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

/// The number that all `count` are, where they are one run.
pub fn constant(bytes: &[u8], width: u32, count: usize) -> Option<u32> {
    let mut rest = bytes;
    let header = varint(&mut rest)?;
    let run = usize::try_from(header >> 1).ok()?;
    let one = header & 1 == 0 && run >= count && width <= 32;
    one.then(|| run_value(&mut rest, width))?
}

/// `count` numbers, runs of one number or packed.
pub fn hybrid(bytes: &[u8], width: u32, count: usize, out: &mut Vec<u32>) -> Option<()> {
    out.clear();
    if width > 32 {
        return None;
    }
    let mut rest = bytes;
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
        #[allow(clippy::cast_possible_truncation)] // 32 bits at most
        steps(packed, width, now, |values| {
            out.extend(values.iter().map(|value| *value as u32));
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
            steps(packed, width, now, |differences| {
                out.extend(differences.iter().map(|difference| {
                    // Sums wrap, as the format says.
                    let step = difference.cast_signed().wrapping_add(least);
                    last = last.wrapping_add(step);
                    last
                }));
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
        steps(&bytes, 64, 2, |v| out.extend_from_slice(v)).unwrap();
        assert_eq!(out, [value, u64::MAX]);
        let mut out = Vec::new();
        steps(&bytes, 60, 2, |v| out.extend_from_slice(v)).unwrap();
        assert_eq!(
            out,
            [value & (u64::MAX >> 4), (u64::MAX << 4) & (u64::MAX >> 4)]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_width_is_unpacked(numbers in proptest::collection::vec(proptest::prelude::any::<u64>(), 0..100), width in 0..=64_u32) {
            let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
            let mut bits = Vec::new();
            for number in &numbers {
                bits.extend((0..width).map(|bit| number >> bit & 1));
            }
            let byte = |bits: &[u64]| bits.iter().rev().fold(0_u8, |byte, bit| byte << 1 | u8::try_from(*bit).unwrap());
            let bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
            let mut out = Vec::new();
            steps(&bytes, width, numbers.len(), |some| out.extend_from_slice(some)).unwrap();
            let wanted: Vec<_> = numbers.iter().map(|number| number & mask).collect();
            proptest::prop_assert_eq!(out, wanted);
        }
    }
}
