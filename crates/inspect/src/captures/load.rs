//! Which files are texts, and reading them with a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Text;
use crate::error::{Error, Result};

/// More of one text is not read; `Text::cut` says so.
const MOST_BYTES: u64 = 64 << 20;
/// What is looked at to tell a text from an image.
pub const HEAD: usize = 4096;

/// Beginnings of images that could pass for text when the file is cut off.
const IMAGES: [&[u8]; 6] = [
    b"QFI\xfb",
    b"KDMV",
    b"COWD",
    b"conectix",
    b"vhdxfile",
    b"<<< ",
];

/// The beginning of a file, for [`looks_like_text`].
pub fn head(path: &Path) -> io::Result<Vec<u8>> {
    // All at once: a vector that grows would be filled by eight reads.
    let mut head = Vec::with_capacity(HEAD);
    let file = File::open(path)?;
    file.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether a file begins like a text: printable, in UTF-8, an older code page or UTF-16 with its mark.
pub fn looks_like_text(head: &[u8]) -> bool {
    if head.starts_with(&UTF16_LE) || head.starts_with(&UTF16_BE) {
        return true;
    }
    if IMAGES.iter().any(|magic| head.starts_with(magic)) {
        return false;
    }
    let odd =
        |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\n' | b'\r' | b'\t' | 0x1b | 0x08 | 0x0c);
    !head.is_empty() && !head.iter().any(odd)
}

/// Reads a text from a file or from standard input.
pub fn read(source: impl Read, name: &Path) -> Result<Text> {
    let mut raw = Vec::new();
    source
        .take(MOST_BYTES + 1)
        .read_to_end(&mut raw)
        .map_err(|error| Error::io("Cannot read it", error).in_file(name))?;
    let cut = raw.len() as u64 > MOST_BYTES;
    raw.truncate(usize::try_from(MOST_BYTES).unwrap_or(usize::MAX));
    let mut text = decode(&raw);
    text.cut |= cut;
    Ok(text)
}

/// PowerShell writes UTF-16 when its output is redirected to a file.
const UTF16_LE: [u8; 2] = [0xff, 0xfe];
const UTF16_BE: [u8; 2] = [0xfe, 0xff];

fn decode(raw: &[u8]) -> Text {
    let units = |from: fn([u8; 2]) -> u16| -> Vec<u8> {
        let pairs = raw.get(2..).unwrap_or_default().chunks_exact(2);
        let units = pairs.map(|pair| from([pair[0], pair[1]]));
        let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        chars.collect::<String>().into_bytes()
    };
    if raw.starts_with(&UTF16_LE) {
        Text::new(&units(u16::from_le_bytes))
    } else if raw.starts_with(&UTF16_BE) {
        Text::new(&units(u16::from_be_bytes))
    } else {
        Text::new(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_no_texts() {
        assert!(!looks_like_text(&[0; 512]));
        assert!(!looks_like_text(b"QFI\xfb\0\0\0\x03"));
        assert!(!looks_like_text(b"QFI\xfb"), "cut off");
        assert!(!looks_like_text(
            b"<<< Oracle VM VirtualBox Disk Image >>>\n"
        ));
        assert!(!looks_like_text(b""));
        assert!(looks_like_text(
            b"Disk /dev/sda: 1 GiB\r\n\x1b[1mUnits\x1b[0m"
        ));
        assert!(looks_like_text("Festplatte: 1\u{a0}GiB".as_bytes()));
        assert!(
            looks_like_text(b"Einheiten: Sektoren zu 1 \xd7 512"),
            "an older code page"
        );
    }

    #[test]
    fn powershell_redirects_in_utf_16() {
        let mut raw = vec![0xff, 0xfe];
        raw.extend(
            "Offset : 1048576\r\n"
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        );
        let text = read(raw.as_slice(), Path::new("ps.txt")).unwrap();
        assert_eq!(text.lines().next(), Some("Offset : 1048576"));
    }
}
