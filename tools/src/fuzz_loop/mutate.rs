//! Damage: where a reader looks, in the ways that break readers.

use super::mutant::{Mutant, copy_pages};
use super::random::FuzzRandom;
use super::seed::Seed;

/// Values at which arithmetic breaks.
const EDGES: [u64; 20] = [
    0,
    1,
    2,
    3,
    7,
    8,
    63,
    127,
    128,
    255,
    256,
    511,
    512,
    4095,
    4096,
    65535,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
];
/// Reads up to this length look for a magic number; breaking it mostly says "not mine".
const MAGIC: u64 = 16;
/// One run in this many is cut short.
const CUTS: u64 = 16;
/// Reads at most this long are chosen byte by byte; of longer ones the front is favoured.
const FRONT: u64 = 512;

/// The damaged seed of a run.
pub fn mutant(seed: &Seed, reads: &[(u64, u64)], random: &mut FuzzRandom) -> Mutant {
    let len = length(seed, reads, random);
    let count = 1 + random.below(6);
    let patches = (0..count).filter_map(|_| patch(seed, len, reads, random));
    Mutant::damaged(seed, len, patches.collect())
}

fn length(seed: &Seed, reads: &[(u64, u64)], random: &mut FuzzRandom) -> u64 {
    if random.below(CUTS) != 0 {
        return seed.len;
    }
    match (random.below(4), random.pick(reads)) {
        (0, _) | (_, None) => random.below(seed.len + 1),
        (1, Some((start, _))) => *start,
        (2, Some((start, len))) => start + random.below(len + 1),
        (_, Some((start, len))) => (start + len).saturating_sub(1),
    }
}

fn patch(
    seed: &Seed,
    len: u64,
    reads: &[(u64, u64)],
    random: &mut FuzzRandom,
) -> Option<(u64, Vec<u8>)> {
    let at = place(len, reads, random);
    let widths: &[u64] = match random.below(12) {
        0 => &[16, 64],
        _ => &[1, 1, 2, 4, 4, 8, 8],
    };
    let width = *random.pick(widths)?;
    // Fields are aligned to their size more often than not.
    let at = if random.below(4) == 0 {
        at
    } else {
        at / width * width
    };
    let mut bytes = vec![0; usize::try_from(width.min(len.saturating_sub(at))).ok()?];
    copy_pages(&seed.pages, at, &mut bytes);
    damage(&mut bytes, random);
    (!bytes.is_empty()).then_some((at, bytes))
}

fn place(len: u64, reads: &[(u64, u64)], random: &mut FuzzRandom) -> u64 {
    let (mut read, mut tries) = (random.pick(reads), 0);
    while tries < 8 && matches!(read, Some((_, size)) if *size <= MAGIC) {
        read = random.pick(reads);
        tries += 1;
    }
    match read {
        Some((start, size)) if random.below(16) != 0 => {
            let reach = if random.below(2) == 0 { FRONT } else { *size };
            start + random.below(reach.min(*size))
        }
        _ => random.below(len),
    }
}

fn damage(bytes: &mut [u8], random: &mut FuzzRandom) {
    let old = number(bytes);
    match random.below(8) {
        0 | 1 => flip(bytes, random),
        2 => store(bytes, random.next(), random),
        3 => bytes.fill(u8::MAX),
        4 => digits(bytes, random),
        5 => store(
            bytes,
            old.wrapping_add(random.below(9)).wrapping_sub(4),
            random,
        ),
        6 => store(
            bytes,
            old.rotate_left(u32::try_from(random.below(64)).unwrap_or(1)),
            random,
        ),
        _ => {
            let edge = random.pick(&EDGES).copied().unwrap_or_default();
            let edge = if random.below(4) == 0 {
                edge.wrapping_neg()
            } else {
                edge
            };
            store(bytes, edge, random);
        }
    }
}

fn flip(bytes: &mut [u8], random: &mut FuzzRandom) {
    let bit = 1 << random.below(8);
    let index = usize::try_from(random.below(bytes.len() as u64)).unwrap_or_default();
    if let Some(byte) = bytes.get_mut(index) {
        *byte ^= bit;
    }
}

/// Text formats (LVM metadata, VMDK descriptors, LUKS2 JSON) break at their numbers.
fn digits(bytes: &mut [u8], random: &mut FuzzRandom) {
    for byte in bytes {
        if byte.is_ascii_digit() {
            *byte = *random.pick(b"00123456789999-. \"{[").unwrap_or(&b'9');
        } else if random.below(4) == 0 {
            *byte = *random.pick(b"\0\n\"{}[]=:,/\\ \xff").unwrap_or(&0);
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    let low = bytes.iter().take(8).rev();
    low.fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Little- or big-endian, over as many bytes as there are.
fn store(bytes: &mut [u8], value: u64, random: &mut FuzzRandom) {
    let value = value.to_le_bytes();
    let width = bytes.len().min(value.len());
    let part = value.get(..width).unwrap_or_default();
    if let Some(into) = bytes.get_mut(..width) {
        into.copy_from_slice(part);
        if random.below(2) == 0 {
            into.reverse();
        }
    }
}
