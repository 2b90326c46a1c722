//! Allocation tables, read as a stream: fixed-size entries in bounded memory.

use crate::error::Result;
use crate::view::View;

/// Bytes of a table that are in memory at once.
const PIECE_BYTES: usize = 64 << 10;

/// Calls `each` with the number and the raw bytes of every entry of a table at byte `at`.
pub(super) fn for_each<const N: usize>(
    view: &View,
    at: u64,
    count: u64,
    mut each: impl FnMut(u64, [u8; N]) -> Result<()>,
) -> Result<()> {
    for_each_piece(view, at, count, |first, entries| {
        for (i, raw) in entries.iter().enumerate() {
            each(first + i as u64, *raw)?;
        }
        Ok(())
    })
}

fn for_each_piece<const N: usize>(
    view: &View,
    at: u64,
    count: u64,
    mut each: impl FnMut(u64, &[[u8; N]]) -> Result<()>,
) -> Result<()> {
    let whole_piece = (PIECE_BYTES / N) as u64;
    let mut index = 0;
    while index < count {
        let part = whole_piece.min(count - index);
        let start = entry_at(view, at, index, N)?;
        let bytes = view.read(start, usize::try_from(part).unwrap_or(0) * N)?;
        each(index, bytes.as_chunks::<N>().0)?;
        index += part;
    }
    Ok(())
}

/// Entries that are compared with zero at once.
const STRETCH: usize = 64;

/// The same without stretches of zeros: in most tables of most images that is nearly all. Single
/// zeros may still come.
pub(super) fn for_each_used<const N: usize>(
    view: &View,
    at: u64,
    count: u64,
    mut each: impl FnMut(u64, [u8; N]) -> Result<()>,
) -> Result<()> {
    for_each_piece(view, at, count, |first, entries| {
        for (i, stretch) in entries.chunks(STRETCH).enumerate() {
            // Without an early end, so that the compiler makes wide instructions of it.
            let ored = stretch.as_flattened().iter().fold(0, |or, byte| or | byte);
            if ored == 0 {
                continue;
            }
            for (k, raw) in stretch.iter().enumerate() {
                each(first + (i * STRETCH + k) as u64, *raw)?;
            }
        }
        Ok(())
    })
}

/// The raw bytes of entry `index` of a table at byte `at`.
pub(super) fn entry<const N: usize>(view: &View, at: u64, index: u64) -> Result<[u8; N]> {
    let bytes = view.read(entry_at(view, at, index, N)?, N)?;
    let raw = bytes.first_chunk::<N>().copied();
    raw.ok_or_else(|| view.malformed(at, "A short read"))
}

fn entry_at(view: &View, at: u64, index: u64, size: usize) -> Result<u64> {
    index
        .checked_mul(size as u64)
        .and_then(|past| at.checked_add(past))
        .ok_or_else(|| view.malformed(at, "A table that ends past 64 bits"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::MemorySource;

    #[test]
    fn every_entry_comes_once_over_the_piece_border() {
        let many = 40_000_u32;
        let bytes: Vec<u8> = (0..many).flat_map(u32::to_le_bytes).collect();
        let view = View::new(Arc::new(MemorySource::new(bytes)));
        let mut seen = 0;
        for_each(&view, 0, u64::from(many), |index, raw: [u8; 4]| {
            assert_eq!(index, u64::from(u32::from_le_bytes(raw)));
            seen += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, many);
        let zeros = View::new(Arc::new(MemorySource::new(
            [vec![0; 4000], vec![1; 8]].concat(),
        )));
        let mut used = Vec::new();
        for_each_used(&zeros, 0, 1002, |index, raw: [u8; 4]| {
            used.extend((raw != [0; 4]).then_some(index));
            Ok(())
        })
        .unwrap();
        assert_eq!(used, [1000, 1001]);
        assert_eq!(entry::<4>(&view, 8, 3).unwrap(), 5_u32.to_le_bytes());
        assert!(entry::<8>(&view, 8, u64::MAX).is_err());
        assert!(for_each(&view, 8, u64::MAX, |_, _: [u8; 4]| Ok(())).is_err());
    }
}
