//! JSON without invisible characters that a terminal interprets.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Escapes DEL, C1 controls and bidirectional overrides, which JSON allows in plain and a
/// terminal would obey. They can only stand inside strings: all structure is ASCII.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// ASCII without DEL.
fn is_visible(json: &[u8]) -> bool {
    json.iter().fold(true, |plain, byte| plain & (*byte < 0x7f))
}

/// Passes on what is written to it, escaped. Every write must be of whole characters, as those of
/// `serde_json` are.
pub struct Visible<W>(pub W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        self.write_all(json)?;
        Ok(json.len())
    }

    fn write_all(&mut self, json: &[u8]) -> io::Result<()> {
        if is_visible(json) {
            return self.0.write_all(json);
        }
        let text = str::from_utf8(json).map_err(io::Error::other)?;
        self.0.write_all(escaped(text).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_comes_through() {
        let name = "a\u{7f}b\u{9b}31mc\u{202e}d\u{feff}e\u{2028}ü→\u{1F600}";
        let mut out = Visible(Vec::new());
        serde_json::to_writer(&mut out, name).unwrap();
        let written = String::from_utf8(out.0).unwrap();
        assert_eq!(written, r#""a\u007fb\u009b31mc\u202ed\ufeffe\u2028ü→😀""#);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), name);
    }
}
