//! Sector bitmaps of differencing VHD and VHDX: which sectors of a block the child holds.

use crate::error::Result;
use crate::view::View;

/// Bytes of a bitmap looked at in one go: 4096 sectors.
const LOOK_BYTES: u64 = 512;

/// Which bit of a byte stands for the lowest sector.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum BitOrder {
    /// Bit 7: VHD.
    Highest,
    /// Bit 0: VHDX.
    Lowest,
}

/// Whether sector `sector` of the bitmap at byte `at` is in this file, and how many sectors from
/// there on (at least one, at most `most`) have the same answer.
pub(super) fn equal_sectors(
    view: &View,
    at: u64,
    sector: u64,
    most: u64,
    first: BitOrder,
) -> Result<(bool, u64)> {
    let (byte, skip) = (sector / 8, sector % 8);
    let wanted = (skip + most.max(1)).div_ceil(8).min(LOOK_BYTES);
    let start = at.saturating_add(byte);
    let bytes = view.read(start, usize::try_from(wanted).unwrap_or(1))?;
    let bits = bytes.iter().flat_map(|byte| bits_of(*byte, first));
    let mut bits = bits.skip(usize::try_from(skip).unwrap_or(0));
    let present = bits.next().unwrap_or(false);
    let same = bits.take_while(|bit| *bit == present).count() as u64;
    Ok((present, (1 + same).min(most.max(1))))
}

fn bits_of(byte: u8, first: BitOrder) -> impl Iterator<Item = bool> {
    (0..8_u8).map(move |i| {
        let bit = match first {
            BitOrder::Highest => 7 - i,
            BitOrder::Lowest => i,
        };
        byte >> bit & 1 == 1
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::MemorySource;

    #[test]
    fn bits_are_taken_in_the_order_of_the_format() {
        let view = View::new(Arc::new(MemorySource::new([0xFF, 0b1110_0000, 0, 0xF0])));
        let ask = |sector, most, first| equal_sectors(&view, 1, sector, most, first).unwrap();
        assert_eq!(ask(0, 24, BitOrder::Highest), (true, 3));
        assert_eq!(ask(3, 21, BitOrder::Highest), (false, 13));
        assert_eq!(ask(0, 24, BitOrder::Lowest), (false, 5));
        assert_eq!(ask(5, 2, BitOrder::Lowest), (true, 2));
        assert_eq!(ask(20, 4, BitOrder::Lowest), (true, 4));
        assert!(equal_sectors(&view, 4, 0, 1, BitOrder::Lowest).is_err());
    }
}
