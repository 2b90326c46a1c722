//! Command traces of VMware's vscsiStats as text:
//! `2147483692,4096,1,write,24048792,2756778716647` under the heading
//! `#Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)`.

use super::fields::{FieldCursor, sectors};
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Parse, Parser, TraceFormat, scsi};
use crate::record::{ChunkNames, Io, Op, TraceRecord, TraceRecords};

/// vscsiStats, text.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "vscsi-text",
    title: "VMware vscsiStats trace, text",
    sniff: |head| text::is_table(head, &Vscsi::default()),
    framing: Framing::Lines,
    takes: &[],
    whole_disk: false,
    parser: |_, hints| {
        let name = hints.device.clone().unwrap_or_else(|| USUAL.to_owned());
        Ok(Box::new(DiskByDisk::new(name)))
    },
};

/// The device of a trace whose file is not named.
const USUAL: &str = "vscsi";

/// The traces of several disks in one file: each begins with a heading of its own. They are read one after the other.
struct DiskByDisk {
    name: String,
    /// As many as have begun.
    disks: u32,
    /// The disk has rows: the next heading is that of another.
    has_rows: bool,
    rows: TextParser<Vscsi>,
}

impl DiskByDisk {
    fn new(name: String) -> Self {
        let device = Some(name.clone());
        Self {
            name,
            disks: 1,
            has_rows: false,
            rows: TextParser(Vscsi { device }),
        }
    }

    fn rows(&mut self, lines: &[u8], out: &mut TraceRecords) {
        let before = out.rows.len();
        self.rows.parse(lines, out);
        self.has_rows |= out.rows.len() > before;
    }

    fn heading(&mut self) {
        if std::mem::take(&mut self.has_rows) {
            self.disks += 1;
            let device = Some(format!("{}, disk {}", self.name, self.disks));
            self.rows = TextParser(Vscsi { device });
        }
    }
}

impl Parse for DiskByDisk {
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords) {
        let mut done = 0;
        for at in memchr::memchr_iter(b'#', chunk) {
            let begins_line = at
                .checked_sub(1)
                .is_none_or(|before| chunk.get(before) == Some(&b'\n'));
            if begins_line {
                self.rows(chunk.get(done..at).unwrap_or_default(), out);
                self.heading();
                done = at;
            }
        }
        self.rows(chunk.get(done..).unwrap_or_default(), out);
    }

    fn split(&self) -> Option<Parser> {
        None
    }

    fn facts(&self) -> FormatFacts {
        self.rows.facts()
    }
}

#[derive(Clone, Default)]
struct Vscsi {
    /// A trace is of one virtual disk, and does not name it.
    device: Option<String>,
}

impl LineFormat for Vscsi {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &["serial", "vscsi"]) {
            return ParsedLine::Other;
        }
        self.parse(line, names).map_or(
            ParsedLine::Bad("not a row of a vscsiStats trace"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "us",
            offset: "512-byte blocks of the virtual disk",
            len: "bytes",
            op: "read, write, or SCSI commands in hexadecimal",
            latency: "none",
        }
    }
}

impl Vscsi {
    #[inline]
    fn parse(&self, line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
        let mut cursor = FieldCursor::new(line);
        cursor.blanks().number()?;
        let len = cursor.comma()?.number()?;
        cursor.comma()?.number()?;
        cursor.comma()?;
        let op = op(cursor.until(b',').trim_ascii())?;
        let block = cursor.blanks().number()?;
        let time = cursor.comma()?.number()?;
        if !cursor.ended() {
            return None;
        }
        let (offset, _) = sectors(block, 0)?;
        let io = Io {
            time: i64::try_from(time.checked_mul(1000)?).ok()?,
            offset,
            len: u32::try_from(len).ok()?,
            device: names.device_name(self.device.as_deref().unwrap_or(USUAL).as_bytes()),
            op,
            ..UNKNOWN
        };
        Some(TraceRecord::whole(io))
    }
}

fn op(word: &[u8]) -> Option<Op> {
    if let Some(code) = word.strip_prefix(b"0x") {
        let code = u16::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok()?;
        return scsi::op(code);
    }
    let begins = |with: &[u8]| {
        word.get(..with.len())
            .is_some_and(|w| w.eq_ignore_ascii_case(with))
    };
    Some(match word.first()? {
        _ if begins(b"read") => Op::Read,
        _ if begins(b"write") => Op::Write,
        _ if begins(b"unmap") => Op::Discard,
        _ if begins(b"sync") => Op::Flush,
        first if first.is_ascii_alphabetic() => Op::Other,
        _ => return None,
    })
}
