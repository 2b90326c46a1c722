//! The text of biosnoop, of bcc and of libbpf-tools:
//! `0.004329  supervise  1950  xvda1  W  13092560  4096  0.74`, with the columns of `-Q` and `-P`.
//! Layout: bcc's `tools/biosnoop.py` and `libbpf-tools/biosnoop.c`. Command names hold blanks, so
//! lines are read from the right.

use super::blkparse::rwbs;
use super::fields::{FieldCursor, last_word, number, scaled};
use super::text::{self, LineFormat, ParsedLine, TextParser};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// biosnoop.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "biosnoop",
    title: "biosnoop of bcc or libbpf-tools",
    sniff: |head| without_sectors(head) || text::is_table(head, &Biosnoop),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: true,
    parser,
};

fn parser(head: &[u8], _: &Hints) -> Result<Parser> {
    if without_sectors(head) {
        let what = "This is biosnoop of bpftrace, which prints neither sector nor size: record \
                    with biosnoop of bcc, or with the bpftrace program in docs/trace-formats.md";
        return Err(ObserveError::new(ObserveErrorKind::Unsupported, what));
    }
    Ok(Box::new(TextParser(Biosnoop)))
}

/// Whether the heading is that of bpftrace's `biosnoop.bt`.
fn without_sectors(head: &[u8]) -> bool {
    text::first_lines(head).take(4).any(|line| {
        line.starts_with(b"TIME(ms)") && memchr::memmem::find(line, b"SECTOR").is_none()
    })
}

#[derive(Copy, Clone)]
struct Biosnoop;

impl LineFormat for Biosnoop {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["TIME(s)", "Tracing"]) {
            return ParsedLine::Other;
        }
        if line.starts_with(b"lost ") || line.starts_with(b"Possibly lost ") {
            return text::lost(line);
        }
        parse(line, names).unwrap_or(ParsedLine::Bad("not a line of biosnoop"))
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "seconds at completion, less the latency",
            offset: "512-byte sectors of the whole disk",
            len: "bytes",
            op: "R, W, or letters of RWBS",
            latency: "LAT, ms: issue to completion",
        }
    }
}

const MILLISECOND: u64 = 1_000_000;

#[inline]
fn parse(line: &[u8], names: &mut ChunkNames) -> Option<ParsedLine> {
    let mut cursor = FieldCursor::new(line);
    let ended = cursor.blanks().decimal(1_000_000_000)?;
    let (rest, latency) = last_word(cursor.rest())?;
    let latency = scaled(latency, MILLISECOND)?;
    let (mut rest, mut bytes) = last_word(rest)?;
    // The queue time has a point, or is -1 where it is not known.
    if memchr::memchr2(b'.', b'-', bytes).is_some() {
        (rest, bytes) = last_word(rest)?;
    }
    // The pattern: sequential, random or not known.
    if matches!(bytes, b"S" | b"R" | b"?") {
        (rest, bytes) = last_word(rest)?;
    }
    let (rest, sector) = last_word(rest)?;
    let (rest, letters) = last_word(rest)?;
    let (rest, disk) = last_word(rest)?;
    let (name, pid) = last_word(rest)?;
    let (op, sector) = operation(letters, sector, bytes)?;
    // bcc knows no disk of flushes and of commands that are passed through, and calls them reads: what stands
    // here is the number of the process.
    if number(disk).is_some() {
        return Some(ParsedLine::Other);
    }
    let io = Io {
        time: i64::try_from(ended).ok()?.checked_sub_unsigned(latency)?,
        offset: sector.checked_mul(512)?,
        latency,
        len: u32::try_from(number(bytes)?).ok()?,
        device: names.device_name(disk),
        process: names.process(u32::try_from(number(pid)?).ok()?, name.trim_ascii()),
        op,
    };
    Some(ParsedLine::Io(TraceRecord::whole(io)))
}

/// Operation and place. bcc shows a flush as a read of nothing, at the highest possible sector.
#[inline]
fn operation(letters: &[u8], sector: &[u8], bytes: &[u8]) -> Option<(Op, u64)> {
    let op = rwbs(letters, u32::MAX);
    if op == Op::Other && letters.first() != Some(&b'N') {
        return None;
    }
    let sector = number(sector)?;
    Some(match (op, number(bytes)?) {
        (Op::Read, 0) => (Op::Flush, 0),
        _ => (op, sector),
    })
}
