//! Reads back what was written and compares it with what was read, while the other copy still exists.

use super::{Verify, digest};
use crate::{Disk, Error, Result};

/// Whether piece `index` of `count` is looked at.
pub(crate) const fn looks_at(verify: Verify, index: usize, count: usize) -> bool {
    match verify {
        Verify::Full => true,
        Verify::Sampled => index.is_multiple_of(16) || index + 1 == count,
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
