//! The traces of SYSTOR '17, virtual desktops (SNIA IOTTA):
//! `1456095145.133076000,0.000806000,R,0,899056122368,131072`. Layout: the README that comes with
//! them. The operation is blank where the answer was not caught, and response times may be irregular, both
//! because packets were lost while the traces were taken.

use super::fields::{FieldCursor, scaled};
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::{ChunkNames, Io, NO_LATENCY, Op, TraceRecord};

/// SYSTOR '17.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "systor17",
    title: "SYSTOR '17 CSV",
    sniff: |head| text::is_table(head, &Systor),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, _| Ok(Box::new(TextParser(Systor))),
};

#[derive(Copy, Clone)]
struct Systor;

impl LineFormat for Systor {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["timestamp"]) {
            return ParsedLine::Other;
        }
        parse(line, names).map_or(
            ParsedLine::Bad("not a row of a SYSTOR '17 trace"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "seconds since 1970, good to 1 us",
            offset: "bytes of the LUN",
            len: "bytes",
            op: "R, W, blank where unknown",
            latency: "response time, seconds",
        }
    }
}

const SECOND: u64 = 1_000_000_000;

#[inline]
fn parse(line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
    let mut cursor = FieldCursor::new(line);
    let time = cursor.blanks().decimal(SECOND)?;
    // A blank response is not known, and nor is a negative one.
    let response = cursor.comma()?.until(b',');
    let latency = match response.trim_ascii() {
        b"" | [b'-', ..] => NO_LATENCY,
        response => scaled(response, SECOND)?,
    };
    let op = match cursor.until(b',') {
        b"R" => Op::Read,
        b"W" => Op::Write,
        b"" => Op::Other,
        _ => return None,
    };
    let device = cursor.until(b',').trim_ascii();
    let offset = cursor.blanks().number()?;
    let len = cursor.comma()?.number()?;
    if !cursor.ended() || device.is_empty() {
        return None;
    }
    let io = Io {
        time: i64::try_from(time).ok()?,
        offset,
        latency,
        len: u32::try_from(len).ok()?,
        device: names.device_name(device),
        op,
        ..UNKNOWN
    };
    Some(TraceRecord::whole(io))
}
