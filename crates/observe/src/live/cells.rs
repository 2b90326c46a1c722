//! Derives counters from `cells` of `struct counts`: most I/O is one increment there, by its length and by
//! the sector of its start in 64 KiB. Only I/O beyond 64 KiB is counted separately.

use super::layout::{
    BYTES, CELLS, CROSSED, IN_64K, IN_512, IOS, ROWS, SECTORS, SIZES_512, SMALL_ROWS,
};

/// I/Os of one length that start alike.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LengthCell {
    pub len: u64,
    /// The start, past a multiple of 64 KiB.
    pub past: u64,
    pub ios: u64,
}

/// Bytes of the lengths of a row, as `row_of` of `bpf/count.h` has it.
const fn length(row: u64) -> u64 {
    if row <= SMALL_ROWS {
        row * 512
    } else {
        (row - SMALL_ROWS) * 4096
    }
}

/// Cells that have I/Os.
pub fn cells(words: &[u64]) -> impl Iterator<Item = LengthCell> {
    let all = words.get(CELLS..CELLS + ROWS * IN_64K).unwrap_or_default();
    let rows = all.chunks_exact(IN_64K).zip(0_u64..);
    rows.flat_map(|(row, number)| {
        let sectors = row.iter().zip(0_u64..);
        sectors.map(move |(ios, sector)| LengthCell {
            len: length(number),
            past: sector * 512,
            ios: *ios,
        })
    })
    .filter(|cell| cell.ios > 0)
}

/// Adds what the program would have counted of them one by one.
pub fn spread(words: &mut [u64]) {
    let all: Vec<_> = cells(words).collect();
    for cell in all {
        for (at, more) in cell.counters() {
            if let Some(word) = words.get_mut(at) {
                *word += more;
            }
        }
    }
}

impl LengthCell {
    fn counters(self) -> [(usize, u64); 5] {
        let sector = usize::try_from(self.past / 512).unwrap_or(0);
        let blocks = usize::try_from(self.len / 512).unwrap_or(0);
        let others = usize::from(!self.len.is_multiple_of(4096)) * IN_64K;
        let off = usize::from(!self.past.is_multiple_of(4096)) * SIZES_512;
        [
            (IOS, self.ios),
            (BYTES, self.ios * self.len),
            (SECTORS + others + sector, self.ios),
            (IN_512 + off + blocks, self.ios),
            (CROSSED + self.crossed(), self.within() * self.ios),
        ]
    }

    /// 1 where it does not go beyond 64 KiB: else what it crosses does not follow, and was counted.
    fn within(self) -> u64 {
        u64::from(self.past + self.len <= 64 << 10)
    }

    /// Bits of the highest boundary that it crosses.
    fn crossed(self) -> usize {
        let last = self.past + self.len.saturating_sub(1);
        (64 - (self.past ^ last).leading_zeros()) as usize
    }

    /// On a grid that 64 KiB are a multiple of: cells touched, and whether it would fit into one of them
    /// and lies in two.
    pub const fn on_grid(self, size: u64, phase: u64) -> (u64, bool) {
        let past = (self.past + size - phase % size) % size;
        let end = past + self.len - 1;
        (end / size + 1, self.len <= size && end >= size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_length() {
        let lengths: Vec<_> = (1..16).map(length).collect();
        let small = (1..8).map(|n| n * 512);
        let large = (1..9).map(|n| n * 4096);
        assert_eq!(lengths, small.chain(large).collect::<Vec<_>>());
    }

    #[test]
    fn one_cell_becomes_every_counter() {
        let mut words = vec![0; CELLS + ROWS * IN_64K];
        // 8 KiB at sector 63: row 9.
        words[CELLS + 9 * IN_64K + 63] = 5;
        spread(&mut words);
        assert_eq!(words[IOS], 5);
        assert_eq!(words[BYTES], 5 * 8192);
        assert_eq!(words[SECTORS + 63], 5);
        assert_eq!(words[IN_512 + SIZES_512 + 16], 5);
        // From 31.5 to 39.5 KiB: over 32 KiB, a boundary of 16 bits.
        assert_eq!(words[CROSSED + 16], 5);
    }

    #[test]
    fn what_goes_beyond_64_kib_was_counted_by_the_program() {
        let mut words = vec![0; CELLS + ROWS * IN_64K];
        words[CELLS + 8 * IN_64K + 127] = 3;
        spread(&mut words);
        assert_eq!(words[CROSSED..CROSSED + 65].iter().sum::<u64>(), 0);
        assert_eq!(words[SECTORS + 127], 3);
    }

    #[test]
    fn grids_are_those_of_brute_force() {
        for (past, len) in [(0, 4096), (512, 4096), (63 * 512, 8192), (127 * 512, 32768)] {
            let cell = LengthCell { len, past, ios: 1 };
            for (size, phase) in [
                (512, 0),
                (4096, 0),
                (4096, 3584),
                (8192, 512),
                (65536, 32256),
            ] {
                let number = |byte: u64| (byte + 65536 - phase) / size;
                let touched = number(past + len - 1) - number(past) + 1;
                let expected = (touched, len <= size && touched == 2);
                assert_eq!(
                    cell.on_grid(size, phase),
                    expected,
                    "{past} {len} {size}@{phase}"
                );
            }
        }
    }
}
