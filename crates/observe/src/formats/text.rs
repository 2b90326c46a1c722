//! Common to all text formats: a line is an I/O, or has none, or counts as not parsed.

use super::fields::lines;
use super::{FormatFacts, Parse, Parser};
use crate::record::{ChunkNames, Io, NO_LATENCY, TraceRecord, TraceRecords};

/// The content of one line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ParsedLine {
    /// An I/O or an event of one.
    Io(TraceRecord),
    /// Right, and no I/O: a heading, a comment, a plug, a message.
    Other,
    /// The tracer says that it lost events here.
    Lost(u64),
    /// Not understood, and why.
    Bad(&'static str),
}

/// The lines of one format, each understood by itself.
pub trait LineFormat: Clone + Send + 'static {
    /// Parses a line; its devices and processes go to `names`.
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine;

    /// The meaning of the numbers.
    fn facts(&self) -> FormatFacts;
}

/// Parses a format line by line.
#[derive(Clone, Debug)]
pub struct TextParser<L>(pub L);

impl<L: LineFormat> Parse for TextParser<L> {
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords) {
        // The process of rows that name none, as in `UNKNOWN`.
        out.names.process(0, b"");
        for line in lines(chunk) {
            out.extent += 1;
            match self.0.row(line, &mut out.names) {
                ParsedLine::Io(record) => out.rows.push(record),
                ParsedLine::Other => out.other += 1,
                ParsedLine::Lost(events) => out.dropped = out.dropped.saturating_add(events),
                ParsedLine::Bad(why) => out.skipped.add(out.extent, line, why),
            }
        }
    }

    fn split(&self) -> Option<Parser> {
        Some(Box::new(self.clone()))
    }

    fn facts(&self) -> FormatFacts {
        self.0.facts()
    }
}

/// An I/O of which nothing is known yet.
pub const UNKNOWN: Io = Io {
    time: 0,
    offset: 0,
    latency: NO_LATENCY,
    len: 0,
    device: 0,
    process: 0,
    op: crate::record::Op::Other,
};

/// Lines looked at to tell a format.
const SNIFFED: usize = 64;

/// The whole lines at the start of a trace.
pub fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    // The last line is cut off where the head is: without an end it counts only if it is alone.
    let end = memchr::memrchr(b'\n', head).map_or(head.len(), |end| end + 1);
    lines(head.get(..end).unwrap_or_default())
        .filter(|line| !line.trim_ascii().is_empty())
        .take(SNIFFED)
}

/// Whether most lines of a table are of this format; a heading and damaged rows are not.
pub fn is_table(head: &[u8], format: &impl LineFormat) -> bool {
    let mut names = ChunkNames::default();
    let (mut good, mut bad) = (0, 0);
    for (line, number) in first_lines(head).zip(0..) {
        match format.row(line, &mut names) {
            ParsedLine::Io(_) => good += 1,
            ParsedLine::Bad(_) if number > 0 => bad += 1,
            _ => {}
        }
    }
    good > bad
}

/// Whether any of the first lines is an I/O of this format: for tools that also print other things.
pub fn has_events(head: &[u8], format: &impl LineFormat) -> bool {
    let mut names = ChunkNames::default();
    first_lines(head).any(|line| matches!(format.row(line, &mut names), ParsedLine::Io(_)))
}

/// Whether a line is the heading of a table: its first field is one of these words.
pub fn is_heading(line: &[u8], words: &[&str]) -> bool {
    let line = line.trim_ascii_start();
    if !line
        .first()
        .is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'#' | b'"'))
    {
        return line.is_empty();
    }
    let first = line
        .split(|b| matches!(b, b',' | b';' | b'\t' | b' '))
        .next();
    let first = first.unwrap_or_default();
    let trimmed = first.strip_prefix(b"\"").unwrap_or(first);
    let trimmed = trimmed.strip_suffix(b"\"").unwrap_or(trimmed);
    line.starts_with(b"#")
        || words
            .iter()
            .any(|w| trimmed.eq_ignore_ascii_case(w.as_bytes()))
}

/// A line that says how many events were lost: its first number.
#[cold]
pub fn lost(line: &[u8]) -> ParsedLine {
    let start = line.iter().position(u8::is_ascii_digit);
    let digits = start.and_then(|start| line.get(start..));
    let count = digits.and_then(|digits| super::fields::FieldCursor::new(digits).number());
    // Lost, and not said how many.
    ParsedLine::Lost(count.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        assert!(is_heading(b"Timestamp,Offset", &["timestamp"]));
        assert!(is_heading(b"# any comment", &[]));
        assert!(is_heading(b"", &[]));
        assert!(!is_heading(b"12,13", &["timestamp"]));
        assert!(!is_heading(b"tim,13", &["timestamp"]));
    }

    #[test]
    fn the_last_line_of_a_head_is_cut_off() {
        let lines = |head| first_lines(head).count();
        assert_eq!((lines(b"a\nb"), lines(b"a"), lines(b"a\n\nb\n")), (1, 1, 2));
    }
}
