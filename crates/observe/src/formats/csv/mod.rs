//! Tables of any origin: CSV, or any separator, by the names in their heading or by `--columns`.
//!
//! `--columns time=0,op=2,offset=3,len=4` counts from 0; names of the heading do as well
//! (`offset=start_lba`). `latency=`, `device=` and `process=` are taken if there are such columns,
//! `read=` and `write=` say what the codes of operations are.

mod chosen;
mod codes;
mod columns;
mod heading;

use ioalign_core::csv::uncell;

use super::fields::{FieldCursor, number, scaled};
use super::text::{LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::Result;
use crate::record::{ChunkNames, Io, Op, TraceRecord};
use columns::{ColumnRole, CsvColumns};

/// Any table.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "csv",
    title: "any table with a heading, or with --columns",
    sniff: |head| heading::columns_of_heading(head).is_some(),
    framing: Framing::Lines,
    takes: &[
        TraceHint::OffsetUnit,
        TraceHint::LengthUnit,
        TraceHint::TimeUnit,
        TraceHint::LatencyUnit,
        TraceHint::Columns,
    ],
    whole_disk: false,
    parser,
};

fn parser(head: &[u8], hints: &Hints) -> Result<Parser> {
    let columns = chosen::choose(head, hints)?;
    let alone = hints.device.clone().unwrap_or_else(|| "table".to_owned());
    Ok(Box::new(TextParser(Csv { columns, alone })))
}

#[derive(Clone)]
struct Csv {
    columns: CsvColumns,
    /// The device of rows that name none.
    alone: String,
}

impl LineFormat for Csv {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if line.is_empty() || line.starts_with(b"#") || self.columns.is_heading(line) {
            return ParsedLine::Other;
        }
        match self.fields(line) {
            Some(fields) => self.record(&fields, names),
            None => ParsedLine::Bad("fewer columns than --columns or the heading say"),
        }
    }

    fn facts(&self) -> FormatFacts {
        self.columns.facts()
    }
}

type CsvFields<'a> = [&'a [u8]; ColumnRole::COUNT];

impl Csv {
    /// The fields of a line by their roles; `None` where the line ends before the last of them.
    #[inline]
    fn fields<'a>(&self, line: &'a [u8]) -> Option<CsvFields<'a>> {
        let mut fields: CsvFields = [b""; ColumnRole::COUNT];
        let mut cursor = FieldCursor::new(line);
        let separator = self.columns.separator;
        for role in &self.columns.roles {
            // After a separator at the end there is an empty field; without one the line is short.
            if cursor.rest().is_empty() && line.last() != Some(&separator) {
                return None;
            }
            let field = field(&mut cursor, separator);
            if let Some(slot) = role.and_then(|role| fields.get_mut(role as usize)) {
                *slot = field;
            }
        }
        Some(fields)
    }

    #[inline]
    fn record(&self, fields: &CsvFields, names: &mut ChunkNames) -> ParsedLine {
        let [time, op, offset, len, latency, device, process, pid] = *fields;
        let columns = &self.columns;
        let unit = u64::from(columns.offset_unit);
        let Some(op) = columns.op(op) else {
            return ParsedLine::Bad(
                "an operation that is not known: read=CODE,write=CODE in --columns",
            );
        };
        let Some(time) = scaled(time, columns.time_unit).and_then(|t| i64::try_from(t).ok()) else {
            return ParsedLine::Bad("the time is no number");
        };
        let offset = number(offset).or_else(|| scaled(offset, 1));
        let Some(offset) = offset.and_then(|n| n.checked_mul(unit)) else {
            return ParsedLine::Bad("the offset is no number, or past 64 bits of bytes");
        };
        let len = number(len).or_else(|| scaled(len, 1));
        let len = len.and_then(|n| n.checked_mul(u64::from(columns.len_unit)));
        let Some(len) = len.and_then(|n| u32::try_from(n).ok()) else {
            return ParsedLine::Bad("the length is no number, or 4 GiB and more");
        };
        let latency = match latency {
            b"" => UNKNOWN.latency,
            latency => scaled(latency, columns.latency_unit).unwrap_or(UNKNOWN.latency),
        };
        let (device, process) = (uncell(device), uncell(process));
        let io = Io {
            time,
            offset,
            latency,
            len,
            device: names.device_name(if device.is_empty() {
                self.alone.as_bytes()
            } else {
                device
            }),
            process: whose(pid, process, names),
            op,
        };
        ParsedLine::Io(TraceRecord::whole(io))
    }
}

/// One field, without its quotes and the separator after it.
#[inline]
fn field<'a>(cursor: &mut FieldCursor<'a>, separator: u8) -> &'a [u8] {
    if separator == b' ' {
        return cursor.word();
    }
    if cursor.rest().starts_with(b"\"") {
        cursor.until(b'"');
        let field = cursor.until(b'"');
        cursor.until(separator);
        return field;
    }
    cursor.until(separator).trim_ascii()
}

/// A process by its number and name, or by what there is in one column.
#[inline]
fn whose(pid: &[u8], field: &[u8], names: &mut ChunkNames) -> u32 {
    if let Some(pid) = number(pid).and_then(|pid| u32::try_from(pid).ok()) {
        return names.process(pid, field);
    }
    match number(field).and_then(|pid| u32::try_from(pid).ok()) {
        Some(pid) => names.pid(pid),
        None => names.process(0, field),
    }
}

/// Names of operations; `--columns` gives codes.
fn op(name: &[u8]) -> Option<Op> {
    let begins = |with: &[u8]| {
        name.get(..with.len())
            .is_some_and(|w| w.eq_ignore_ascii_case(with))
    };
    let is = |word: &[u8]| name.eq_ignore_ascii_case(word);
    Some(match name {
        _ if is(b"r") || begins(b"read") || is(b"rs") || is(b"ra") => Op::Read,
        _ if is(b"w") || begins(b"write") || is(b"ws") || is(b"wfs") => Op::Write,
        _ if is(b"d") || begins(b"discard") || begins(b"trim") || begins(b"unmap") => Op::Discard,
        _ if is(b"other") => Op::Other,
        _ if is(b"f") || begins(b"flush") || begins(b"sync") || begins(b"fsync") => Op::Flush,
        _ => return None,
    })
}
