//! A content hash for cache keys. It guards against stale caches, not against attackers, so it
//! is a plain FNV-1a over two lanes and needs no crate.

use std::fs;
use std::path::Path;

use crate::error::{Result, Tried};

/// 128 bits, fed in pieces. Every piece counts with its length: `ab`,`c` differs from `a`,`bc`.
#[derive(Clone)]
pub struct ContentHash {
    lanes: [u64; 2],
}

const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Default for ContentHash {
    fn default() -> Self {
        Self::new()
    }
}

impl ContentHash {
    /// The empty hash.
    pub const fn new() -> Self {
        Self {
            lanes: [0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142],
        }
    }

    /// Adds a piece.
    pub fn add(&mut self, piece: impl AsRef<[u8]>) {
        let piece = piece.as_ref();
        self.word(piece.len() as u64);
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        for byte in rest {
            self.word(u64::from(*byte));
        }
    }

    /// Adds the content of a file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn add_file(&mut self, path: &Path) -> Result<()> {
        let bytes = fs::read(path).tried(|| format!("cannot read {}", path.display()))?;
        self.add(bytes);
        Ok(())
    }

    /// Sixteen hexadecimal digits, for a file name.
    pub fn text(&self) -> String {
        let [a, b] = self.lanes;
        format!("{:016x}", a ^ b.rotate_left(32))
    }

    fn word(&mut self, word: u64) {
        let [a, b] = self.lanes;
        // Multiplication moves bits up only; the shift brings the high half back down.
        let next = (a ^ word).wrapping_mul(PRIME);
        self.lanes = [
            next ^ (next >> 32),
            (b.rotate_left(5) ^ word).wrapping_mul(PRIME),
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::ContentHash;

    fn of(pieces: &[&str]) -> String {
        let mut hash = ContentHash::new();
        pieces.iter().for_each(|piece| hash.add(piece));
        hash.text()
    }

    #[test]
    fn equal_content_has_equal_hashes() {
        assert_eq!(of(&["kernel", "script"]), of(&["kernel", "script"]));
        assert_eq!(of(&[]).len(), 16);
    }

    #[test]
    fn every_bit_and_every_boundary_counts() {
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["0123456789abcdef"]), of(&["1123456789abcdef"]));
        assert_ne!(of(&["0123456789abcdef"]), of(&["0123456789abcdee"]));
        assert_ne!(of(&[""]), of(&[]));
    }

    #[test]
    fn the_hash_stays_the_same_between_builds() {
        // A new value throws every cache away: change it knowingly.
        assert_eq!(of(&["ioalign"]), "a7d1e39f1d7afde7");
    }
}
