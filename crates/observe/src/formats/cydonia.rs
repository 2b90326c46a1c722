//! The columns that Cydonia, an analyser of block traces, reads: `ts,lba,op,size` without a heading:
//! `5633898611,42932745,w,512`. Layout: its `CPReader`: microseconds, 512-byte sectors, `r` or `w`, bytes.

use super::fields::{FieldCursor, sectors};
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// Cydonia.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "cydonia",
    title: "Cydonia's columns: microseconds, sector, r or w, bytes",
    sniff: |head| text::is_table(head, &Cydonia { device: None }),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, hints| {
        let device = hints.device.clone();
        Ok(Box::new(TextParser(Cydonia { device })))
    },
};

#[derive(Clone)]
struct Cydonia {
    device: Option<String>,
}

impl LineFormat for Cydonia {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &[]) {
            return ParsedLine::Other;
        }
        self.parse(line, names).map_or(
            ParsedLine::Bad("not a row of Cydonia's columns"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "us",
            offset: "512-byte sectors of the virtual disk",
            len: "bytes",
            op: "r, w",
            latency: "none",
        }
    }
}

impl Cydonia {
    #[inline]
    fn parse(&self, line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
        let mut cursor = FieldCursor::new(line);
        let time = cursor.blanks().number()?;
        let sector = cursor.comma()?.number()?;
        cursor.comma()?;
        let op = match cursor.until(b',').trim_ascii() {
            b"r" | b"R" => Op::Read,
            b"w" | b"W" => Op::Write,
            _ => return None,
        };
        let len = cursor.blanks().number()?;
        if !cursor.ended() {
            return None;
        }
        let (offset, _) = sectors(sector, 0)?;
        let io = Io {
            time: i64::try_from(time.checked_mul(1000)?).ok()?,
            offset,
            len: u32::try_from(len).ok()?,
            device: names.device_name(self.device.as_deref().unwrap_or("cydonia").as_bytes()),
            op,
            ..UNKNOWN
        };
        Some(TraceRecord::whole(io))
    }
}
