//! Reads back what was written and compares it with what was read, while the other copy still exists.

use super::{Verify, digest};
use crate::{Disk, Error, Result};

/// Whether piece `index` of `count` is looked at.
pub(crate) const fn looks_at(verify: Verify, index: usize, count: usize) -> bool {
    match verify {
        Verify::Full => true,
        Verify::Sampled => index.is_multiple_of(16) || index + 1 == count,
        Verify::Nothing => false,
    }
}

/// The first byte of a piece that is not what was written; `None` where all that is looked at is right.
/// Counts what it reads.
pub fn differs(
    disk: &mut dyn Disk,
    at: u64,
    bytes: u64,
    hashes: &[u128],
    piece: &mut [u8],
    verify: Verify,
    verified: &mut u64,
) -> Result<Option<u64>> {
    disk.release(at, bytes);
    let size = piece.len() as u64;
    let mut place = at;
    for (index, hash) in hashes.iter().enumerate() {
        let length = size.min(at + bytes - place);
        let part = usize::try_from(length).unwrap_or(piece.len());
        if looks_at(verify, index, hashes.len()) {
            let Some(part) = piece.get_mut(..part) else {
                return Ok(Some(place));
            };
            disk.read_at(place, part).map_err(|error| {
                Error::io(
                    format!("{length} bytes written at byte {place} cannot be read back"),
                    error,
                )
            })?;
            *verified += length;
            if digest::of(part) != *hash {
                return Ok(Some(place));
            }
        }
        place += length;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    #[test]
    fn samples_are_every_sixteenth_and_the_last() {
        let looked = |verify, count| -> Vec<usize> {
            let all = 0..count;
            all.filter(|index| looks_at(verify, *index, count))
                .collect()
        };
        assert_eq!(looked(Verify::Full, 3), [0, 1, 2]);
        assert_eq!(looked(Verify::Sampled, 34), [0, 16, 32, 33]);
    }

    /// Three pieces of 512 bytes and a half one from byte 1024 on, and what is found where a byte differs.
    fn found(changed: Option<usize>, verify: Verify) -> (Option<u64>, u64) {
        let mut disk = MemoryDisk {
            bytes: (0..8192_u32)
                .map(|at| (at ^ at >> 8).to_le_bytes()[0])
                .collect(),
            logical_bytes: 256,
        };
        let pieces = disk.bytes[1024..1024 + 3 * 512 + 256].chunks(512);
        let hashes: Vec<u128> = pieces.map(digest::of).collect();
        if let Some(at) = changed {
            disk.bytes[at] ^= 1;
        }
        let (mut piece, mut read) = ([0; 512], 7);
        let bytes = 3 * 512 + 256;
        let place = differs(
            &mut disk, 1024, bytes, &hashes, &mut piece, verify, &mut read,
        );
        (place.unwrap(), read - 7)
    }

    #[test]
    fn what_differs_is_found_by_its_piece() {
        assert_eq!(found(None, Verify::Full), (None, 1792));
        assert_eq!(found(Some(1023), Verify::Full), (None, 1792));
        assert_eq!(found(Some(1024), Verify::Full), (Some(1024), 512));
        assert_eq!(found(Some(2047), Verify::Full), (Some(1536), 1024));
        assert_eq!(found(Some(2815), Verify::Full), (Some(2560), 1792));
        assert_eq!(found(Some(2816), Verify::Full), (None, 1792));
        assert_eq!(found(Some(2047), Verify::Sampled), (None, 768));
        assert_eq!(found(Some(2815), Verify::Sampled), (Some(2560), 768));
    }

    #[test]
    fn a_window_of_more_than_its_pieces_is_not_taken_for_right() {
        let mut disk = MemoryDisk {
            bytes: vec![0; 1024],
            logical_bytes: 512,
        };
        let hashes = [digest::of(&[0; 512]); 2];
        let mut read = 0;
        let end = differs(
            &mut disk,
            512,
            1024,
            &hashes,
            &mut [0; 512],
            Verify::Full,
            &mut read,
        );
        assert!(end.unwrap_err().to_string().contains("cannot be read back"));
        assert_eq!(read, 512);
    }
}
