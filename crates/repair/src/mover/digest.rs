//! Hashes of data.
//!
//! XXH3 with 128 bits: what it must find are the faults of cables, caches, firmware and of this program,
//! not of an enemy, who could as well write to the disk. Two different pieces are taken for the same once
//! in 2^128. It is Rust alone, already in the program for lz4 and zstd, and as fast as memory is read; a
//! cryptographic hash (BLAKE3 without its assembler) takes a good part of the time of the copy.

use twox_hash::XxHash3_128;

/// The hash of some bytes.
pub fn of(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// One hash of the hashes of pieces, in their order.
pub fn of_pieces(hashes: &[u128]) -> u128 {
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first is the value that the reference implementation of XXH3 gives for no bytes at all.
    #[test]
    fn hashes_tell_bytes_and_their_order_apart() {
        assert_eq!(of(&[]), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        assert_ne!(of(&[1]), of(&[2]));
        assert_ne!(of_pieces(&[1, 2]), of_pieces(&[2, 1]));
        assert_eq!(of_pieces(&[1]), of(&1_u128.to_le_bytes()));
    }
}
