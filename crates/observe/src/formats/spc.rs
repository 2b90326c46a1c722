//! The traces of the UMass repository in the format of the Storage Performance Council:
//! `0,303567,3584,w,0.000000`. Layout: SPC Trace File Format Specification 1.0.1; the size of an LBA
//! is said beside the trace and is 512 bytes for those of UMass.

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, TraceFormat, TraceHint};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// SPC.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "spc",
    title: "SPC trace (UMass)",
    sniff: |head| text::is_table(head, &Spc { unit: 512 }),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit],
    whole_disk: false,
    parser: |_, hints| {
        let unit = hints.offset_unit.unwrap_or(512);
        Ok(Box::new(TextParser(Spc { unit })))
    },
};

#[derive(Copy, Clone)]
struct Spc {
    unit: u32,
}

impl LineFormat for Spc {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["asu"]) {
            return ParsedLine::Other;
        }
        self.parse(line, names)
            .map_or(ParsedLine::Bad("not a row of an SPC trace"), ParsedLine::Io)
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "seconds since the start",
            offset: match self.unit {
                512 => "512-byte blocks of the unit (ASU)",
                _ => "blocks of the unit (ASU), as given",
            },
            len: "bytes",
            op: "R, W in either case",
            latency: "none",
        }
    }
}

impl Spc {
    #[inline]
    fn parse(self, line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
        let mut cursor = FieldCursor::new(line);
        let unit = cursor.until(b',').trim_ascii();
        if unit.is_empty() || !unit.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let block = cursor.blanks().number()?;
        let len = cursor.comma()?.number()?;
        cursor.comma()?;
        let op = match cursor.until(b',').trim_ascii() {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            _ => return None,
        };
        // More fields are allowed after the time.
        let time = cursor.blanks().decimal(1_000_000_000)?;
        if !cursor.ended() && cursor.comma().is_none() {
            return None;
        }
        let offset = block.checked_mul(u64::from(self.unit))?;
        let io = Io {
            time: i64::try_from(time).ok()?,
            offset,
            len: u32::try_from(len).ok()?,
            device: names.device_name(unit),
            op,
            ..UNKNOWN
        };
        Some(TraceRecord::whole(io))
    }
}
