//! The manifest of a package: a digest for each file, `SHA256(disk.vmdk)= 0123…` (DSP0243 2.1.1, 5.1; version 1.1 has
//! SHA1).

use std::fmt::Write;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// The names that a manifest lists, in order. Lines of other forms are none.
pub fn names(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let (_, rest) = line.split_once('(')?;
        let (name, digest) = rest.rsplit_once(')')?;
        digest
            .trim_start()
            .starts_with('=')
            .then(|| name.to_owned())
    };
    text.lines().filter_map(name).collect()
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

/// The digest of all that can be read.
pub fn digest(mut from: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
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
        let text = "SHA1(a b.ovf)= 0a\nSHA256 (disk(1).vmdk) = 0b\n\nnothing\n";
        assert_eq!(names(text), ["a b.ovf", "disk(1).vmdk"]);
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
}
