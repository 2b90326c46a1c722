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
    let whole_piece = (PIECE_BYTES / N) as u64;
    let mut index = 0;
    while index < count {
        let part = whole_piece.min(count - index);
        let start = entry_at(view, at, index, N)?;
        let bytes = view.read(start, usize::try_from(part).unwrap_or(0) * N)?;
        let (entries, _) = bytes.as_chunks::<N>();
        for (i, raw) in entries.iter().enumerate() {
            each(index + i as u64, *raw)?;
        }
        index += part;
    }
    Ok(())
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
        assert_eq!(entry::<4>(&view, 8, 3).unwrap(), 5_u32.to_le_bytes());
        assert!(entry::<8>(&view, 8, u64::MAX).is_err());
        assert!(for_each(&view, 8, u64::MAX, |_, _: [u8; 4]| Ok(())).is_err());
    }
}
