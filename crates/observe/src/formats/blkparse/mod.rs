//! The text of blkparse in its default form:
//! `8,16   1      357     0.000241205  5821  D   W 32256 + 8 [fio]`, with or without the times of
//! `-t`; other forms by their letters (`spec`).

mod spec;

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::Result;
use crate::record::{ChunkNames, Io, Op, RecordKind, TraceRecord};

/// blkparse.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "blkparse",
    title: "blkparse text",
    sniff: |head| text::has_events(head, &Blkparse),
    framing: Framing::Lines,
    takes: &[TraceHint::Columns],
    whole_disk: true,
    parser,
};

fn parser(_: &[u8], hints: &Hints) -> Result<Parser> {
    Ok(match &hints.columns {
        Some(columns) => Box::new(TextParser(spec::Spec::new(columns)?)),
        None => Box::new(TextParser(Blkparse)),
    })
}

const FACTS: FormatFacts = FormatFacts {
    time: "seconds with nine digits",
    offset: "512-byte sectors",
    len: "512-byte sectors",
    op: "letters of RWBS",
    latency: "issue (D) to completion (C)",
};

#[derive(Copy, Clone)]
struct Blkparse;

impl LineFormat for Blkparse {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        let mut cursor = FieldCursor::new(line);
        // A line that does not begin like an event is the summary, a heading, or text around it.
        let Some((major, minor)) = device(&mut cursor) else {
            return around(line);
        };
        event(&mut cursor, major, minor, names).unwrap_or(ParsedLine::Bad("not a line of blkparse"))
    }

    fn facts(&self) -> FormatFacts {
        FACTS
    }
}

#[cold]
fn around(line: &[u8]) -> ParsedLine {
    // Over the numbers of a processor or, with `-s`, of a process.
    let named = line.trim_ascii_end().ends_with(b")");
    if line.trim_ascii().is_empty() || named || spec::is_summary(line) {
        return ParsedLine::Other;
    }
    ParsedLine::Bad("not a line of blkparse")
}

#[inline]
fn device(cursor: &mut FieldCursor) -> Option<(u32, u32)> {
    let major = u32::try_from(cursor.blanks().number()?).ok()?;
    cursor.byte(b',')?;
    let minor = u32::try_from(cursor.number()?).ok()?;
    Some((major, minor))
}

#[inline]
fn event(
    cursor: &mut FieldCursor,
    major: u32,
    minor: u32,
    names: &mut ChunkNames,
) -> Option<ParsedLine> {
    cursor.blanks().number()?;
    cursor.blanks().number()?;
    let time = cursor.blanks().seconds()?;
    let pid = u32::try_from(cursor.blanks().number()?).ok()?;
    let Some(kind) = kind(cursor.word()) else {
        return Some(ParsedLine::Other);
    };
    let letters = cursor.word();
    let (offset, len) = place(cursor)?;
    let op = rwbs(letters, len);
    let process = match kind {
        RecordKind::Complete => UNKNOWN.process,
        _ => names.process(pid, comm(cursor)),
    };
    let io = Io {
        time,
        offset,
        len,
        device: names.device_number(major, minor),
        process,
        op,
        ..UNKNOWN
    };
    Some(ParsedLine::Io(TraceRecord { io, kind }))
}

/// `sector + sectors`; a flush has neither, or only a place. Pass-through requests have their length
/// in bytes.
#[inline]
fn place(cursor: &mut FieldCursor) -> Option<(u64, u32)> {
    let Some(sector) = cursor.blanks().number() else {
        return Some((0, 0));
    };
    let mut sectors = 0;
    if cursor.blanks().byte(b'+').is_some() {
        sectors = cursor.blanks().number()?;
    }
    let len = u32::try_from(sectors.checked_mul(512)?).ok()?;
    Some((sector.checked_mul(512)?, len))
}

/// `[fio]`, after the time since the last event that `-t` adds.
#[inline]
fn comm<'a>(cursor: &mut FieldCursor<'a>) -> &'a [u8] {
    cursor.until(b'[');
    cursor
        .rest()
        .trim_ascii_end()
        .strip_suffix(b"]")
        .unwrap_or_default()
}

/// The actions that matter here; `None` for plugs, merges, splits, remaps, messages.
#[inline]
fn kind(action: &[u8]) -> Option<RecordKind> {
    Some(match action {
        b"Q" => RecordKind::Queue,
        b"D" => RecordKind::Issue,
        b"C" => RecordKind::Complete,
        b"R" => RecordKind::Requeue,
        _ => return None,
    })
}

/// Letters of the kernel's `blk_fill_rwbs`, of a request of this many bytes: an F before the operation is a flush of
/// its own where nothing else follows, or where nothing is read or written.
pub fn rwbs(letters: &[u8], len: u32) -> Op {
    match letters {
        [b'F', b'R' | b'W', ..] if len == 0 => Op::Flush,
        [b'F', b'W', ..] | [b'W', ..] | [b'Z', b'A', ..] => Op::Write,
        [b'F', b'R', ..] | [b'R', ..] => Op::Read,
        [b'D', ..] => Op::Discard,
        [b'F', ..] => Op::Flush,
        _ => Op::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Parse;
    use crate::record::TraceRecords;

    fn parse(text: &str) -> TraceRecords {
        let mut out = TraceRecords::default();
        TextParser(Blkparse).parse(text.as_bytes(), &mut out);
        out
    }

    #[test]
    fn an_event() {
        let out = parse("  8,16   1      357     0.000241205  5821  D   W 63 + 8 [kworker/u4:1]\n");
        let TraceRecord { io, kind } = out.rows[0];
        assert_eq!(kind, RecordKind::Issue);
        assert_eq!((io.offset, io.len, io.time), (63 * 512, 4096, 241_205));
        assert_eq!(io.op, Op::Write);
        assert_eq!(
            &*out.names.processes()[io.process as usize].name,
            "kworker/u4:1"
        );
    }

    #[test]
    fn what_is_no_event_is_no_error() {
        let out = parse(
            "  8,16   1      2     0.000000001  5  P   N [fio]\n\
             CPU0 (8,16):\n Reads Queued:  1,  4KiB\n\n  8,0 1 1 0.0 1 D W x + 8 [a]\n",
        );
        assert_eq!(out.rows.len(), 1, "a flush-like line without a place");
        assert!(parse("  8,16 1 nonsense\n").skipped.rows == 1);
        assert_eq!(out.skipped.rows, 0);
    }

    #[test]
    fn letters() {
        assert_eq!(rwbs(b"FWFS", 4096), Op::Write);
        assert_eq!(rwbs(b"RAM", 4096), Op::Read);
        assert_eq!(rwbs(b"FN", 4096), Op::Flush);
        assert_eq!(rwbs(b"FF", 4096), Op::Flush);
        assert_eq!(rwbs(b"DS", 4096), Op::Discard);
        assert_eq!(rwbs(b"N", 4096), Op::Other);
        assert_eq!(rwbs(b"FWFS", 0), Op::Flush);
        assert_eq!(rwbs(b"FWS", 0), Op::Flush);
    }
}
