//! Standard error: notes and errors. Everything that the program says there goes through here.
//!
//! They name files, processes, schemas and lines of documents from any source. Control characters in those would
//! act on the terminal, so they are removed from every message.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use ioalign_report::words::clean::clean;

/// Says `ioalign: TEXT`. Standard error may be closed: what matters is elsewhere then.
pub fn note(text: impl Display) {
    let text = format!("ioalign: {}\n", harmless(&text.to_string()));
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Errors of the command line, with the colours of the parser unless an argument could act through them.
pub fn usage(error: &clap::Error) {
    let plain = error.render().to_string();
    let safe = harmless(&plain);
    // A reader that hangs up early (`ioalign --help | head`) is no failure.
    let _ = match !error.use_stderr() || safe == indented(&plain) {
        true => error.print(),
        false => writeln!(std::io::stderr().lock(), "{}", safe.trim_end()),
    };
}

/// Without what acts on a terminal. Lines after the first are indented: a name with a line end in it cannot look
/// like a message of its own.
fn harmless(text: &str) -> String {
    let lines = text.trim_end_matches('\n').split('\n');
    let lines: Vec<_> = lines.map(|line| clean(&line.replace('\t', " "))).collect();
    lines.join("\n  ")
}

fn indented(text: &str) -> String {
    text.trim_end_matches('\n').replace('\n', "\n  ")
}

/// Standard output as it is seen: on a terminal, lines without what acts on it; elsewhere as they are.
pub fn shown(out: impl Write + Send + 'static) -> Box<dyn Write + Send> {
    match std::io::stdout().is_terminal() {
        true => Box::new(CleanLines {
            out,
            line: Vec::new(),
        }),
        false => Box::new(out),
    }
}

/// Lines longer than this are written in pieces.
const LONGEST: usize = 1 << 16;

/// A writer that cleans each line.
struct CleanLines<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> CleanLines<W> {
    fn put(&mut self, end: &[u8]) -> std::io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line).replace('\t', " ");
        self.out.write_all(clean(&text).as_bytes())?;
        self.out.write_all(end)
    }
}

impl<W: Write> Write for CleanLines<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for byte in bytes {
            match byte {
                b'\n' => self.put(b"\n")?,
                byte => self.line.push(*byte),
            }
            if self.line.len() > LONGEST {
                self.put(b"")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if !self.line.is_empty() {
            self.put(b"")?;
        }
        self.out.flush()
    }
}

impl<W: Write> Drop for CleanLines<W> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_act_on_nothing() {
        let text = harmless("bad\u{1b}]0;title\u{7}\u{9b}2J\tname\nioalign: all is well\n");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\t']));
        assert!(text.contains("\n  ioalign: all is well"), "{text}");
    }

    #[test]
    fn lines_are_cleaned_wherever_they_are_cut() {
        let mut seen = Vec::new();
        let mut out = CleanLines {
            out: &mut seen,
            line: Vec::new(),
        };
        for byte in "a\u{9b}\u{1b}[2J,\u{e9}\nb\u{7}".as_bytes() {
            out.write_all(&[*byte]).unwrap();
        }
        drop(out);
        let text = String::from_utf8(seen).unwrap();
        assert_eq!(text, "a\u{fffd}\u{fffd}[2J,\u{e9}\nb\u{fffd}");
    }
}
