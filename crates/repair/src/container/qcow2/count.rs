//! Reference counts in their blocks: 1 to 64 bits wide.

use std::io;

use super::super::blocks::BlockTable;
use super::super::store::damaged;

/// Count `index` of a block. Narrow ones begin at the lowest bit of a byte, wide ones are big-endian.
pub fn count(block: &BlockTable, order: u32, index: u64) -> io::Result<u64> {
    let bit = usize::try_from(index << order).map_err(|_| damaged("a count"))?;
    let at = bit / 8;
    Ok(match order {
        0..=2 => {
            let [byte] = block.get(at)?;
            u64::from(byte >> (bit % 8)) & ((1 << (1 << order)) - 1)
        }
        3 => u64::from(block.get::<1>(at)?[0]),
        4 => u64::from(u16::from_be_bytes(block.get(at)?)),
        5 => u64::from(u32::from_be_bytes(block.get(at)?)),
        _ => u64::from_be_bytes(block.get(at)?),
    })
}

/// Changes it; an error where the value is too wide.
pub fn set_count(block: &mut BlockTable, order: u32, index: u64, value: u64) -> io::Result<()> {
    let wide = || damaged(format!("a count of {value} in {} bits", 1 << order));
    let bit = usize::try_from(index << order).map_err(|_| damaged("a count"))?;
    let at = bit / 8;
    match order {
        0..=2 => {
            let mask = (1_u8 << (1 << order)) - 1;
            let value = u8::try_from(value).ok().filter(|value| *value <= mask);
            let [byte] = block.get(at)?;
            let shift = bit % 8;
            let value = value.ok_or_else(wide)?;
            block.set(at, [byte & !(mask << shift) | value << shift])
        }
        3 => block.set(at, [u8::try_from(value).map_err(|_| wide())?]),
        4 => block.set(at, u16::try_from(value).map_err(|_| wide())?.to_be_bytes()),
        5 => block.set(at, u32::try_from(value).map_err(|_| wide())?.to_be_bytes()),
        _ => block.set(at, value.to_be_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_every_width() {
        for order in 0..=6 {
            let mut block = BlockTable::new(512, 512).unwrap();
            let many = 4096_u64 >> order;
            let most = if order == 6 {
                u64::MAX
            } else {
                (1 << (1 << order)) - 1
            };
            for index in 0..many {
                set_count(&mut block, order, index, index.min(most)).unwrap();
            }
            for index in 0..many {
                assert_eq!(count(&block, order, index).unwrap(), index.min(most));
            }
            if order < 6 {
                assert!(set_count(&mut block, order, 0, most + 1).is_err());
            }
        }
    }

    #[test]
    fn narrow_counts_begin_at_the_lowest_bit() {
        let mut block = BlockTable::new(512, 512).unwrap();
        set_count(&mut block, 1, 1, 2).unwrap();
        assert_eq!(block.bytes()[0], 0b1000);
        set_count(&mut block, 4, 1, 1).unwrap();
        assert_eq!(block.bytes()[..4], [8, 0, 0, 1]);
    }
}
