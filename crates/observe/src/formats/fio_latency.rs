//! fio's latency logs (`write_lat_log`), one line an I/O:
//! `time in ms, latency in ns, direction, bytes[, offset][, priority][, issue time]`. Layout: "Log
//! File Formats" of fio's manual. Offsets are in it with `log_offset=1` only.

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// fio's latency logs.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "fio-lat",
    title: "fio latency log (write_lat_log)",
    sniff: |head| text::is_table(head, &FioLatencyLog),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser,
};

fn parser(head: &[u8], _: &Hints) -> Result<Parser> {
    let refused = |what: &str| Err(ObserveError::new(ObserveErrorKind::Unsupported, what));
    let all = |wrong: fn(&FioLatencyFields) -> bool| {
        let mut rows = text::first_lines(head).filter_map(fields).peekable();
        rows.peek().is_some() && rows.all(|row| wrong(&row))
    };
    if all(|row| row.len == 0) {
        return refused(
            "This log of fio holds averages, not I/Os: record again without log_avg_msec",
        );
    }
    if all(|row| row.offset.is_none()) {
        return refused(
            "This fio log has no offsets, so its alignment is unknown: record again with \
             log_offset=1",
        );
    }
    Ok(Box::new(TextParser(FioLatencyLog)))
}

#[derive(Copy, Clone)]
struct FioLatencyLog;

impl LineFormat for FioLatencyLog {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if line.trim_ascii().is_empty() {
            return ParsedLine::Other;
        }
        let Some(fields) = fields(line) else {
            return ParsedLine::Bad("not a line of fio's latency log");
        };
        let io = Io {
            time: fields.time,
            offset: fields.offset.unwrap_or(0),
            latency: fields.latency,
            len: fields.len,
            device: names.device_name(b"fio"),
            op: fields.op,
            ..UNKNOWN
        };
        ParsedLine::Io(TraceRecord::whole(io))
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "ms at completion, less the latency: good to 1 ms",
            offset: "bytes of the file or device",
            len: "bytes",
            op: "0 read, 1 write, 2 trim",
            latency: "ns",
        }
    }
}

struct FioLatencyFields {
    time: i64,
    latency: u64,
    op: Op,
    len: u32,
    offset: Option<u64>,
}

/// Blanks after the commas tell fio's logs from other tables of numbers.
#[inline]
fn next(cursor: &mut FieldCursor) -> Option<u64> {
    cursor.byte(b',')?;
    cursor.byte(b' ')?;
    cursor.blanks().number()
}

#[inline]
fn fields(line: &[u8]) -> Option<FioLatencyFields> {
    let mut cursor = FieldCursor::new(line);
    let ended = cursor.blanks().number()?.checked_mul(1_000_000)?;
    let latency = next(&mut cursor)?;
    let op = match next(&mut cursor)? {
        0 => Op::Read,
        1 => Op::Write,
        2 => Op::Discard,
        _ => return None,
    };
    let len = u32::try_from(next(&mut cursor)?).ok()?;
    let mut offset = None;
    if !cursor.ended() {
        offset = Some(next(&mut cursor)?);
        // `0x0000` is the priority, and so is a last 0 or 1: no offset then.
        let hexadecimal = cursor.rest().starts_with(b"x");
        if hexadecimal || (cursor.ended() && offset <= Some(1)) {
            offset = None;
        }
    }
    let time = i64::try_from(ended).ok()?.checked_sub_unsigned(latency)?;
    Some(FioLatencyFields {
        time,
        latency,
        op,
        len,
        offset,
    })
}
