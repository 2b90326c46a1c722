//! The manifest of a package: a digest for each file, `SHA256(disk.vmdk)= 0123…` (DSP0243 2.1.1, 5.1; version 1.1 has
//! SHA1).
//!
//! Programs write it with and without blanks, with lines that end as in Windows, and with the algorithm as their OpenSSL
//! calls it (`SHA2-256`).

use std::fmt::Write;
use std::io::{self, Read};

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A line of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestEntry {
    /// The file.
    pub name: String,
    /// The algorithm, as it is written there.
    pub algorithm: String,
    /// The digest, in small letters.
    digest: String,
}

/// What a digest is made by.
#[derive(Clone, Copy)]
enum ManifestHash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// The lines of a manifest, in order. Lines of other forms are none.
pub fn entries(text: &str) -> Vec<ManifestEntry> {
    let entry = |line: &str| {
        let (algorithm, rest) = line.split_once('(')?;
        let (name, digest) = rest.rsplit_once(')')?;
        let digest = digest.trim().strip_prefix('=')?;
        Some(ManifestEntry {
            name: name.to_owned(),
            algorithm: algorithm.trim().to_owned(),
            digest: digest.trim().to_ascii_lowercase(),
        })
    };
    text.lines().filter_map(entry).collect()
}

impl ManifestEntry {
    /// Whether its algorithm is known.
    pub fn is_comparable(&self) -> bool {
        self.hash().is_some()
    }

    fn hash(&self) -> Option<ManifestHash> {
        Some(match self.algorithm.to_ascii_uppercase().as_str() {
            "SHA1" | "SHA-1" => ManifestHash::Sha1,
            "SHA256" | "SHA-256" | "SHA2-256" => ManifestHash::Sha256,
            "SHA384" | "SHA-384" | "SHA2-384" => ManifestHash::Sha384,
            "SHA512" | "SHA-512" | "SHA2-512" => ManifestHash::Sha512,
            _ => return None,
        })
    }

    /// Whether `bytes` are those of the file; `None`: the algorithm is not known.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn is_of(&self, bytes: impl Read) -> io::Result<Option<bool>> {
        let found = match self.hash() {
            Some(ManifestHash::Sha1) => hashed::<Sha1>(bytes)?,
            Some(ManifestHash::Sha256) => hashed::<Sha256>(bytes)?,
            Some(ManifestHash::Sha384) => hashed::<Sha384>(bytes)?,
            Some(ManifestHash::Sha512) => hashed::<Sha512>(bytes)?,
            None => return Ok(None),
        };
        Ok(Some(found == self.digest))
    }
}

/// A manifest of these names and digests. All are SHA-256, which replaces the SHA-1 of old ones.
pub fn written(entries: &[(String, String)]) -> String {
    entries
        .iter()
        .fold(String::new(), |mut text, (name, digest)| {
            // A string takes all.
            let _ = writeln!(text, "SHA256({name})= {digest}");
            text
        })
}

/// The SHA-256 of all that can be read.
pub fn digest(from: impl Read) -> io::Result<String> {
    hashed::<Sha256>(from)
}

fn hashed<D: Digest>(mut from: impl Read) -> io::Result<String> {
    let mut hash = D::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => hash.update(piece.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_and_written() {
        let text = "SHA1(a b.ovf)= 0a\nSHA256 (disk(1).vmdk) = 0B\r\n\nnothing\n";
        let entries = entries(text);
        let lines: Vec<_> = entries
            .iter()
            .map(|one| (&*one.algorithm, &*one.name, &*one.digest))
            .collect();
        assert_eq!(
            lines,
            [("SHA1", "a b.ovf", "0a"), ("SHA256", "disk(1).vmdk", "0b")]
        );
        let digest = digest(&b"abc"[..]).unwrap();
        // FIPS 180-4, the example of one block.
        assert_eq!(
            digest,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            written(&[("x".to_owned(), digest.clone())]),
            format!("SHA256(x)= {digest}\n")
        );
    }

    /// Digests of `abc` (FIPS 180-4 examples), in every writing.
    #[test]
    fn digests_of_all_algorithms_are_compared() {
        let sha512 = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        let sha256 = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
        for (line, answer) in [
            (
                "SHA1(x)= a9993e364706816aba3e25717850c26c9cd0d89d".to_owned(),
                Some(true),
            ),
            (
                "sha1 (x) =A9993E364706816ABA3E25717850C26C9CD0D89D".to_owned(),
                Some(true),
            ),
            (format!("SHA2-256(x)= {sha256}"), Some(true)),
            (format!("SHA512(x)= {sha512}"), Some(true)),
            (format!("SHA1(x)= {sha256}"), Some(false)),
            ("SHA256(x)= ".to_owned(), Some(false)),
            ("MD5(x)= 900150983cd24fb0d6963f7d28e17f72".to_owned(), None),
        ] {
            let entries = entries(&line);
            assert_eq!(entries[0].is_of(&b"abc"[..]).unwrap(), answer, "{line}");
        }
    }
}
