//! Damage of one field: a number, some digits, or any bytes.

use ioalign_testkit::Random;

/// Damages a field.
pub fn field(bytes: &mut [u8], random: &mut Random) {
    let old = number(bytes);
    let new = match random.below(9) {
        0 | 1 => return flip(bytes, random),
        2 => return bytes.fill(u8::MAX),
        3 => return digits(bytes, random),
        4 => old.wrapping_add(random.below_u64(9)).wrapping_sub(4),
        5 => old.rotate_left(u32::try_from(random.below(64)).unwrap()),
        6 => random.next() >> random.below(64),
        _ => edge(random),
    };
    store(bytes, new, random);
}

/// Values at which arithmetic breaks: 0, powers of two, those next to them, and all of them negative.
fn edge(random: &mut Random) -> u64 {
    let power = 1_u64 << random.below(64);
    let edge = match random.below(8) {
        0 => 0,
        1..=3 => power,
        4..=6 => power - 1,
        _ => power + 1,
    };
    match random.below(4) {
        0 => edge.wrapping_neg(),
        _ => edge,
    }
}

/// Flips one bit.
pub fn flip(bytes: &mut [u8], random: &mut Random) {
    let (at, bit) = (random.below(bytes.len()), 1 << random.below(8));
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= bit;
    }
}

/// Text formats (LVM metadata, VMDK descriptors, LUKS2 JSON) break at their numbers.
fn digits(bytes: &mut [u8], random: &mut Random) {
    for byte in bytes {
        if byte.is_ascii_digit() {
            *byte = *random.pick(b"00123456789999-. \"{[");
        } else if random.below(4) == 0 {
            *byte = *random.pick(b"\0\n\"{}[]=:,/\\ \xff");
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    let low = bytes.iter().take(8).rev();
    low.fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Little- or big-endian, over as many bytes as there are.
fn store(bytes: &mut [u8], value: u64, random: &mut Random) {
    let width = bytes.len().min(8);
    let into = &mut bytes[..width];
    into.copy_from_slice(&value.to_le_bytes()[..width]);
    if random.below(2) == 0 {
        into.reverse();
    }
}
