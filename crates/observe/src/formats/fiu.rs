//! The traces of Florida International University (SNIA IOTTA):
//! `89966104454294 4892 syslogd 904265560 8 W 6 0 531e779...`. Layout: the README that comes with
//! them. A name may hold blanks, so the end of the line is read first.

use super::fields::{FieldCursor, last_word, number, sectors};
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// FIU.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "fiu",
    title: "FIU traces",
    sniff: |head| text::is_table(head, &Fiu),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, _| Ok(Box::new(TextParser(Fiu))),
};

#[derive(Copy, Clone)]
struct Fiu;

impl LineFormat for Fiu {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if line.trim_ascii().is_empty() {
            return ParsedLine::Other;
        }
        parse(line, names).map_or(ParsedLine::Bad("not a row of an FIU trace"), ParsedLine::Io)
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "ns",
            offset: "512-byte sectors",
            len: "512-byte sectors",
            op: "R, W",
            latency: "none",
        }
    }
}

#[inline]
fn parse(line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
    let mut cursor = FieldCursor::new(line);
    let time = cursor.blanks().number()?;
    let pid = u32::try_from(cursor.blanks().number()?).ok()?;
    let (rest, _digest) = last_word(cursor.rest())?;
    let (rest, minor) = last_word(rest)?;
    let (rest, major) = last_word(rest)?;
    let (rest, op) = last_word(rest)?;
    let (rest, count) = last_word(rest)?;
    let (name, start) = last_word(rest)?;
    let op = match op {
        b"R" | b"r" => Op::Read,
        b"W" | b"w" => Op::Write,
        _ => return None,
    };
    let (offset, len) = sectors(number(start)?, number(count)?)?;
    let major = u32::try_from(number(major)?).ok()?;
    let minor = u32::try_from(number(minor)?).ok()?;
    let io = Io {
        time: i64::try_from(time).ok()?,
        offset,
        len,
        device: names.device_number(major, minor),
        process: names.process(pid, name.trim_ascii()),
        op,
        ..UNKNOWN
    };
    Some(TraceRecord::whole(io))
}
