//! The written data: bytes that compress and repeat as requested, and are never runs of zeros.
//!
//! Content comes in blocks of 4 KiB, as stores that compress and deduplicate take it. The front of each is
//! random and does not compress, the rest repeats a short text. A copy repeats one of a few blocks whole.

mod noise;

use ioalign_core::Random;
use ioalign_core::workload::Data;

use crate::chance::Chance;
use crate::{Error, ErrorKind, Result};
use noise::Noise;

/// The block that stores compress and deduplicate.
pub const BLOCK_BYTES: usize = 4096;
/// Number of blocks that copies are taken from: few, so that nearly all are copies even on a small target.
const ORIGINALS: u64 = 16;
/// The compressible bytes, unless a pattern is given.
const TEXT: &[u8] = b"ioalign writes this text again and again. ";

/// Makes content; each worker has its own.
#[derive(Clone, Debug)]
pub struct Filler {
    random: Random,
    noise: Noise,
    seed: u64,
    random_bytes: usize,
    copies: Chance,
    filling: Vec<u8>,
}

impl Filler {
    /// Content as described. The same seed has the same originals for copies; `stream` keeps workers
    /// apart.
    pub fn new(data: &Data, seed: u64, stream: u64) -> Result<Self> {
        let filling = match &data.pattern_hex {
            Some(hex) => pattern(hex)?,
            None => TEXT.to_vec(),
        };
        let compressible = share("compressible", data.compressible_ratio)?;
        let copies = share("duplicate", data.duplicate_ratio)?;
        let unique = seed ^ stream.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Ok(Self {
            random: Random::new(unique),
            noise: Noise::new(unique ^ 0x00d1_ce00),
            seed,
            random_bytes: random_part(compressible, data.pattern_hex.is_some()),
            copies: Chance::of(copies),
            filling: repeated(&filling),
        })
    }

    /// New content for a buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for block in buffer.chunks_mut(BLOCK_BYTES) {
            self.fill_block(block);
        }
    }

    fn fill_block(&mut self, block: &mut [u8]) {
        // A piece of a block cannot be a copy that a store would see.
        let is_copy = block.len() == BLOCK_BYTES && self.copies.hits(&mut self.random);
        let front = self.random_bytes.min(block.len());
        let (random, rest) = block.split_at_mut(front);
        if is_copy {
            let which = self.random.below(ORIGINALS);
            Noise::new(self.seed ^ (which << 40) ^ 0x000c_0b1e_5000_0000).fill(random);
        } else {
            self.noise.fill(random);
        }
        if let Some(text) = self.filling.get(..rest.len()) {
            rest.copy_from_slice(text);
        }
        // Without a random part blocks would all be copies of each other: a number makes them differ.
        if front == 0 && !is_copy {
            stamp(block, self.random.next());
        }
    }
}

/// Bytes at the front of each block that do not compress. A compressor needs a few bytes for the rest.
fn random_part(compressible: f64, has_pattern: bool) -> usize {
    // A pattern alone means: the whole buffer is the pattern.
    let is_pattern = has_pattern && compressible == 0.0;
    let share = if is_pattern { 0.0 } else { 1.0 - compressible };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 4096
    let bytes = (share * 4096.0).round() as usize;
    bytes.next_multiple_of(8).min(BLOCK_BYTES)
}

fn stamp(block: &mut [u8], number: u64) {
    // Odd bytes: no byte of the stamp is zero.
    let bytes = (number | 0x0101_0101_0101_0101).to_le_bytes();
    if let Some(front) = block.first_chunk_mut() {
        *front = bytes;
    }
}

fn share(what: &str, ratio: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&ratio) {
        return Ok(ratio);
    }
    let why = format!("{what} data of {ratio}: a share lies between 0 and 1");
    Err(Error::new(ErrorKind::Unsupported, why))
}

fn repeated(text: &[u8]) -> Vec<u8> {
    text.iter().copied().cycle().take(BLOCK_BYTES).collect()
}

/// A pattern in hexadecimal. Zeros alone are refused: arrays and images do not store them.
fn pattern(hex: &str) -> Result<Vec<u8>> {
    let wrong = |why: &str| {
        Error::new(ErrorKind::Unsupported, format!("pattern `{hex}`: {why}"))
            .advise("give whole bytes in hexadecimal, for example deadbeef")
    };
    let digits = hex.strip_prefix("0x").unwrap_or(hex);
    if digits.is_empty() || !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return Err(wrong("is no whole number of bytes"));
    }
    let byte = |at: usize| {
        let pair = digits.get(at..at + 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    match bytes {
        None => Err(wrong("is not hexadecimal")),
        Some(bytes) if bytes.len() > BLOCK_BYTES => Err(wrong("is longer than 4 KiB")),
        Some(bytes) if bytes.iter().all(|byte| *byte == 0) => Err(wrong("is zeros alone")),
        Some(bytes) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_bytes_and_not_zeros() {
        assert_eq!(pattern("0xdeadbeef").unwrap(), [0xde, 0xad, 0xbe, 0xef]);
        for bad in ["", "abc", "zz", "0000", "é9"] {
            assert!(pattern(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_part_of_a_block_is_filled_too() {
        let mut filler = Filler::new(&Data::default(), 1, 0).unwrap();
        let mut bytes = [0_u8; 4096 + 512 + 3];
        filler.fill(&mut bytes);
        let zeros = bytes.windows(8).filter(|window| **window == [0; 8]).count();
        assert_eq!(zeros, 0);
    }
}
