//! Damage of an image: where its reader looks.

use ioalign_testkit::Random;

use super::field;
use super::mutant::Mutant;
use crate::seeds::Seed;

/// Reads up to this length look for a magic number; breaking it mostly says "not mine".
const MAGIC: u64 = 16;
/// One run in this many is cut short.
const CUTS: u64 = 16;
/// Reads at most this long are chosen byte by byte; of longer ones the front is favoured.
const FRONT: u64 = 512;

/// The seed with one to six damaged fields, some of them cut short. `reads`: offset and length.
pub fn damaged(seed: &Seed, reads: &[(u64, u64)], random: &mut Random) -> Mutant {
    let len = length(seed, reads, random);
    let count = 1 + random.below(6);
    let patches = (0..count).filter_map(|_| patch(seed, len, reads, random));
    Mutant::damaged(seed, len, patches.collect())
}

fn length(seed: &Seed, reads: &[(u64, u64)], random: &mut Random) -> u64 {
    if random.below_u64(CUTS) != 0 {
        return seed.len;
    }
    if reads.is_empty() || random.below(4) == 0 {
        return random.below_u64(seed.len + 1);
    }
    let (start, len) = *random.pick(reads);
    match random.below(3) {
        0 => start,
        1 => start + random.below_u64(len + 1),
        _ => (start + len).saturating_sub(1),
    }
}

fn patch(
    seed: &Seed,
    len: u64,
    reads: &[(u64, u64)],
    random: &mut Random,
) -> Option<(u64, Vec<u8>)> {
    let at = place(len, reads, random);
    let widths: &[u64] = match random.below(12) {
        0 => &[16, 64],
        _ => &[1, 1, 2, 4, 4, 8, 8],
    };
    let width = *random.pick(widths);
    // Fields are aligned to their size more often than not.
    let at = if random.below(4) == 0 {
        at
    } else {
        at / width * width
    };
    let mut bytes = vec![0; usize::try_from(width.min(len.saturating_sub(at))).ok()?];
    seed.copy(at, &mut bytes);
    field(&mut bytes, random);
    (!bytes.is_empty()).then_some((at, bytes))
}

fn place(len: u64, reads: &[(u64, u64)], random: &mut Random) -> u64 {
    if reads.is_empty() || random.below(16) == 0 {
        return random.below_u64(len);
    }
    let mut read = *random.pick(reads);
    for _ in 0..8 {
        if read.1 > MAGIC {
            break;
        }
        read = *random.pick(reads);
    }
    let reach = if random.below(2) == 0 { FRONT } else { read.1 };
    read.0 + random.below_u64(reach.min(read.1))
}
