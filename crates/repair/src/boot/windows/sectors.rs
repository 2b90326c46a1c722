//! Records of NTFS on the disk: the last two bytes of each sector are a mark that is the same in all of them,
//! and what belongs there stands in an array.

use super::attributes::word;

/// Whatever the sectors of the disk are.
const STRIDE: usize = 512;

/// Puts back the last two bytes of each sector, which stand in the array; `false` where the record is
/// torn.
pub fn mend(record: &mut [u8]) -> bool {
    let (at, count) = (word(record, 4), word(record, 6));
    let Some(array) = record.get(at..at.saturating_add(count * 2)) else {
        return false;
    };
    let array = array.to_vec();
    let mut pairs = array.chunks_exact(2);
    let Some(mark) = pairs.next() else {
        return false;
    };
    if (count - 1) * STRIDE != record.len() {
        return false;
    }
    for (sector, pair) in record.chunks_exact_mut(STRIDE).zip(pairs) {
        let Some(end) = sector.get_mut(STRIDE - 2..) else {
            return false;
        };
        if end != mark {
            return false;
        }
        end.copy_from_slice(pair);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_sectors_are_put_back_unless_they_are_torn() {
        let mut record = vec![0; 1024];
        record[4..8].copy_from_slice(&[0x30, 0, 3, 0]);
        record[0x30..0x36].copy_from_slice(&[7, 7, 1, 2, 3, 4]);
        record[510..512].copy_from_slice(&[7, 7]);
        record[1022..].copy_from_slice(&[7, 7]);
        let mut torn = record.clone();
        torn[1022] = 6;
        assert!(mend(&mut record) && !mend(&mut torn));
        assert_eq!(
            (&record[510..512], &record[1022..]),
            (&[1, 2][..], &[3, 4][..])
        );
        assert!(!mend(&mut []));
    }
}
