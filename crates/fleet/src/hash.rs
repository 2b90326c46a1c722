//! SHA-256, as lower-case hexadecimal digits.

use sha2::{Digest, Sha256};

/// Digits of a hash.
pub const DIGITS: usize = 64;

/// The hash of `parts`, one after the other; each counts with its length.
pub fn of_parts(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// The plain SHA-256 of `bytes`, as `sha256sum` prints it.
pub fn of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A string takes all.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether `text` is a hash.
pub fn is_hash(text: &str) -> bool {
    text.len() == DIGITS
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_sha256sum_prints_and_lengths_count() {
        // FIPS 180-4, the example of one block.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of(b"abc"), abc);
        assert!(is_hash(abc) && !is_hash(&abc.to_uppercase()) && !is_hash("ba78"));
        assert_ne!(of_parts(&[b"ab", b"c"]), of_parts(&[b"a", b"bc"]));
    }
}
