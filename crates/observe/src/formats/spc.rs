//! The traces of the UMass repository in the format of the Storage Performance Council:
//! `0,303567,3584,w,0.000000`. Layout: SPC Trace File Format Specification 1.0.1; the size of an LBA
//! is said beside the trace and is 512 bytes for those of UMass.

use super::fields::Cursor;
use super::text::{self, Line, Row, Text, UNKNOWN};
use super::{Facts, Format, Framing};
use crate::record::{Io, Names, Op, Record};

/// SPC.
pub const FORMAT: Format = Format {
    name: "spc",
    title: "SPC trace (UMass)",
    sniff: |head| text::is_table(head, &Spc { unit: 512 }),
    framing: Framing::Lines,
    parser: |_, hints| {
        let unit = hints.offset_unit.unwrap_or(512);
        Ok(Box::new(Text(Spc { unit })))
    },
};

#[derive(Copy, Clone)]
struct Spc {
    unit: u32,
}

impl Line for Spc {
    #[inline]
    fn row(&self, line: &[u8], names: &mut Names) -> Row {
        if text::is_heading(line, &["asu"]) {
            return Row::Other;
        }
        self.parse(line, names)
            .map_or(Row::Bad("not a row of an SPC trace"), Row::Io)
    }

    fn facts(&self) -> Facts {
        Facts {
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
    fn parse(self, line: &[u8], names: &mut Names) -> Option<Record> {
        let mut cursor = Cursor::new(line);
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
        Some(Record::whole(io))
    }
}
