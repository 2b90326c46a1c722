//! The text of blkalgn (`--trace`):
//! `nvme9n1    Write    4096     1024       1234       fio              4096`. Layout: the tool's
//! source. It counts in logical blocks of the disk and does not say how large they are, and it has no
//! times.

use super::fields::{FieldCursor, last_word};
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// blkalgn.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "blkalgn",
    title: "blkalgn --trace",
    sniff: |head| text::has_events(head, &Blkalgn::new(1, head)),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit],
    whole_disk: true,
    parser,
};

fn parser(head: &[u8], hints: &Hints) -> Result<Parser> {
    let ask = || {
        let what = "blkalgn counts in logical blocks and does not print their size: say \
                    --offset-unit 512 or --offset-unit 4096 (blockdev --getss DISK prints it)";
        ObserveError::new(ObserveErrorKind::Ask, what)
    };
    let unit = hints.offset_unit.ok_or_else(ask)?;
    Ok(Box::new(TextParser(Blkalgn::new(unit, head))))
}

#[derive(Copy, Clone)]
struct Blkalgn {
    unit: u32,
    /// Columns after the name: one, or three in the variant that measures write amplification.
    after: usize,
}

impl LineFormat for Blkalgn {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        // Histograms follow when the tool ends; they are indented.
        let around = text::is_heading(line, &["DISK", "Tracing", "Block", "Algn"]);
        if around || line.starts_with(b" ") {
            return ParsedLine::Other;
        }
        self.parse(line, names)
            .map_or(ParsedLine::Bad("not a line of blkalgn"), ParsedLine::Io)
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "none",
            offset: match self.unit {
                512 => "logical blocks of 512 bytes, as given",
                4096 => "logical blocks of 4096 bytes, as given",
                _ => "logical blocks, as given",
            },
            len: "bytes",
            op: "names of the kernel's request operations",
            latency: "none",
        }
    }
}

impl Blkalgn {
    fn new(unit: u32, head: &[u8]) -> Self {
        let wide = text::first_lines(head)
            .any(|line| line.starts_with(b"DISK") && line.trim_ascii_end().ends_with(b"WWAF"));
        let after = if wide { 3 } else { 1 };
        Self { unit, after }
    }

    #[inline]
    fn parse(self, line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
        let mut cursor = FieldCursor::new(line);
        let disk = cursor.word();
        let op = op(cursor.word())?;
        let len = cursor.blanks().number()?;
        let block = cursor.blanks().number()?;
        let pid = cursor.blanks().number()?;
        // The tool's own verdict on the alignment is the last column.
        let mut comm = cursor.rest();
        for _ in 0..self.after {
            (comm, _) = last_word(comm).filter(|(_, word)| is_measure(word))?;
        }
        let io = Io {
            offset: block.checked_mul(u64::from(self.unit))?,
            len: u32::try_from(len).ok()?,
            device: names.device_name(disk),
            process: names.process(u32::try_from(pid).ok()?, comm.trim_ascii()),
            op,
            ..UNKNOWN
        };
        Some(TraceRecord::whole(io))
    }
}

fn is_measure(word: &[u8]) -> bool {
    word.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

fn op(name: &[u8]) -> Option<Op> {
    Some(match name {
        b"Read" => Op::Read,
        b"Write" | b"WriteZeroes" | b"ZoneAppend" => Op::Write,
        b"Flush" => Op::Flush,
        b"Discard" | b"SecureErase" => Op::Discard,
        b"ZoneOpen" | b"ZoneClose" | b"ZoneFinish" | b"ZoneReset" | b"ZoneResetAll" | b"DrvIn"
        | b"DrvOut" => Op::Other,
        _ => return None,
    })
}
