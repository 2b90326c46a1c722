//! Which files are texts, and reading them with a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Text;
use crate::error::{Error, Result};

/// More of one text is not read; `Text::cut` says so. The largest outputs of hosts with thousands of disks have
/// a few megabytes.
pub const MOST_BYTES: u64 = 64 << 20;
/// What is looked at first to tell a text from an image.
pub const HEAD: usize = 4096;
/// What is looked at where that begins like a text: an image whose first blocks are text has tables and
/// superblocks behind them.
pub const LOOK: usize = 1 << 20;

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
    if let Some(units) = utf16(head) {
        return is_text_of_units(&units);
    }
    if IMAGES.iter().any(|magic| head.starts_with(magic)) {
        return false;
    }
    let odd =
        |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\n' | b'\r' | b'\t' | 0x1b | 0x08 | 0x0c);
    !head.is_empty() && !head.iter().any(odd)
}

/// Whether what follows a head that [looks like text](looks_like_text) is text as well: `start` is the file from its
/// first byte on. Only zeros count: text that was damaged or copied from a terminal has other odd bytes.
pub fn stays_text(start: &[u8]) -> bool {
    match utf16(start) {
        Some(units) => is_text_of_units(&units),
        None => !start.contains(&0),
    }
}

/// Text in UTF-16 has no character that no text has, and no half of a pair; the last may be cut off.
fn is_text_of_units(units: &[u16]) -> bool {
    let odd = |c: char| c < ' ' && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{8}' | '\u{c}');
    let mut whole = char::decode_utf16(units.iter().copied()).peekable();
    if whole.peek().is_none() {
        return false;
    }
    while let Some(found) = whole.next() {
        let is_last = whole.peek().is_none();
        if !found.map_or(is_last, |c| !odd(c)) {
            return false;
        }
    }
    true
}

/// The units of a text that begins with a mark of UTF-16.
fn utf16(raw: &[u8]) -> Option<Vec<u16>> {
    let from = match raw.get(..2)? {
        mark if mark == UTF16_LE => u16::from_le_bytes,
        mark if mark == UTF16_BE => u16::from_be_bytes,
        _ => return None,
    };
    let pairs = raw.get(2..)?.chunks_exact(2);
    Some(pairs.map(|pair| from([pair[0], pair[1]])).collect())
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
    let Some(units) = utf16(raw) else {
        return Text::new(raw);
    };
    let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    Text::new(chars.collect::<String>().as_bytes())
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
    fn an_image_that_begins_like_text_is_none() {
        assert!(
            !looks_like_text(&[0xfe, 0xff, 0, 0, 0, 0]),
            "FE FF and zeros"
        );
        assert!(
            !looks_like_text(&[0xff, 0xfe, 0, 0xd8, 0x41, 0]),
            "half a pair"
        );
        let mut image = vec![b'a'; 1 << 20];
        assert!(stays_text(&image));
        image[65600] = 0;
        assert!(looks_like_text(&image[..HEAD]) && !stays_text(&image));
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
