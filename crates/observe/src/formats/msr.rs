//! The traces of Microsoft Research Cambridge (SNIA IOTTA, FAST '08):
//! `128166372003061629,hm,1,Read,383496192,32768,2500`. Layout: the README that comes with them.

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// MSR Cambridge.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "msr",
    title: "MSR Cambridge CSV",
    sniff: |head| text::is_table(head, &Msr),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, _| Ok(Box::new(TextParser(Msr))),
};

/// 100 ns intervals from 1601 to 1970: what is left fits into nanoseconds.
const TO_1970: u64 = 116_444_736_000_000_000;

#[derive(Copy, Clone)]
struct Msr;

impl LineFormat for Msr {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["timestamp"]) {
            return ParsedLine::Other;
        }
        parse(line, names).map_or(ParsedLine::Bad("not a row of an MSR trace"), ParsedLine::Io)
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "Windows file time, 100 ns",
            offset: "bytes of the logical disk",
            len: "bytes",
            op: "Read, Write",
            latency: "response time, 100 ns",
        }
    }
}

#[inline]
fn parse(line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
    let mut cursor = FieldCursor::new(line);
    let ticks = cursor.blanks().number()?;
    cursor.comma()?;
    // Host and disk are the device, as they are in the file name: `hm,1`.
    let device = cursor.rest();
    let host = cursor.until(b',').len();
    let disk = cursor.until(b',').len();
    let device = device.get(..host + 1 + disk)?;
    let op = match cursor.until(b',').first()? {
        b'R' | b'r' => Op::Read,
        b'W' | b'w' => Op::Write,
        _ => return None,
    };
    let offset = cursor.blanks().number()?;
    let len = cursor.comma()?.number()?;
    let latency = cursor.comma()?.number()?;
    if !cursor.ended() {
        return None;
    }
    let time = ticks.checked_sub(TO_1970).unwrap_or(ticks);
    let io = Io {
        time: i64::try_from(time.checked_mul(100)?).ok()?,
        offset,
        latency: latency.checked_mul(100)?,
        len: u32::try_from(len).ok()?,
        device: names.device_name(device),
        op,
        ..UNKNOWN
    };
    Some(TraceRecord::whole(io))
}
