//! The traces of Tencent's cloud block storage (SNIA IOTTA, ATC '20):
//! `1538323200,12910952,128,0,1063`. Layout: the README that comes with them: seconds, 512-byte
//! sectors, 0 for a read. Copies with bytes instead of sectors are about: which it is shows in the
//! numbers, or is asked.

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// Tencent CBS.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "tencent",
    title: "Tencent CBS traces, sectors or bytes",
    sniff: |head| text::is_table(head, &Tencent { unit: 1 }),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit],
    whole_disk: false,
    parser,
};

fn parser(head: &[u8], hints: &Hints) -> Result<Parser> {
    let unit = match hints.offset_unit {
        Some(unit @ (1 | 512)) => unit,
        Some(_) => {
            let what = "Tencent traces count in sectors (--offset-unit 512) or bytes (1)";
            return Err(ObserveError::new(ObserveErrorKind::Unsupported, what));
        }
        None => unit_of(head).ok_or_else(ask)?,
    };
    Ok(Box::new(TextParser(Tencent { unit })))
}

fn ask() -> ObserveError {
    let what = "A Tencent trace, too short to decide whether offsets and sizes are sectors (as \
                published) or bytes (some copies): say --offset-unit 512 or --offset-unit 1";
    ObserveError::new(ObserveErrorKind::Ask, what)
}

/// Rows that are all whole sectors by chance are fewer than this.
const ENOUGH: usize = 64;

/// Bytes, if all numbers are whole sectors or a size is past what a request can be in sectors;
/// sectors, if one number is not.
fn unit_of(head: &[u8]) -> Option<u32> {
    let mut names = ChunkNames::default();
    let mut rows = 0;
    let end = memchr::memrchr(b'\n', head).map_or(head.len(), |end| end + 1);
    for line in super::fields::lines(head.get(..end)?) {
        let Some(record) = (Tencent { unit: 1 }).parse(line, &mut names) else {
            continue;
        };
        if record.io.offset % 512 != 0 || record.io.len % 512 != 0 {
            return Some(512);
        }
        rows += 1;
    }
    (rows >= ENOUGH).then_some(1)
}

#[derive(Copy, Clone)]
struct Tencent {
    unit: u32,
}

impl LineFormat for Tencent {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["timestamp"]) {
            return ParsedLine::Other;
        }
        self.parse(line, names).map_or(
            ParsedLine::Bad("not a row of a Tencent trace"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        let unit = match self.unit {
            1 => "bytes (not sectors as published)",
            _ => "512-byte sectors",
        };
        FormatFacts {
            time: "whole seconds since 1970",
            offset: unit,
            len: unit,
            op: "0 read, 1 write",
            latency: "none",
        }
    }
}

impl Tencent {
    #[inline]
    fn parse(self, line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
        let mut cursor = FieldCursor::new(line);
        let time = cursor.blanks().number()?;
        let start = cursor.comma()?.number()?;
        let size = cursor.comma()?.number()?;
        let op = match cursor.comma()?.number()? {
            0 => Op::Read,
            1 => Op::Write,
            _ => return None,
        };
        let device = cursor.comma()?.rest().trim_ascii();
        if device.is_empty() || !device.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let unit = u64::from(self.unit);
        let io = Io {
            time: i64::try_from(time.checked_mul(1_000_000_000)?).ok()?,
            offset: start.checked_mul(unit)?,
            len: u32::try_from(size.checked_mul(unit)?).ok()?,
            device: names.device_name(device),
            op,
            ..UNKNOWN
        };
        Some(TraceRecord::whole(io))
    }
}
