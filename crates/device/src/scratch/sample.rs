//! A sum over places of a scratch file: what other programs have written there does not have it, whatever time the file
//! says that it was changed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use ioalign_core::Random;

/// Files up to this length are summed whole.
const WHOLE: u64 = 16 << 20;
/// Of others, the beginning, where file systems and archives have their signatures, and the end.
const HEAD: u64 = 128 << 10;
const TAIL: u64 = 64 << 10;
/// And a block in each stretch of this length, within these numbers of blocks: disks take milliseconds for each.
const STRETCH: u64 = 8 << 20;
const FEWEST: u64 = 16;
const MOST: u64 = 256;
const BLOCK: u64 = 4096;
/// Nothing is read in longer pieces.
const PIECE: u64 = 64 << 10;

/// The sum of the first `length` bytes. `seed` chooses the blocks.
pub(super) fn sum(file: &File, length: u64, seed: u64) -> io::Result<u32> {
    let mut sum = crc32fast::Hasher::new();
    let mut bytes = vec![0; usize::try_from(PIECE).unwrap_or(0)];
    for (start, end) in places(length, seed) {
        let mut at = start;
        while at < end {
            let part = usize::try_from(PIECE.min(end - at)).unwrap_or(0);
            let part = bytes.get_mut(..part).unwrap_or_default();
            file.read_exact_at(part, at)?;
            sum.update(part);
            at += part.len() as u64;
        }
    }
    Ok(sum.finalize())
}

/// Starts and ends, in order.
fn places(length: u64, seed: u64) -> Vec<(u64, u64)> {
    if length <= WHOLE {
        return vec![(0, length)];
    }
    let mut places = vec![(0, HEAD)];
    let count = (length / STRETCH).clamp(FEWEST, MOST);
    let stretch = length / count;
    let mut random = Random::new(seed);
    for index in 0..count {
        let skip = random.next() % (stretch - BLOCK);
        let start = index * stretch + skip;
        places.push((start, start + BLOCK));
    }
    places.push((length - TAIL, length));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_in_the_file_and_a_long_run_of_bytes_meets_one() {
        for length in [0, 1, 4096, WHOLE, WHOLE + 1, 100 << 20, (3 << 40) + 7] {
            for seed in 0..20 {
                let places = places(length, seed);
                assert!(
                    places
                        .iter()
                        .all(|(start, end)| start <= end && *end <= length)
                );
                let count = (length / STRETCH).clamp(FEWEST, MOST);
                let run = (2 * (length / count)).max(1);
                for begin in
                    (0..length.saturating_sub(run)).step_by(usize::try_from(run / 3 + 1).unwrap())
                {
                    let end = begin + run;
                    let meets = |(start, stop): &(u64, u64)| *start < end && begin < *stop;
                    assert!(places.iter().any(meets), "{length} {seed} {begin}");
                }
            }
        }
    }
}
