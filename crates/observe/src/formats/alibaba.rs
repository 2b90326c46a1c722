//! The block traces of Alibaba Cloud, 2020: `0,R,126703644672,4096,1577808000000626`.
//! Layout: the README of `alibaba/block-traces`.

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// Alibaba Cloud.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "alibaba",
    title: "Alibaba Cloud block traces",
    sniff: |head| text::is_table(head, &Alibaba),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, _| Ok(Box::new(TextParser(Alibaba))),
};

#[derive(Copy, Clone)]
struct Alibaba;

impl LineFormat for Alibaba {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["device_id"]) {
            return ParsedLine::Other;
        }
        parse(line, names).map_or(
            ParsedLine::Bad("not a row of an Alibaba trace"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "us since 1970",
            offset: "bytes of the virtual disk",
            len: "bytes",
            op: "R, W",
            latency: "none",
        }
    }
}

#[inline]
fn parse(line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
    let mut cursor = FieldCursor::new(line);
    let device = cursor.until(b',').trim_ascii();
    if device.is_empty() || !device.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let op = match cursor.until(b',') {
        b"R" => Op::Read,
        b"W" => Op::Write,
        _ => return None,
    };
    let offset = cursor.blanks().number()?;
    let len = cursor.comma()?.number()?;
    let time = cursor.comma()?.number()?;
    if !cursor.ended() {
        return None;
    }
    let io = Io {
        time: i64::try_from(time.checked_mul(1000)?).ok()?,
        offset,
        len: u32::try_from(len).ok()?,
        device: names.device_name(device),
        op,
        ..UNKNOWN
    };
    Some(TraceRecord::whole(io))
}
