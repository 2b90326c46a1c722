//! The output of our bpftrace program (docs/trace-formats.md), under the heading
//! `ioalign-bpftrace 1`: `D ns major minor sector bytes rwbs pid comm` for an issue,
//! `C ns major minor sector bytes rwbs` for a completion.

use super::blkparse::rwbs;
use super::fields::Cursor;
use super::text::{self, Line, Row, Text, UNKNOWN};
use super::{Facts, Format, Framing};
use crate::record::{Io, Kind, Names, Record};

/// Our bpftrace program.
pub const FORMAT: Format = Format {
    name: "bpftrace",
    title: "the bpftrace program of docs/trace-formats.md",
    sniff: |head| text::first_lines(head).take(8).any(|line| line == HEADING),
    framing: Framing::Lines,
    parser: |_, _| Ok(Box::new(Text(Bpftrace))),
};

const HEADING: &[u8] = b"ioalign-bpftrace 1";

#[derive(Copy, Clone)]
struct Bpftrace;

impl Line for Bpftrace {
    #[inline]
    fn row(&self, line: &[u8], names: &mut Names) -> Row {
        let kind = match line {
            [b'D', b' ', ..] => Kind::Issue,
            [b'C', b' ', ..] => Kind::Complete,
            [b'Q', b' ', ..] => Kind::Queue,
            _ if line.starts_with(b"Lost ") => return text::lost(line),
            _ => return around(line),
        };
        parse(line, kind, names).map_or(Row::Bad("not a line of the bpftrace program"), Row::Io)
    }

    fn facts(&self) -> Facts {
        Facts {
            time: "ns since boot",
            offset: "512-byte sectors of the whole disk",
            len: "bytes",
            op: "letters of RWBS",
            latency: "issue (D) to completion (C)",
        }
    }
}

fn around(line: &[u8]) -> Row {
    if line.is_empty() || line == HEADING || line.starts_with(b"Attach") {
        return Row::Other;
    }
    Row::Bad("not a line of the bpftrace program")
}

#[inline]
fn parse(line: &[u8], kind: Kind, names: &mut Names) -> Option<Record> {
    let mut cursor = Cursor::new(line.get(2..)?);
    let time = cursor.blanks().number()?;
    let major = u32::try_from(cursor.blanks().number()?).ok()?;
    let minor = u32::try_from(cursor.blanks().number()?).ok()?;
    let sector = cursor.blanks().number()?;
    let bytes = cursor.blanks().number()?;
    let op = rwbs(cursor.word());
    let process = match kind {
        Kind::Complete => UNKNOWN.process,
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
        len: u32::try_from(bytes).ok()?,
        device: names.device_number(major, minor),
        process,
        op,
        ..UNKNOWN
    };
    Some(Record { io, kind })
}
