//! The output of our bpftrace program (docs/trace-formats.md), under the heading
//! `ioalign-bpftrace 1`: `D ns major minor sector bytes rwbs pid comm` for an issue,
//! `C ns major minor sector bytes rwbs` for a completion.

use super::blkparse::rwbs;
use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::{ChunkNames, Io, RecordKind, TraceRecord};

/// Our bpftrace program.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "bpftrace",
    title: "the bpftrace program of docs/trace-formats.md",
    sniff: |head| text::first_lines(head).take(8).any(|line| line == HEADING),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: true,
    parser: |_, _| Ok(Box::new(TextParser(Bpftrace))),
};

const HEADING: &[u8] = b"ioalign-bpftrace 1";

#[derive(Copy, Clone)]
struct Bpftrace;

impl LineFormat for Bpftrace {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        let kind = match line {
            [b'D', b' ', ..] => RecordKind::Issue,
            [b'C', b' ', ..] => RecordKind::Complete,
            [b'Q', b' ', ..] => RecordKind::Queue,
            _ if line.starts_with(b"Lost ") => return text::lost(line),
            _ => return around(line),
        };
        parse(line, kind, names).map_or(
            ParsedLine::Bad("not a line of the bpftrace program"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "ns since boot",
            offset: "512-byte sectors of the whole disk",
            len: "bytes",
            op: "letters of RWBS",
            latency: "issue (D) to completion (C)",
        }
    }
}

fn around(line: &[u8]) -> ParsedLine {
    if line.is_empty() || line == HEADING || line.starts_with(b"Attach") {
        return ParsedLine::Other;
    }
    ParsedLine::Bad("not a line of the bpftrace program")
}

#[inline]
fn parse(line: &[u8], kind: RecordKind, names: &mut ChunkNames) -> Option<TraceRecord> {
    let mut cursor = FieldCursor::new(line.get(2..)?);
    let time = cursor.blanks().number()?;
    let major = u32::try_from(cursor.blanks().number()?).ok()?;
    let minor = u32::try_from(cursor.blanks().number()?).ok()?;
    let sector = cursor.blanks().number()?;
    let bytes = cursor.blanks().number()?;
    let len = u32::try_from(bytes).ok()?;
    let op = rwbs(cursor.word(), len);
    let process = match kind {
        RecordKind::Complete => UNKNOWN.process,
        _ => {
            let pid = u32::try_from(cursor.blanks().number()?).ok()?;
            names.process(pid, cursor.blanks().rest())
        }
    };
    // A flush has no place; old kernels print the largest sector there.
    let sector = if bytes == 0 { 0 } else { sector };
    let io = Io {
        time: i64::try_from(time).ok()?,
        offset: sector.checked_mul(512)?,
        len,
        device: names.device_number(major, minor),
        process,
        op,
        ..UNKNOWN
    };
    Some(TraceRecord { io, kind })
}
