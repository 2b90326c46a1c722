//! fio's I/O logs (`write_iolog`), versions 2 and 3. Layout: fio's `iolog.c`.
//!
//! Version 3 begins every line with the microseconds since the start of the job. Version 2 has no
//! times; its `wait` lines are milliseconds since the start where fio replays them and microseconds
//! since the last wait in fio's manual, so they are counted and not used.

use super::fields::{FieldCursor, last_word, number};
use super::text::{LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::Result;
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// Version 2.
pub const TWO: TraceFormat = TraceFormat {
    name: "fio-iolog2",
    title: "fio iolog version 2",
    sniff: |head| head.starts_with(b"fio version 2 iolog"),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, _| Ok(Box::new(TextParser(Iolog { unit: None }))),
};

/// Version 3.
pub const THREE: TraceFormat = TraceFormat {
    name: "fio-iolog3",
    title: "fio iolog version 3",
    sniff: |head| head.starts_with(b"fio version 3 iolog"),
    framing: Framing::Lines,
    takes: &[TraceHint::TimeUnit],
    whole_disk: false,
    parser: three,
};

const MICROSECOND: u64 = 1000;

fn three(_: &[u8], hints: &Hints) -> Result<Parser> {
    let unit = Some(hints.time_unit.unwrap_or(MICROSECOND));
    Ok(Box::new(TextParser(Iolog { unit })))
}

#[derive(Copy, Clone)]
struct Iolog {
    /// Nanoseconds of a unit of time; `None` where lines have no time.
    unit: Option<u64>,
}

impl LineFormat for Iolog {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        self.parse(line, names)
            .unwrap_or(ParsedLine::Bad("not a line of this version of fio's iolog"))
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: match self.unit {
                None => "none: version 2 has only waits, whose unit fio and its manual disagree on",
                Some(MICROSECOND) => "us since the start of the job",
                Some(_) => "since the start of the job, in the unit given",
            },
            offset: "bytes of the file or device",
            len: "bytes",
            op: "read, write, trim, sync, datasync",
            latency: "none",
        }
    }
}

impl Iolog {
    #[inline]
    fn parse(self, line: &[u8], names: &mut ChunkNames) -> Option<ParsedLine> {
        let mut cursor = FieldCursor::new(line);
        if line.starts_with(b"fio version ") || line.is_empty() {
            return Some(ParsedLine::Other);
        }
        let time = match self.unit {
            Some(unit) => cursor.blanks().number()?.checked_mul(unit)?,
            None => 0,
        };
        let (rest, last) = last_word(cursor.rest())?;
        let Some(len) = number(last) else {
            return matches!(last, b"add" | b"open" | b"close" | b"unlink")
                .then_some(ParsedLine::Other);
        };
        // `wait` has one number in logs written by hand and two in those of fio.
        let (rest, offset) = last_word(rest)?;
        let (file, action) = match number(offset) {
            Some(_) => last_word(rest)?,
            None => (rest, offset),
        };
        let op = match action {
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"trim" => Op::Discard,
            b"sync" | b"datasync" | b"sync_file_range" => Op::Flush,
            b"wait" => return Some(ParsedLine::Other),
            _ => return None,
        };
        let io = Io {
            time: i64::try_from(time).ok()?,
            offset: number(offset)?,
            len: u32::try_from(len).ok()?,
            device: names.device_name(file.trim_ascii()),
            op,
            ..UNKNOWN
        };
        Some(ParsedLine::Io(TraceRecord::whole(io)))
    }
}
