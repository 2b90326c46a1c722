//! Standard error: notes and errors. Everything that the program says there goes through here.
//!
//! They name files, processes, schemas and lines of documents from any source. Control characters in those would
//! act on the terminal, so they are removed from every message.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use ioalign_core::shell;
use ioalign_report::words::clean::clean;

/// Says `ioalign: TEXT`. Standard error may be closed: what matters is elsewhere then.
pub fn note(text: impl Display) {
    let text = format!("ioalign: {}\n", harmless(&text.to_string()));
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Standard error, for a child whose output is messages.
pub fn for_child() -> std::io::Result<OwnedFd> {
    std::io::stderr().as_fd().try_clone_to_owned()
}

/// What the parser says: help and version as they are, errors of the command line in one line.
pub fn usage(error: &clap::Error) {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || is_help {
        // A reader that hangs up early (`ioalign --help | head`) is no failure.
        let _ = error.print();
        return;
    }
    note(wrong_use(error));
}

/// What is wrong, what is near it, and where to look.
fn wrong_use(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let verb = text.lines().find_map(|line| line.strip_prefix("Usage: "));
    let verb: Vec<_> = verb
        .unwrap_or("ioalign")
        .split(' ')
        .take_while(|word| !word.starts_with(['[', '<', '-']))
        .collect();
    let verb = verb.join(" ");
    let file = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(Path::new(word)).filter(|path| path.exists()),
        _ => None,
    };
    if let Some(file) = file {
        let reader = match verb.as_str() {
            "ioalign trace" => "summarize",
            "ioalign measure" => "compare",
            _ => "check",
        };
        let name = shell::path(file);
        return format!("{name} is a file, not a command; try `{verb} {reader} {name}`");
    }
    let said = text.lines().take_while(|line| !line.starts_with("Usage: "));
    let mut said = said
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let first = said.next().unwrap_or_default();
    let mut line = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    for more in said {
        let tip = more.strip_prefix("tip: ");
        let end = if line.ends_with(':') || tip.is_none() {
            " "
        } else {
            "; "
        };
        line.push_str(end);
        line.push_str(tip.unwrap_or(more));
    }
    format!("{line}; try `{verb} --help`")
}

/// Without what acts on a terminal. Lines after the first are indented: a name with a line end in it cannot look
/// like a message of its own.
fn harmless(text: &str) -> String {
    let lines = text.trim_end_matches('\n').split('\n');
    let lines: Vec<_> = lines.map(|line| clean(&line.replace('\t', " "))).collect();
    lines.join("\n  ")
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
