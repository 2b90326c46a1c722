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
